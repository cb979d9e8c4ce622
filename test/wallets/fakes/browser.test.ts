// The fakes of wallets that a browser reaches beside their links: each case changes one thing of a good
// request of the Digital Credentials API.

import { describe, expect, it } from 'vitest'
import { euAgeAndroid } from '../../support/wallets/eu/eu-age-android.ts'
import { eudiAndroid } from '../../support/wallets/eu/eudi-android.ts'
import { valera } from '../../support/wallets/eu/valera.ts'
import type { DigitalRequest, FakeWallet } from '../../support/wallets/fake-wallet.ts'
import {
  AGE_MDOC,
  apply,
  goodHeader,
  goodPayload,
  makeStages,
  NAME_MDOC,
  NAME_SD_JWT,
  offerValue,
  signRequest,
} from '../../support/wallets/good-request.ts'
import type { CredentialQuery } from '../../support/wallets/request-object.ts'
import { credo } from '../../support/wallets/world/credo.ts'
import { multipaz } from '../../support/wallets/world/multipaz.ts'

const [stage, other] = await makeStages()
const { verifier } = stage
const ORIGIN = 'https://shop.example'
const SIGNED = 'openid4vp-v1-signed'
const UNSIGNED = 'openid4vp-v1-unsigned'
const MULTI = { protocol: 'openid4vp-v1-multisigned', data: {} }
type Members = Readonly<Record<string, unknown>>

/** A good request with these changes by path. */
async function request(
  queries: readonly CredentialQuery[],
  changes: Members = {},
  { protocol = SIGNED, signer = verifier } = {},
): Promise<DigitalRequest> {
  const { response_uri: _, state: __, ...good } = goodPayload(verifier, queries)
  const parts = { payload: { ...good, response_mode: 'dc_api.jwt', expected_origins: [ORIGIN] } as never }
  apply({ also: changes }, parts)
  if (protocol === UNSIGNED) {
    const { client_id, expected_origins, aud, iat, exp, ...data } = parts.payload as Members
    return { protocol, data: 'payload.client_id' in changes ? { ...data, client_id } : data }
  }
  const text = await signRequest(goodHeader(verifier), parts.payload, signer.leaf.privateJwk)
  return { protocol, data: { request: text } }
}

function answer(wallet: FakeWallet, digital: DigitalRequest, requests = [digital], origin = ORIGIN) {
  const surroundings = { ...stage, verifierCa: verifier.root.pem, fetch: () => Promise.reject() }
  return wallet.answer({ digital, origin, requests }, surroundings)
}

/** The audience of the presentation in an answer in the clear. */
async function audienceOf(wallet: FakeWallet, protocol: string): Promise<unknown> {
  const metadata = 'payload.client_metadata.encrypted_response_enc_values_supported'
  const clear = { 'payload.response_mode': 'dc_api', [metadata]: undefined }
  const given = await answer(wallet, await request([NAME_SD_JWT], clear, { protocol }))
  if (!('credential' in given)) throw new Error(JSON.stringify(given))
  const token = given.credential.data.vp_token as Readonly<Record<string, readonly string[]>>
  const keyBinding = token.pid?.[0]?.split('~').at(-1) ?? ''
  return JSON.parse(Buffer.from(keyBinding.split('.')[1] ?? '', 'base64url').toString()).aud
}

it.each([
  ['Valera', valera],
  ['Credo', credo],
  ['Multipaz', multipaz],
])(
  '%s presents an SD-JWT VC with the origin as audience, whether the request is signed or not',
  async (_, wallet) => {
    for (const protocol of [SIGNED, UNSIGNED]) {
      expect(await audienceOf(wallet, protocol)).toBe(`origin:${ORIGIN}`)
    }
  },
)

