// api/request, api/verifier: identities of the verifier other than the service's own certificate. A running
// session keeps its identity when certificates and keys change.

import { describe, expect, it } from 'vitest'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { type DidDocument, resolveDidWeb } from '../../support/certificates/verifier-key.ts'
import type { DigitalRequest } from '../../support/linters/dc-api-linter.ts'
import { makeAttester } from '../../support/people/attester.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import { ageOf } from '../../support/people/person.ts'
import { createWallet } from '../../support/people/wallet.ts'
import { BASE_URL, expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import {
  type Begun,
  begin,
  relyingPartyOf,
  respondWithAge,
  useOwnStage,
} from '../../support/service/stage.ts'

const stage = useOwnStage()
const root = await mintRoot()
const attester = await makeAttester()

/**
 * Creates a verifier as the settings accept it: a certificate of another authority than the service's, and
 * its key.
 */
async function makeVerifier() {
  const leaf = await mintLeaf(root, { altNames: [{ type: 'dns', value: 'verifier.example' }] })
  const { kty, crv, x, y, d } = leaf.privateJwk
  return { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: leaf.pem }
}

type Verifier = Awaited<ReturnType<typeof makeVerifier>>

function asking(client_id_prefix: string) {
  return { ...OVER_18, request_options: { client_id_prefix } }
}

/** Creates a wallet that trusts the other authority and the attester. */
function walletOf() {
  return createWallet({ fetch: stage.service.fetch, verifierCa: root.pem, attestationIssuer: attester })
}

async function setVerifier(rp: RelyingParty, verifier: Verifier | null): Promise<void> {
  await expectStatus(await rp.call('PATCH', '/v1/relying_party', { body: { verifier } }), 200)
}

async function keysOf(did: string): Promise<readonly string[]> {
  const { verificationMethod } = await resolveDidWeb(did, stage.service.fetch)
  return verificationMethod.map(({ publicKeyJwk }) => publicKeyJwk.x ?? '')
}

async function expectVerified(rp: RelyingParty, { session, request }: Begun): Promise<void> {
  expect((await respondWithAge(stage, request)).status).toBe(200)
  expect((await rp.poll(session.verification_id)).status).toBe('verified')
}

describe('decentralized_identifier', () => {
  it('api/verifier: is the service’s did:web for a relying party without a key', async () => {
    const { wallet_request } = await stage.rp.create(asking('decentralized_identifier'))
    expect(wallet_request.client_id).toBe('decentralized_identifier:did:web:verifier.example')
  })

  it('api/verifier: is the relying party’s own did:web if it has a key, and a foreign wallet’s response verifies', async () => {
    const rp = await relyingPartyOf(stage, { verifier: await makeVerifier() })
    const begun = await begin(stage, asking('decentralized_identifier'), { rp })
    const id = rp.relying_party_id.slice('rp_'.length)
    expect(begun.request.payload.client_id).toBe(`decentralized_identifier:did:web:verifier.example:rp:${id}`)
    await expectVerified(rp, begun)
  })

  it('api/verifier: a response whose audience is the DID without the prefix gets 400', async () => {
    const begun = await begin(stage, asking('decentralized_identifier'))
    const answer = await respondWithAge(stage, begun.request, { audience: 'did:web:verifier.example' })
    expect(answer.status).toBe(400)
    await expectVerified(stage.rp, begun)
  })

  const protocols = ['haip-1.0', 'openid4vp-draft24', 'openid4vp-draft18']
  const prefixes = ['decentralized_identifier', 'verifier_attestation']
  it.each(protocols.flatMap((protocol) => prefixes.map((prefix) => [prefix, protocol] as const)))(
    'api/verifier: a create request with the prefix %s gets 422 in %s',
    async (prefix, protocol) => {
      const body = { ...asking(prefix), protocol }
      const response = await stage.rp.call('POST', '/v1/verify', { body })
      expect(await expectStatus(response, 422)).toMatchObject({
        code: 'policy_unsatisfiable',
        errors: [{ pointer: '/request_options/client_id_prefix', code: 'not_in_protocol' }],
      })
    },
  )

  it('api/verifier: the DID document of a relying party is served with no-cache, or gets 404 if the relying party has no key', async () => {
    const rp = await relyingPartyOf(stage, { verifier: await makeVerifier() })
    const path = (id: string) => `${BASE_URL}/rp/${id.slice('rp_'.length)}/did.json`
    const found = await stage.service.fetch(path(rp.relying_party_id))
    const headers = ['content-type', 'cache-control', 'access-control-allow-origin']
    expect([found.status, ...headers.map((name) => found.headers.get(name))]).toEqual([
      200,
      'application/did+json',
      'no-cache',
      '*',
    ])
    expect(((await found.json()) as DidDocument).id).toMatch(/^did:web:verifier\.example:rp:/)
    for (const id of [stage.rp.relying_party_id, `rp_${'A'.repeat(43)}`, 'rp_x', 'rp_..']) {
      expect((await stage.service.fetch(path(id))).status).toBe(404)
    }
    const head = await stage.service.fetch(path(rp.relying_party_id), { method: 'HEAD' })
    expect(head.status).toBe(200)
  })

  it('api/verifier: has no DID document after the relying party is deleted', async () => {
    const rp = await relyingPartyOf(stage, { verifier: await makeVerifier() })
    const did = `did:web:verifier.example:rp:${rp.relying_party_id.slice('rp_'.length)}`
    expect(await keysOf(did)).toHaveLength(1)
    await stage.service.admin('DELETE', `/${rp.relying_party_id}`)
    await expect(keysOf(did)).rejects.toThrow('HTTP 404')
  })
})

describe('verifier_attestation', () => {
  const attested = asking('verifier_attestation')

  /** Creates a verifier whose key is attested. `claims` replace good claims. */
  async function attestedVerifier(claims: object = {}) {
    const verifier = await makeVerifier()
    return { ...verifier, attestation_jwt: await attester.attest(verifier.signing_jwk, claims) }
  }

  it.each(['direct_post.jwt', 'direct_post'])(
    'api/verifier: makes a request that a foreign wallet accepts if it trusts the attester, and the response verifies: %s',
    async (response_mode) => {
      const holder = await makeMdocPerson()
      const rp = await relyingPartyOf(stage, {
        verifier: await attestedVerifier(),
        trust_anchors: [stage.authority.anchor(), holder.anchor()],
      })
      const request_options = { ...attested.request_options, response_mode }
      for (const format of ['dc+sd-jwt', 'mso_mdoc']) {
        const session = await rp.create({ ...attested, request_options, formats: [format] })
        const request = await walletOf().receive(session.wallet_request.uri)
        expect(request.payload.client_id).toBe('verifier_attestation:verifier.example')
        const answer = format === 'mso_mdoc' ? mdocAgeOf(holder, request) : ageOf(stage.person, request)
        expect((await walletOf().present(request, await answer)).status).toBe(200)
        expect((await rp.poll(session.verification_id)).status).toBe('verified')
      }
    },
  )

  it('api/verifier: is shown in the settings, which never show the key', async () => {
    const verifier = await attestedVerifier()
    const rp = await relyingPartyOf(stage, { verifier })
    const { signing_jwk, ...shown } = verifier
    const settings = await expectStatus(await rp.call('GET', '/v1/relying_party'), 200)
    expect(settings).toMatchObject({ verifier: shown })
    expect(JSON.stringify(settings)).not.toContain(signing_jwk.d)
    await setVerifier(rp, await makeVerifier())
    expect(await expectStatus(await rp.call('GET', '/v1/relying_party'), 200)).toMatchObject({
      verifier: { attestation_jwt: null },
    })
  })

  const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
  it.each([
    ['attestation_missing', async () => null],
    ['attestation_missing', makeVerifier],
    ['attestation_expired', () => attestedVerifier({ exp: inSeconds(500) })],
    ['attestation_not_yet_valid', () => attestedVerifier({ nbf: inSeconds(60) })],
  ])(
    'api/verifier: a create request gets 422 %s if no attestation is valid for a session of 600 seconds',
    async (code, make) => {
      const rp = await relyingPartyOf(stage, { verifier: await make() })
      const response = await rp.call('POST', '/v1/verify', { body: attested })
      expect(await expectStatus(response, 422)).toMatchObject({
        code: 'policy_unsatisfiable',
        errors: [{ pointer: '/request_options/client_id_prefix', code }],
      })
    },
  )

  it('api/verifier: is accepted if the attestation expires in 500 seconds and the session in 120 seconds', async () => {
    const rp = await relyingPartyOf(stage, { verifier: await attestedVerifier({ exp: inSeconds(500) }) })
    const session = await rp.create({ ...attested, expires_in: 120 })
    await walletOf().receive(session.wallet_request.uri)
  })

  it('api/verifier: does not change while a session runs', async () => {
    const rp = await relyingPartyOf(stage, { verifier: await attestedVerifier({ sub: 'first.example' }) })
    const session = await rp.create(attested)
    await setVerifier(rp, await attestedVerifier({ sub: 'second.example' }))
    const next = await rp.create(attested)
    await setVerifier(rp, null)
    for (const [name, one] of Object.entries({ first: session, second: next })) {
      const request = await walletOf().receive(one.wallet_request.uri)
      expect(request.payload.client_id).toBe(`verifier_attestation:${name}.example`)
      await expectVerified(rp, { session: one, request })
    }
  })
})

describe('the Digital Credentials API', () => {
  const SHOP = 'https://shop.example'
  it.each(['x509_hash', 'decentralized_identifier', 'verifier_attestation'])(
    'api/verifier: gets a request signed with the session’s verifier identity, even after the settings changed: %s',
    async (prefix) => {
      const verifier = await makeVerifier()
      const attestation_jwt = await attester.attest(verifier.signing_jwk)
      const rp = await relyingPartyOf(stage, { origins: [SHOP], verifier: { ...verifier, attestation_jwt } })
      const { verification_id, wallet_request } = await rp.create(asking(prefix))
      await setVerifier(rp, null)
      const post = async (path: string, body: object) =>
        expectStatus(await rp.call('POST', `/v1/verify/${verification_id}/dc-api${path}`, { body }), 200)
      const { digital } = (await post('/request', {})) as { digital: { requests: DigitalRequest[] } }
      const { fetch } = stage.service
      const browser = { origin: SHOP, verifierCa: root.pem, attestationIssuer: attester, fetch }
      const request = await receiveDigital(digital.requests[0]!, browser)
      expect(request.payload.client_id).toBe(wallet_request.client_id)
      const answer = await ageOf(stage.person, request, { audience: `origin:${SHOP}` })
      const credential = await respondDigital(request, answer, browser)
      expect(await post('', credential)).toMatchObject({ status: 'verified', channel: 'dc_api' })
    },
  )
})

describe('a rotation of the relying party’s identity', () => {
  it.each(['x509_hash', 'x509_san_dns', 'decentralized_identifier'])(
    'api/verifier: does not affect running sessions: %s',
    async (prefix) => {
      const [first, second] = [await makeVerifier(), await makeVerifier()]
      const rp = await relyingPartyOf(stage, { verifier: first })
      const wallet = walletOf()
      const fetchedBefore = await rp.create(asking(prefix))
      const request = await wallet.receive(fetchedBefore.wallet_request.uri)
      const fetchedAfter = await rp.create(asking(prefix))
      await setVerifier(rp, second)
      const born = await rp.create(asking(prefix))
      await setVerifier(rp, null)

      await expectVerified(rp, { session: fetchedBefore, request })
      for (const session of [fetchedAfter, born]) {
        await expectVerified(rp, { session, request: await wallet.receive(session.wallet_request.uri) })
      }
      const [before, after] = [fetchedAfter, born].map(({ wallet_request }) => wallet_request.client_id)
      // Only the hash changes with a certificate.
      expect(before !== after).toBe(prefix === 'x509_hash')
      const did = `did:web:verifier.example:rp:${rp.relying_party_id.slice('rp_'.length)}`
      expect(await keysOf(did)).toEqual([second.signing_jwk.x, first.signing_jwk.x])
    },
  )
})

describe('a rotation of the service’s identity', () => {
  it('api/verifier: does not affect running sessions, and the DID document contains the new key and the old key', async () => {
    const prefixes = ['x509_hash', 'x509_san_dns', 'decentralized_identifier']
    const fetched = await Promise.all(prefixes.map((prefix) => begin(stage, asking(prefix))))
    const created = await Promise.all(prefixes.map((prefix) => stage.rp.create(asking(prefix))))
    const did = 'did:web:verifier.example'
    const document = await resolveDidWeb(did, stage.service.fetch)
    const old = document.verificationMethod.map(({ publicKeyJwk }) => publicKeyJwk)
    const { signing_jwk, certificate_chain_pem } = await makeVerifier()
    await stage.service.server.restart({
      VERIFIER_SIGNING_JWK: JSON.stringify(signing_jwk),
      VERIFIER_CERTIFICATE_CHAIN_PEM: certificate_chain_pem,
      VERIFIER_FURTHER_KEYS: JSON.stringify({ keys: old }),
    })
    expect(await keysOf(did)).toEqual([signing_jwk.x, old[0]?.x])

    for (const begun of fetched) await expectVerified(stage.rp, begun)
    for (const session of created) {
      const request = await stage.service.wallet.receive(session.wallet_request.uri)
      await expectVerified(stage.rp, { session, request })
    }
    for (const prefix of prefixes) {
      const session = await stage.rp.create(asking(prefix))
      const request = await walletOf().receive(session.wallet_request.uri)
      await expectVerified(stage.rp, { session, request })
    }
  })
})
