// The state of a session, as a page or a kiosk that watches the session gets it. The state is built from the
// document alone.

import type { VerificationState } from '../../api/responses/verifications.ts'
import { isoTime } from '../../codec/date-time.ts'
import { type SessionDocument, toStage } from './document.ts'
import { endFamily } from './refusal-family.ts'
import { activityView } from './wallet-activity.ts'

/** A view as JSON text, and the version of the session in it. */
export type View = { readonly json: string; readonly version: number }

/** Returns the state for a kiosk or a person's browser, without results and without the request. */
export function publicView(document: SessionDocument): VerificationState {
  return {
    object: 'verification_state',
    verification_id: document.verification_id,
    version: document.version,
    status: document.status,
    stage: toStage(document),
    expires_at: isoTime(document.expires_at),
    wallet_activity: activityView(document),
    family: endFamily(document),
  }
}

/** Returns a view as JSON text, with the version of the session. */
export function toStateView({ version }: SessionDocument, body: object): View {
  return { json: JSON.stringify(body), version }
}
