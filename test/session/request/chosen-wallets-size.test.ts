// The document of a session in which wallets are chosen, one after the other. It is one stored value, and
// must leave room for the largest encrypted claims.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { decodeProtectedHeader } from 'jose'
import { expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { pinWallet } from '../../../src/session/request/lowered-wallet.ts'
import { walletTerms, withWallet } from '../../../src/session/request/terms.ts'
import { WALLET_PROFILES } from '../../../src/wallets/profiles/index.ts'
import { ask, createSession, fetchRequestRaw, setUp, stubOf } from '../driver.ts'

/** Largest value in the storage of an object, and the largest claims of `encrypted-claims.ts` as a JWE. */
const VALUE_BYTES = 2 * 1024 * 1024
const CLAIMS_BYTES = (850_000 * 16) / 9

const DID = { request_options: { client_id_prefix: 'decentralized_identifier' } }
const PID = { ...DID, credential_types: ['pid'], scope: ['family_name'], formats: ['mso_mdoc'] }

function documentOf(id: string): Promise<SessionDocument> {
  return runInDurableObject(stubOf(id), (_, state) => state.storage.kv.get('session') as SessionDocument)
}

it('the requests for two wallets are signed with the same verifier identity, which is stored once', async () => {
  const setting = await setUp()
  const { verification_id: id } = await createSession(setting, PID)
  const chains = []
  for (const wallet of ['eudi-android', 'eudi-ios']) {
    expect((await ask(setting, 'GET', id, `/qr?wallet=${wallet}`)).status).toBe(200)
    const view = await ask(setting, 'GET', id, '/openid4vp')
    const { wallet_request } = (await view.json()) as { wallet_request: Record<string, string> }
    expect(wallet_request).toMatchObject({ wallet, client_id: expect.stringMatching(/^x509_hash:/) })
    const request = await (await fetchRequestRaw(wallet_request.request_uri ?? '')).text()
    chains.push(decodeProtectedHeader(request).x5c)
  }
  expect(chains[0]).toHaveLength(1)
  expect(chains[1]).toEqual(chains[0])
  const [android, ios] = (await documentOf(id)).wallets ?? []
  expect(android?.verifier).toHaveProperty('sealed_signing_jwk')
  expect(ios?.verifier).toEqual({ of: 'eudi-android' })
})

it('a session stays small even if it stores every wallet with an identity and a query of maximum size', async () => {
  const { verification_id: id } = await createSession(await setUp(), DID)
  const claims = Array.from({ length: 50 }, (_, i) => ({ path: [`${i}${'x'.repeat(190)}`] }))
  const query = { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['urn:a'] }, claims }] }
  const identity = {
    clientId: `x509_hash:${'x'.repeat(43)}`,
    proof: { x5c: ['x'.repeat(2_000), 'x'.repeat(2_000)] },
    signingJwk: { kty: 'EC', crv: 'P-256', x: 'x'.repeat(43), y: 'x'.repeat(43), d: 'x'.repeat(43) },
    verifierInfo: [
      { format: 'registration_cert', data: 'x'.repeat(16_384) },
      { format: 'registrar_dataset', data: { purpose: 'x'.repeat(8_000) } },
    ],
  } as const
  const identities = [
    { client_id_prefix: 'x509_hash' },
    { client_id_prefix: 'x509_hash', include_root: true },
    { client_id_prefix: 'x509_san_dns' },
    { client_id_prefix: 'x509_san_dns', include_root: true },
    { client_id_prefix: 'verifier_attestation' },
  ] as const
  let document = await documentOf(id)
  for (const [i, profile] of WALLET_PROFILES.entries()) {
    const { client_id_prefix, ...root } = identities[i % identities.length] ?? identities[0]
    const chosen = {
      id: profile.id,
      query,
      request_options: { client_id_prefix, response_mode: 'direct_post', request_uri_method: 'get' },
      link: 'openid4vp',
      links: { openid4vp: 'openid4vp' },
      dc_api_protocols: [],
      ...root,
      identity,
    } as const
    document = withWallet(document, await pinWallet(loadConfig(env), document, chosen))
  }
  const { wallets = [] } = document
  expect(wallets).toHaveLength(WALLET_PROFILES.length)
  for (const wallet of wallets) {
    expect(walletTerms(document, wallet).verifier.client_id).toBe(identity.clientId)
  }
  expect(JSON.stringify(document).length).toBeLessThan(VALUE_BYTES - CLAIMS_BYTES)
})
