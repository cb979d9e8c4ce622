// `verifier.attestation_jwt` of the settings: validated when it is set, because a wallet would reject the
// request.

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { relyingPartyStub, toRelyingPartyId } from '../../src/relying-party/document/identifier.ts'
import { creationSchema, patchSchema } from '../../src/relying-party/settings/settings-schema.ts'
import { makeAttester } from '../support/people/attester.ts'
import { TEST_ENVIRONMENT, VERIFIER_CERTIFICATE_PEM } from '../support/service/environment.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const SECONDS = NOW / 1000
const RULES = { now: NOW, baseUrl: 'https://verifier.example', allowLoopback: false, trustLists: [] }
const attester = await makeAttester()
const signing_jwk = JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK)

async function bodyWith(claims: object) {
  const attestation_jwt = await attester.attest(signing_jwk, { exp: SECONDS + 60, ...claims })
  const certificate_chain_pem = VERIFIER_CERTIFICATE_PEM
  return { name: 'Shop', verifier: { signing_jwk, certificate_chain_pem, attestation_jwt } }
}

async function errorsOf(body: object): Promise<readonly string[]> {
  const parsed = await creationSchema(RULES).safeParseAsync(body)
  return parsed.error?.issues.map(({ path, message }) => `/${path.join('/')} ${message}`) ?? []
}

it.each([
  ['must not have expired', { exp: SECONDS }],
  ['its cnf.jwk must be the public half of signing_jwk', { cnf: {} }],
  ['must not have redirect_uris', { redirect_uris: ['https://verifier.example/callback'] }],
])('an attestation is refused with the message: %s', async (fault, claims) => {
  const [found = '', ...others] = await errorsOf(await bodyWith(claims))
  expect(found.startsWith(`/verifier/attestation_jwt ${fault}`)).toBe(true)
  expect(others).toEqual([])
})

it.each([[{}], [{ exp: SECONDS + 1 }], [{ nbf: SECONDS + 30 }]])(
  'an attestation is accepted with the changed claims %j',
  async (claims) => {
    expect(await errorsOf(await bodyWith(claims))).toEqual([])
  },
)

it('an attestation is stored, and shown without the key', async () => {
  const body = await bodyWith({})
  const id = env.RELYING_PARTY.newUniqueId()
  const stub = relyingPartyStub(env, toRelyingPartyId(id))!
  await stub.create(await creationSchema(RULES).parseAsync(body), NOW)
  expect(await stub.settings()).toMatchObject({ ok: true, value: { verifier: body.verifier } })
  const { signing_jwk: _, ...shown } = body.verifier
  const view = await stub.view()
  expect(view.ok && view.value.verifier).toEqual(shown)
})

it('an attestation is required if the settings prefer verifier_attestation, in whichever order the two are set', async () => {
  const request_options = { client_id_prefix: 'verifier_attestation' } as const
  const { name, verifier } = await bodyWith({})
  const { attestation_jwt: _, ...unattested } = verifier
  const needed = 'verifier must have an attestation_jwt when client_id_prefix is verifier_attestation'
  expect(await errorsOf({ name, request_options, verifier })).toEqual([])
  expect(await errorsOf({ name, request_options })).toEqual([`/request_options/client_id_prefix ${needed}`])
  expect(await errorsOf({ name, request_options, verifier: unattested })).toEqual([
    `/verifier/attestation_jwt ${needed}`,
  ])
  const current = { livemode: false, request_options, verifier }
  const patched = async (patch: object, before: typeof current | { livemode: boolean } = current) => {
    const parsed = await patchSchema(RULES, before).safeParseAsync(patch)
    return parsed.error?.issues.map(({ path }) => `/${path.join('/')}`) ?? []
  }
  expect(await patched({ name: 'Other' })).toEqual([])
  expect(await patched({ verifier })).toEqual([])
  expect(await patched({ verifier: unattested })).toEqual(['/verifier/attestation_jwt'])
  expect(await patched({ verifier: null })).toEqual(['/verifier'])
  expect(await patched({ verifier: null, request_options: {} })).toEqual([])
  expect(await patched({ request_options }, { livemode: false })).toEqual([
    '/request_options/client_id_prefix',
  ])
})
