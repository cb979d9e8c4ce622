// Recognizes the only request that may be unsigned and passed by value without the setting `by_value`. The
// request asks the EU age verification app if a person is 18 (Age Verification Profile, Annex A).

import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { ProtocolId } from '../openid4vp/request/generation.ts'
import type { Preset } from '../policy/presets.ts'

/** Ids of the profiles of the EU age verification app. */
const APPS: readonly string[] = ['eu-age-android', 'eu-age-ios']

const DOC_TYPE = 'eu.europa.ec.av.1'

/** Members of the session that makes the request. */
type RequestingSession = {
  readonly preset?: Preset | undefined
  readonly protocol: ProtocolId
  readonly required_assurance_level: string
  readonly query: DcqlQuery
}

/**
 * Returns the ids of the wallets that may get the request by value. Returns an empty list if the request is
 * not the age request.
 */
export function walletsByValue({
  preset,
  protocol,
  required_assurance_level,
  query,
}: RequestingSession): readonly string[] {
  const isAsked = preset === 'age_over_18' && protocol === 'openid4vp-1.0' && isAgeQuery(query)
  // If no browser is bound, anyone may answer the request, so the level of the result is at most `low`.
  return isAsked && required_assurance_level === 'low' ? APPS : []
}

/**
 * Returns true if the query requests one mdoc of the EU age type, only its element `age_over_18`, and has no
 * other DCQL member.
 */
function isAgeQuery({ credentials: [only, ...others], credential_sets }: DcqlQuery): boolean {
  if (only === undefined || others.length > 0 || credential_sets !== undefined) return false
  const { id: _, format, meta, claims, ...members } = only
  return (
    format === 'mso_mdoc' &&
    JSON.stringify([meta, claims, members]) === JSON.stringify([{ doctype_value: DOC_TYPE }, CLAIMS, {}])
  )
}

const CLAIMS = [{ path: [DOC_TYPE, 'age_over_18'], intent_to_retain: false }]
