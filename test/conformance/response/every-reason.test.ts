// Every reason of the catalogue, produced by the sandbox over HTTP. Each is in the poll and in the webhook,
// and has its page.

import { beforeAll, expect, it } from 'vitest'
import { MISTAKES } from '../../../sandbox/wallet/mistakes/index.ts'
import { REASONS, type ReasonCode } from '../../../src/session/document/reasons.ts'
import { mintListSigner, PID_ISSUANCE } from '../../support/certificates/trust-lists.ts'
import {
  BASE_URL,
  expectStatus,
  OVER_18,
  type Poll,
  type RelyingParty,
} from '../../support/service/service.ts'
import { eventOf, relyingPartyOf, useStage } from '../../support/service/stage.ts'
import { PAYMENT } from '../../support/service/transaction-data.ts'

const stage = useStage()

/** Subscribes to an unavailable trust list, and requires the revocation status of certificates. */
let subscriber: RelyingParty

beforeAll(async () => {
  const { pem } = await mintListSigner()
  const body = {
    name: 'lost',
    livemode: false,
    kind: 'etsi_lote',
    url: 'http://127.0.0.1:1/lost',
    signers: [{ x509_certificate_pem: pem }],
    services: [{ type: PID_ISSUANCE, credential_types: ['age_attestation'], assurance_level: 'low' }],
  }
  const token = stage.service.server.adminToken
  await expectStatus(await stage.rp.call('POST', '/v1/admin/trust_lists', { token, body }), 201)
  subscriber = await relyingPartyOf(stage, { anchor_sets: ['lost'], certificate_revocation: 'require' })
})

const NAME_QUERY = {
  credentials: [
    {
      id: 'name',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['family_name'], values: ['Sandbox'] }],
    },
  ],
}
const PAY = { ...OVER_18, formats: ['dc+sd-jwt'], transaction_data: [PAYMENT] }

/** Policies of sessions in which a reason is possible, if not in all. */
const SESSIONS: { readonly [code in ReasonCode]?: object } = {
  unexpected_encryption: { ...OVER_18, request_options: { response_mode: 'direct_post' } },
  invalid_presentation_submission: { ...OVER_18, protocol: 'openid4vp-draft24' },
  transaction_data_missing: PAY,
  transaction_data_mismatch: PAY,
  holder_key_mismatch: {
    ...OVER_18,
    credential_types: ['age_attestation', 'pid'],
    credential_match: 'all',
    require_same_holder_key: true,
  },
  document_not_returned: { ...OVER_18, formats: ['mso_mdoc'] },
  holder_key_unavailable: { ...OVER_18, formats: ['jwt_vc_json'] },
  value_mismatch: { dcql_query: NAME_QUERY },
  assurance_level_too_low: { ...OVER_18, required_assurance_level: 'high' },
}

/** Reasons that the relying party's settings make possible. */
const BY_SETTINGS: readonly ReasonCode[] = [
  'trust_list_unavailable',
  'certificate_revoked',
  'certificate_status_unavailable',
]

/** Reasons that end a session. Every other reason is an attempt, and the session stays pending. */
const ENDS: { readonly [code in ReasonCode]?: string } = {
  credential_revoked: 'rejected',
  credential_suspended: 'rejected',
  credential_expired: 'rejected',
  credential_not_yet_valid: 'rejected',
  predicate_false: 'rejected',
  value_mismatch: 'rejected',
  assurance_level_too_low: 'rejected',
  holder_key_mismatch: 'rejected',
  access_denied: 'declined',
  declined_on_page: 'declined',
  session_expired: 'expired',
  canceled_by_relying_party: 'canceled',
}

/** Reasons that the route produces without an error of the wallet. */
type Scripted =
  | 'request_superseded'
  | 'same_device_return_missing'
  | 'session_expired'
  | 'canceled_by_relying_party'
  | 'declined_on_page'

/** Reasons that no response of the test wallet causes. */
const OF_THE_SERVICE = ['evidence_unavailable', 'response_too_large'] as const
type OfTheService = (typeof OF_THE_SERVICE)[number]

it('the test wallet can cause every refusal reason of the catalogue, and lists no other reason', () => {
  // The compiler checks this, too: a new code of the catalogue has neither.
  const flawed: Readonly<Record<Exclude<ReasonCode, Scripted | OfTheService>, object>> = MISTAKES
  expect(Object.keys(flawed).filter((code) => !Object.hasOwn(REASONS, code))).toEqual([])
})

it.each((Object.keys(REASONS) as ReasonCode[]).filter((code) => !OF_THE_SERVICE.some((one) => one === code)))(
  'the test wallet causes the reason %s, the event has this reason, and its problem page explains it',
  async (code) => {
    const rp = BY_SETTINGS.includes(code) ? subscriber : stage.rp
    const { verification_id: id } = await rp.create(SESSIONS[code])
    const outcome = async (reason: ReasonCode) =>
      (await expectStatus(
        await rp.call('POST', `/v1/test/verify/${id}/outcome`, { body: { reason } }),
        200,
      )) as { readonly verification: Poll }

    const { verification } = await outcome(code)
    const found = verification.reason ?? verification.attempts.at(-1)?.reason
    const { message, retryable } = REASONS[code]
    expect(found).toEqual({ code, message, retryable, type: `${BASE_URL}/problems/${code}` })
    expect(verification.status).toBe(ENDS[code] ?? 'pending')

    // Without another response, the event of expiry has the last attempt's reason (api/outcome).
    if (verification.status === 'pending') await outcome('session_expired')
    const { event } = await eventOf(stage, id)
    expect(event).toMatchObject({ event_type: `verification.${ENDS[code] ?? 'expired'}`, reason: found })

    const page = await stage.service.fetch(found?.type ?? '')
    expect(page.status).toBe(200)
    expect(await page.text()).toContain(REASONS[code].message.replaceAll("'", '&#39;'))
  },
)
