// api/trust: settings stored before the sandbox's anchors were rejected may still have such an anchor. In
// live mode it vouches for nothing. Its issuer stays anchored, so no other authority vouches for it either.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import identities from '../../../assets/sandbox/identities.json' with { type: 'json' }
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import { forgetSettings } from '../../../src/relying-party/settings/settings-cache.ts'
import root from '../../../src/trust/anchors/sandbox-root.json' with { type: 'json' }
import { issueSdJwtVc, type KeyPair, makeKey, presentSdJwtVc } from '../../support/people/issuer.ts'
import {
  fetchedSession,
  ISSUER,
  poll,
  post,
  type Setting,
  setUp,
  stubOf,
  type WalletRequest,
} from '../driver.ts'

const { jwk, certificate } = identities.identities.good
const { d: _, ...publicJwk } = jwk
const SANDBOX = { alg: 'ES256', privateJwk: jwk, publicJwk } as unknown as KeyPair
const DID = `did:jwk:${Buffer.from(JSON.stringify(publicJwk)).toString('base64url')}`
const pem = `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`
const SHARED = { name: 'Stored', credential_types: ['age_attestation'], assurance_level: 'high' }

const FORMS: readonly [string, object, string, (readonly string[])?][] = [
  ['the key of the sandbox issuer', { issuer: ISSUER, jwks: { keys: [publicJwk] } }, ISSUER],
  ['the key of the sandbox issuer as a DID', { did: DID }, DID],
  ['the certificate of the sandbox issuer', { x509_certificate_pem: pem }, ISSUER, [certificate]],
  ['the sandbox root', root, ISSUER, [certificate]],
]

it.each(FORMS)(
  '%s is not trusted if it is stored as a trust anchor in live mode',
  async (_name, mechanism, iss, x5c) => {
    const setting = await setUp()
    const session = await respond(setting, [{ ...SHARED, ...mechanism }], { issuer: SANDBOX, iss, x5c })
    expect(session).toMatchObject({ status: 'pending', attempts: [{ reason: { code: 'untrusted_issuer' } }] })
  },
)

it.each([
  ['while its relying party is in test mode', false, {}, 200],
  ['that is restricted to a set of anchors', false, { anchor_sets: ['banks'] }, 200],
  ['only until its relying party becomes live', true, {}, 400],
])('the sandbox root is trusted in a test session %s', async (_, livemode, body, status) => {
  const other = { ...SHARED, issuer: 'https://bank.example', jwks: { keys: [(await makeKey()).publicJwk] } }
  const setting = await setUp({}, [{ ...other, sets: ['banks'] }])
  const { id, request } = await fetchedSession(setting, body)
  await changeSettings(setting, { livemode })
  const issuing = { issuer: SANDBOX, iss: 'https://sandbox.invalid', x5c: [certificate] }
  expect((await present(setting, id, request, issuing)).status).toBe(status)
})

it('a key other than the sandbox key is trusted for its issuer if it is stored as a trust anchor in live mode', async () => {
  const setting = await setUp()
  const issuer = await makeKey()
  const anchor = { ...SHARED, issuer: ISSUER, jwks: { keys: [issuer.publicJwk] } }
  expect(await respond(setting, [anchor], { issuer, iss: ISSUER })).toMatchObject({ status: 'verified' })
})

type Issuing = {
  readonly issuer: KeyPair
  readonly iss: string
  readonly x5c?: readonly string[] | undefined
}

/** Stores the anchors past the admin API, makes the session live, answers it, and returns it. */
async function respond(setting: Setting, trust_anchors: readonly object[], issuing: Issuing) {
  const { id, request } = await fetchedSession(setting)
  await change(stubOf(id), 'session', { livemode: true })
  await changeSettings(setting, { trust_anchors })
  await present(setting, id, request, issuing)
  return poll(setting, id)
}

async function present(
  { holder }: Setting,
  id: string,
  { nonce, state, client_id }: WalletRequest,
  { issuer, iss, x5c }: Issuing,
): Promise<Response> {
  const iat = Math.floor(Date.now() / 1000)
  const credential = await issueSdJwtVc({
    ...{ issuer, holder },
    claims: { iss, vct: 'urn:eu.europa.ec.av:1', iat, age_over_18: true },
    disclosable: { _sd: ['age_over_18'] },
    ...(x5c && { x5c }),
  })
  const presented = await presentSdJwtVc(credential, { holder, nonce, audience: client_id, iat })
  return post(id, { vp_token: JSON.stringify({ age_attestation: [presented] }), state })
}

async function changeSettings({ relyingPartyId }: Setting, changes: object): Promise<void> {
  const relyingParty = relyingPartyStub(env, relyingPartyId)
  if (relyingParty === undefined) throw new Error('no relying party')
  await change(relyingParty, 'document', changes)
  forgetSettings(relyingPartyId)
}

async function change(stub: DurableObjectStub, key: string, changes: object): Promise<void> {
  await runInDurableObject(stub, (_, { storage }) => {
    storage.kv.put(key, { ...storage.kv.get<object>(key), ...changes })
  })
  await evictDurableObject(stub)
}
