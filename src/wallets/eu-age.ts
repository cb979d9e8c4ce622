// The one request that may be unsigned and passed by value in live mode: the EU age verification app is asked
// if a person is 18 (Age Verification Profile, Annex A).

import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { ProtocolId } from '../openid4vp/request/generation.ts'
import type { Preset } from '../policy/presets.ts'

/** Profiles of the EU age verification app. */
const APPS: readonly string[] = ['eu-age-android', 'eu-age-ios']

const DOC_TYPE = 'eu.europa.ec.av.1'

/** The session that asks. */
type RequestingSession = {
  readonly preset?: Preset | undefined
  readonly protocol: ProtocolId
  readonly required_assurance_level: string
  readonly query: DcqlQuery
}

/** Returns the ids of the wallets to which the request may be passed by value; none for any other request. */
export function walletsByValue({
  preset,
  protocol,
  required_assurance_level,
  query,
}: RequestingSession): readonly string[] {
  const isAsked = preset === 'age_over_18' && protocol === 'openid4vp-1.0' && isAgeQuery(query)
  // Without a browser that returns, the level is at most low.
  return isAsked && required_assurance_level === 'low' ? APPS : []
}

/** True for one credential of the app, with the one element and nothing else. */
function isAgeQuery({ credentials: [only, ...others], credential_sets }: DcqlQuery): boolean {
  if (only === undefined || others.length > 0 || credential_sets !== undefined) return false
  const { id: _, format, meta, claims, ...members } = only
  return (
    format === 'mso_mdoc' &&
    JSON.stringify([meta, claims, members]) === JSON.stringify([{ doctype_value: DOC_TYPE }, CLAIMS, {}])
  )
}

const CLAIMS = [{ path: [DOC_TYPE, 'age_over_18'], intent_to_retain: false }]
