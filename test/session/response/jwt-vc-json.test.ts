// A W3C credential whose holder is a DID on the web (api/protocols). An unavailable document does not make
// the credential invalid.

import { afterEach, expect, it, vi } from 'vitest'
import { didJwkOf, signJose } from '../../support/people/jwt-vc.ts'
import {
  createSession,
  fetchRequest,
  ISSUER,
  poll,
  post,
  type Setting,
  setUp,
  type WalletRequest,
} from '../driver.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('holder_key_unavailable: a response gets 503 and adds an attempt if the DID document is unavailable; a later response succeeds', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 500 }))
  const setting = await setUp()
  const session = await createSession(setting, { formats: ['jwt_vc_json'] })
  const id: string = session.verification_id
  const request = await fetchRequest(session.wallet_request.request_uri)
  const answer = await post(id, await heldBy('did:web:holder.example.com', setting, request))
  expect([answer.status, await answer.json()]).toMatchObject([503, { error: 'temporarily_unavailable' }])
  expect(answer.headers.get('Retry-After')).toMatch(/^\d+$/)
  expect(await poll(setting, id)).toMatchObject({
    status: 'pending',
    attempts: [{ reason: { code: 'holder_key_unavailable', retryable: true } }],
  })
  const { did } = didJwkOf(setting.holder)
  expect((await post(id, await heldBy(did, setting, request))).status).toBe(200)
  expect(await poll(setting, id)).toMatchObject({ status: 'verified', format: 'jwt_vc_json' })
})

/** Returns the parameters of a response with a credential of this holder. */
async function heldBy(sub: string, { issuer, holder }: Setting, { client_id, nonce, state }: WalletRequest) {
  const type = ['VerifiableCredential', 'AgeAttestationCredential']
  const vc = { type, credentialSubject: { age_over_18: true } }
  const credential = await signJose({ iss: ISSUER, sub, vc }, issuer)
  const vp = { type: ['VerifiablePresentation'], verifiableCredential: [credential] }
  const presentation = await signJose({ aud: client_id, nonce, vp }, holder)
  return { vp_token: JSON.stringify({ age_attestation: [presentation] }), state }
}
