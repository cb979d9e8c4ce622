// The fake of Credo and Paradym refuses what their sources refuse: each case changes one thing of a good
// request.

import { describe, expect, it } from 'vitest'
import {
  type Change,
  changed,
  goodHeader,
  goodPayload,
  makeStages,
  NAME_MDOC,
  NAME_SD_JWT,
  offerLink,
  offerTo,
  signRequest,
} from '../../../support/wallets/good-request.ts'
import { credo } from '../../../support/wallets/world/credo.ts'

const [stage, other] = await makeStages()
const offer = offerTo(credo, stage)
const withSets = (credential_sets: readonly object[], second = NAME_MDOC) =>
  changed('payload.dcql_query', { credentials: [NAME_SD_JWT, second], credential_sets })

describe('a good request to the Credo wallet', () => {
  it.each([
    ['dc+sd-jwt', NAME_SD_JWT],
    ['mso_mdoc', NAME_MDOC],
  ])('is answered with the two requested claims of %s', async (format, good) => {
    for (const method of ['get', 'post'] as const) {
      const { answer, posted } = await offerLink(credo, stage, { queries: [good], method })
      expect(answer).toMatchObject({
        disclosed: [
          { format, claim: 'given_name' },
          { format, claim: 'family_name' },
        ],
      })
      expect(posted).toEqual([{ response: expect.stringMatching(/^[\w-]+\.\./) }])
    }
  })

  it('may have a verifier certificate of any authority', async () => {
    expect((await offer({ verifier: other })).answer).toMatchObject({ disclosed: { length: 2 } })
  })

  it('a good request to the Credo wallet with credential_sets is answered with the first option', async () => {
    const { answer } = await offer(withSets([{ options: [['pid_mdoc'], ['pid']] }]))
    expect(answer).toMatchObject({ disclosed: [{ format: 'mso_mdoc' }, { format: 'mso_mdoc' }] })
  })

  it('a good request to the Credo wallet with an optional credential set is answered without that set', async () => {
    const { answer } = await offer(
      withSets([{ options: [['pid']] }, { options: [['pid_mdoc']], required: false }]),
    )
    expect(answer).toMatchObject({ disclosed: [{ format: 'dc+sd-jwt' }, { format: 'dc+sd-jwt' }] })
  })

  it('a good request to the Credo wallet with claim_sets is answered with the first claim set for which the credential has the claims', async () => {
    const claims = ['height', 'sex', 'birthdate'].map((id) => ({ id, path: [id] }))
    const { answer } = await offer(
      changed('query', { ...NAME_SD_JWT, claims, claim_sets: claims.map(({ id }) => [id]) }),
    )
    expect(answer).toMatchObject({ disclosed: [{ claim: 'sex' }] })
  })

  it('a good request to the Credo wallet without claims is answered without any claim', async () => {
    expect((await offer(changed('query.claims'))).answer).toMatchObject({ disclosed: [] })
  })

  it('a good request to the Credo wallet with transaction data is answered with the two requested claims', async () => {
    const { answer } = await offer(changed('payload.transaction_data', [transaction()]))
    expect(answer).toMatchObject({ disclosed: { length: 2 } })
  })
})

const CASES: readonly (readonly [string, Change, string])[] = [
  ['an unknown scheme', { scheme: 'haip-vp' }, 'not a link of a presentation'],
  ['another client_id in the link', changed('link.client_id', 'x509_hash:AA'), 'client_id does not match'],
  ['another typ', changed('header.typ', 'JWT'), 'Invalid Jar Request Object typ'],
  ['another signer', { signer: other.leaf.privateJwk as never }, 'openid4vp: '],
  [
    'the prefix verifier_attestation',
    changed('payload.client_id', 'verifier_attestation:shop'),
    'openid4vp: ',
  ],
  ['status 500 at its request_uri', { status: 500 }, "failed with status code '500'"],
  ['no query', changed('payload.dcql_query'), 'no dcql_query'],
  ['an unknown format', changed('query.format', 'jwt_vc'), 'dcql_query: '],
  ['a credential set that names an unknown query', withSets([{ options: [['other']] }]), 'dcql_query: '],
  ['a claim that the credential lacks', changed('query.claims.0.path', ['height']), 'not every part'],
  ['a value that the credential lacks', changed('query.claims.0.values', ['Max']), 'not every part'],
  [
    'trusted_authorities that did not issue the credential',
    changed('query.trusted_authorities', [{ type: 'aki', values: ['AAAA'] }]),
    'not every part',
  ],
  [
    'an optional set that no credential satisfies',
    withSets([{ options: [['pid']] }, { options: [['pid_mdoc']], required: false }], {
      ...NAME_MDOC,
      meta: { doctype_value: 'other' },
    }),
    'not every part',
  ],
  [
    'two transactions',
    changed('payload.transaction_data', [transaction(), transaction()]),
    'several transactions are not supported',
  ],
  [
    'a transaction of an unsupported type',
    changed('payload.transaction_data', [transaction({ type: 'other' })]),
    'transactions of the type other are not supported',
  ],
  [
    'a transaction for another query',
    changed('payload.transaction_data', [transaction({ credential_ids: ['other'] })]),
    'no shared credential can confirm the transaction',
  ],
]

it.each(CASES)('the Credo wallet refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offer(change)
  expect([answer, posted]).toEqual([{ refused: expect.stringContaining(refused) }, []])
})

it('the Credo wallet refuses transaction data for an mdoc', async () => {
  const data = transaction({ credential_ids: ['pid_mdoc'] })
  const { answer } = await offer(changed('payload.transaction_data', [data]), [NAME_MDOC])
  expect(answer).toEqual({ refused: 'an mdoc cannot confirm a transaction' })
})

describe('the Credo wallet over the Digital Credentials API', () => {
  const offerDigital = async (queries: readonly object[], protocol = 'openid4vp-v1-signed') => {
    const { verifier } = stage
    const { response_uri, state, ...good } = goodPayload(verifier, queries as never)
    const origin = 'https://shop.example'
    const signed = { ...good, response_mode: 'dc_api.jwt', expected_origins: [origin] }
    const request = await signRequest(goodHeader(verifier), signed, verifier.leaf.privateJwk)
    const surroundings = { ...stage, verifierCa: verifier.root.pem, fetch: () => Promise.reject() }
    return credo.answer({ digital: { protocol, data: { request } }, origin }, surroundings)
  }

  it('answers a signed request for one credential', async () => {
    expect(await offerDigital([NAME_MDOC])).toMatchObject({
      disclosed: { length: 2 },
      credential: { data: { response: expect.any(String) } },
    })
  })

  it('refuses a request for two credentials', async () => {
    expect(await offerDigital([NAME_MDOC, NAME_SD_JWT])).toEqual({
      refused: 'only one credential by the browser API',
    })
  })

  it('refuses a protocol that it does not know', async () => {
    expect(await offerDigital([NAME_MDOC], 'org-iso-mdoc')).toEqual({
      refused: 'the exchange protocol is not supported',
    })
  })
})

function transaction(changes: object = {}): string {
  const data = { type: 'qes_authorization', credential_ids: ['pid'], ...changes }
  return Buffer.from(JSON.stringify(data)).toString('base64url')
}
