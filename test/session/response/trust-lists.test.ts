// api/trust: sessions of a relying party while one of its lists appears, is unavailable, grows stale and
// returns.

import { afterEach, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { ADMIN, call } from '../../routes/edge/edge-app.ts'
import { type IssuerPki, type Minted, mintIssuerPki } from '../../support/certificates/certificates.ts'
import { LIST_NOW, mintListSigner, PID_ISSUANCE, signLote } from '../../support/certificates/trust-lists.ts'
import { issueSdJwtVc, presentSdJwtVc } from '../../support/people/issuer.ts'
import { createSession, fetchRequest, poll, post, type Setting, setUp } from '../driver.ts'

const NOW = LIST_NOW * 1000
const HOUR = 3_600_000
const app = createApp()

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('credentials are verified with the last good trust list until it is stale, then get 503 until a good list is received', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  const [pki, signer] = await Promise.all([mintIssuerPki(), mintListSigner()])
  const list = await signLote(signer, { services: [{ certificates: [pki.root.x5c] }] })
  publish(() => new Response(list))
  await keep('eu', signer)
  const own = await mintIssuerPki({ leaf: { keyUsage: ['keyEncipherment'] } })
  const anchor = { name: 'own', credential_types: ['age_attestation'], assurance_level: 'high' }
  const trust_anchors = [{ ...anchor, x509_ca_pem: own.root.pem }]
  const setting = await setUp({ anchor_sets: ['eu'], trust_anchors })
  expect(await begin(setting, pki)).toMatchObject({ status: 200, session: { status: 'verified' } })
  expect(await begin(setting, own)).toMatchObject({
    status: 400,
    session: { attempts: [{ reason: { code: 'certificate_profile_violation' }, detail: 'key_usage' }] },
  })

  publish(() => new Response('', { status: 500 }))
  vi.setSystemTime(NOW + 24 * HOUR - 1000)
  await call(app, 'POST', '/v1/admin/trust_lists/eu/refresh', { headers: ADMIN })
  const inTime = await begin(setting, pki)
  expect(inTime).toMatchObject({
    status: 200,
    session: { status: 'verified', trust_lists: [{ name: 'eu', trust_as_of: '2046-11-21T12:00:00.000Z' }] },
  })

  vi.setSystemTime(NOW + 24 * HOUR)
  const late = await begin(setting, pki)
  expect(late).toMatchObject({
    status: 503,
    session: { status: 'pending', attempts: [{ reason: { code: 'trust_list_unavailable' } }] },
  })
  expect(await begin(setting, own)).toMatchObject({
    status: 503,
    session: { attempts: [{ reason: { code: 'trust_list_unavailable' }, detail: null }] },
  })
  publish(() => new Response(list))
  await call(app, 'POST', '/v1/admin/trust_lists/eu/refresh', { headers: ADMIN })
  expect(await late.again()).toMatchObject({ status: 200, session: { status: 'verified' } })
})

/** Returns a session, and the result of a response with a credential below these certificates. */
async function begin(setting: Setting, { leaf, intermediate }: IssuerPki) {
  const session = await createSession(setting)
  const id: string = session.verification_id
  const { nonce, state, client_id } = await fetchRequest(session.wallet_request.request_uri)
  const { holder } = setting
  const iat = Math.floor(Date.now() / 1000)
  const credential = await issueSdJwtVc({
    issuer: { alg: 'ES256', privateJwk: leaf.privateJwk as never },
    holder,
    x5c: [leaf.x5c, intermediate.x5c],
    claims: { vct: 'urn:eu.europa.ec.av:1', iat, age_over_18: true },
    disclosable: { _sd: ['age_over_18'] },
  })
  const presented = await presentSdJwtVc(credential, { holder, nonce, audience: client_id, iat })
  const parameters = { vp_token: JSON.stringify({ age_attestation: [presented] }), state }
  const again = async () => {
    const { status } = await post(id, parameters)
    return { status, session: await poll(setting, id) }
  }
  return { ...(await again()), again }
}

function publish(response: () => Response): void {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => response())
}

async function keep(name: string, signer: Minted): Promise<void> {
  const body = {
    name,
    kind: 'etsi_lote',
    url: 'https://lists.example.eu/pid.jwt',
    signers: [{ x509_certificate_pem: signer.pem }],
    services: [{ type: PID_ISSUANCE, credential_types: ['age_attestation'], assurance_level: 'high' }],
  }
  expect((await call(app, 'POST', '/v1/admin/trust_lists', { headers: ADMIN, body })).status).toBe(201)
}