it.each([
  ['EUDI wallet', eudiAndroid],
  ['age verification app', euAgeAndroid],
])(
  'the %s on Android reads only the first request of a call of the Digital Credentials API',
  async (_, wallet) => {
    const [signed, iso] = [await request([AGE_MDOC]), { protocol: 'org-iso-mdoc', data: {} }]
    const refused = 'the first request is not org-iso-mdoc'
    expect(await answer(wallet, iso, [signed, iso])).toEqual({ refused })
    expect(await answer(wallet, signed)).toEqual({ refused })
    expect(await answer(wallet, iso)).toEqual({ refused: 'malformed DeviceRequest or EncryptionInfo' })
  },
)

it('a link with the scheme openid4vp or avsp opens the age verification app on Android only with the right host', async () => {
  const refused = 'the link does not open the app'
  for (const [base, host] of [
    ['openid4vp', 'authorize'],
    ['avsp', 'present'],
  ] as const) {
    const plain = await offerValue(euAgeAndroid, stage, { queries: [AGE_MDOC], change: { scheme: base } })
    expect(plain.answer).toEqual({ refused })
    const change = { base: `${base}://${host}` }
    const { answer: opened } = await offerValue(euAgeAndroid, stage, { queries: [AGE_MDOC], change })
    expect(opened).toMatchObject({ disclosed: [{ claim: 'age_over_18' }] })
  }
})

describe('Valera', () => {
  it('answers one request with one credential, even if it can decode two requests of the call', async () => {
    const [signed, unsigned] = [
      await request([NAME_MDOC]),
      await request([NAME_MDOC], {}, { protocol: UNSIGNED }),
    ]
    for (const digital of [signed, unsigned]) {
      const given = await answer(valera, digital, [signed, unsigned])
      expect(given).toMatchObject({ disclosed: { length: 2 }, credential: { protocol: digital.protocol } })
    }
  })

  it('does not verify the signature of a request', async () => {
    const digital = await request([NAME_MDOC], {}, { protocol: SIGNED, signer: other })
    expect(await answer(valera, digital)).toMatchObject({ disclosed: { length: 2 } })
  })

  it.each([
    ['for two credentials', [NAME_MDOC, NAME_SD_JWT], {}, 'no single credential satisfies the query'],
    ['for another page', [NAME_MDOC], { 'payload.expected_origins': [] }, 'expected_origins lacks the page'],
    [
      'with a client_id other than that of its certificate',
      [NAME_MDOC],
      { 'payload.client_id': 'x509_hash:AA' },
      'the Client Identifier is not that of the certificate',
    ],
  ])('refuses a request %s', async (_, queries, changes, refused) => {
    expect(await answer(valera, await request(queries, changes))).toEqual({ refused })
  })

  it('refuses a Client Identifier in an unsigned request', async () => {
    const digital = await request([NAME_MDOC], { 'payload.client_id': 'a' }, { protocol: UNSIGNED })
    expect(await answer(valera, digital)).toEqual({ refused: 'client_id in an unsigned request' })
  })

  it('refuses the whole call if one request has a protocol that it cannot decode', async () => {
    const signed = await request([NAME_MDOC])
    expect(await answer(valera, signed, [MULTI, signed])).toEqual({
      refused: 'the protocol openid4vp-v1-multisigned cannot be decoded',
    })
  })
})

describe('Multipaz', () => {
  it.each([
    ['for another format', { 'query.format': 'jwt_vc_json' }, 'the format jwt_vc_json is not supported'],
    [
      'for a credential that it lacks',
      { 'query.meta': { doctype_value: 'other' } },
      'no credentials match the query',
    ],
  ])('refuses a signed request %s', async (_, changes, refused) => {
    expect(await answer(multipaz, await request([NAME_MDOC], changes))).toEqual({ refused })
  })

  it('refuses a signature of another key', async () => {
    const digital = await request([NAME_MDOC], {}, { protocol: SIGNED, signer: other })
    expect(await answer(multipaz, digital)).toEqual({
      refused: 'the signature of the request object does not verify',
    })
  })
})
