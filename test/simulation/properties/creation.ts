// An `Idempotency-Key` names one session: every acknowledged creation returns the same session. The key of a
// login ends with the login: afterwards the edge creates nothing.

import type { CreatedSession } from '../../../src/session/document/results.ts'
import { documentOf, type Property } from '../ledger.ts'
import type { Session } from '../world.ts'

export const creation: Property = {
  name: 'one session for each Idempotency-Key',
  watch: ({ fail, durable, wall }) => {
    const tokens = new Map<Session, { readonly token: string; readonly until: number }>()
    return {
      called: ({ session, method, answer }) => {
        if (method !== 'create' || answer.lost) return
        const created = answer.value as { readonly ok: boolean; readonly value?: { session: CreatedSession } }
        if (!created.ok || created.value === undefined) return
        const { client_token: token } = created.value.session
        const { expires_at } = created.value.session
        const until = session.input.login === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
        const known = tokens.get(session)
        const isKnown = known !== undefined && wall() < known.until
        if (!isKnown) tokens.set(session, { token, until })
        if (isKnown && known.token !== token) fail(`two creations of ${session.name} returned two sessions`)
        const document = documentOf(durable(session))
        const created_at = document?.created_at.toString(36)
        if (created_at !== undefined && !token.startsWith(`ct_${created_at}.`)) {
          fail(`a creation of ${session.name} returned a session that is not written`)
        }
      },
    }
  },
}
