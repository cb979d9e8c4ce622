// The typed client as a relying party's server uses it, with the running service: every call, webhooks and
// claims.

import { type Client, createClient } from '@wallet-verifier/client'
import { decryptClaims } from '@wallet-verifier/client/claims'
import { type Receipt, type ReceiptChecks, verifyReceipt } from '@wallet-verifier/client/receipt'
import type { Result } from '@wallet-verifier/client/result'
import { verifyWebhook } from '@wallet-verifier/client/webhook'
import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import { expect, it, vi } from 'vitest'
import { PID, presentationOf, queryFor } from '../../support/people/person.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { eventOf, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'
import { WAIT } from '../../support/wait.ts'

const stage = useStage()

/** Returns a client whose calls go to the loopback port. */
function clientOf(token = stage.rp.api_key): Client {
  const send: typeof fetch = (input, init) => stage.service.fetch(String(input), init)
  return createClient({ baseUrl: BASE_URL, token, fetch: send })
}

function unwrap<T, E>(result: Result<T, E>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

it('the client creates a session, waits for the end, and verifies its webhook', async () => {
  const client = clientOf()
  const created = unwrap(await client.create(OVER_18))
  expect(created.qr_code).toMatch(/^image\/png;base64,/)
  const waiting = client.wait(created.verification_id, { timeoutMs: WAIT.timeout })
  const uri = (created.wallet_request as { readonly uri: string }).uri
  await respondWithAge(stage, await stage.service.wallet.receive(uri))
  const ended = unwrap(await waiting)
  expect(ended).toMatchObject({ status: 'verified', stage: 'done', checks: { age_over_18: true } })
  const { post } = await eventOf(stage, created.verification_id)
  const body = post.body.toString()
  const signature = post.headers['x-service-signature'] as string
  const checks = { secrets: [stage.rp.webhook_secret] }
  const event = unwrap(await verifyWebhook(body, signature, checks))
  expect(event).toMatchObject({ event_type: 'verification.verified', checks: ended.checks })
  const forged = body.replace('true', 'null')
  expect(await verifyWebhook(forged, signature, checks)).toEqual({ ok: false, error: 'wrong_signature' })
})

it('the client decrypts the claims that only this relying party can read', async () => {
  const keys = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  const { kty, crv, x, y } = (await exportJWK(keys.publicKey)) as Record<string, string>
  const client = clientOf()
  const created = unwrap(
    await client.create({
      credential_types: ['pid'],
      scope: ['given_name'],
      claims_encryption_jwk: { kty, crv, x, y } as { kty: 'EC'; crv: 'P-256'; x: string; y: string },
    }),
  )
  const uri = (created.wallet_request as { readonly uri: string }).uri
  const request = await stage.service.wallet.receive(uri)
  await stage.service.wallet.present(request, {
    [queryFor(request, PID)]: [await presentationOf(stage.person, PID, request)],
  })
  const ended = unwrap(await client.get(created.verification_id))
  const jwks = await (await stage.service.fetch(`${BASE_URL}/.well-known/jwks.json`)).json()
  const claims = unwrap(
    await decryptClaims(ended.encrypted_claims ?? '', {
      privateJwk: (await exportJWK(keys.privateKey)) as JsonWebKey,
      jwks: jwks as { keys: JsonWebKey[] },
      issuer: BASE_URL,
      audience: stage.rp.relying_party_id,
      verificationId: created.verification_id,
    }),
  )
  expect(claims.credentials).toMatchObject([{ credential_type: 'pid', claims: { given_name: 'Erika' } }])
})

it('the client returns the same verification for the same idempotency key, and an error for another body with this key', async () => {
  const client = clientOf()
  const first = unwrap(await client.create(OVER_18, { idempotencyKey: 'client-1' }))
  const again = unwrap(await client.create(OVER_18, { idempotencyKey: 'client-1' }))
  expect(again.verification_id).toBe(first.verification_id)
  const other = await client.create({ ...OVER_18, expires_in: 61 }, { idempotencyKey: 'client-1' })
  expect(other).toMatchObject({ ok: false, error: { code: 'idempotency_conflict', status: 409 } })
})

it('the client cancels a verification, reads its events, and erases it', async () => {
  const client = clientOf()
  const { verification_id: id } = unwrap(await client.create(OVER_18))
  expect(unwrap(await client.cancel(id)).status).toBe('canceled')
  const eventsOfIt = async () => {
    const { events } = unwrap(await client.events({ limit: 100 }))
    return events.filter((event) => event.verification_id === id)
  }
  await vi.waitFor(
    async () => expect(await eventsOfIt()).toMatchObject([{ event_type: 'verification.canceled' }]),
    WAIT,
  )
  expect(unwrap(await client.erase(id))).toBeNull()
  expect(await client.get(id)).toMatchObject({ ok: false, error: { code: 'verification_not_found' } })
})

it('the client lists verifications, shows the timeline of a verification, and counts verifications', async () => {
  const client = clientOf()
  const metadata = { order: crypto.randomUUID() }
  const { verification_id: id } = unwrap(await client.create({ ...OVER_18, metadata }))
  unwrap(await client.cancel(id))
  await vi.waitFor(async () => {
    const { verifications, has_more } = unwrap(await client.list({ status: ['canceled'], metadata }))
    expect(verifications).toMatchObject([{ verification_id: id, status: 'canceled', metadata }])
    expect(has_more).toBe(false)
  }, WAIT)
  const { entries } = unwrap(await client.timeline(id))
  // The attempt of the webhook may have ended already.
  const types = entries.map(({ type }) => type).filter((type) => type !== 'webhook_attempt')
  expect(types).toEqual(['created', 'ended'])
  const day = 86_400_000
  const [from, to] = [-day, day].map((offset) => new Date(Date.now() + offset).toISOString())
  const { steps } = unwrap(await client.insights({ from: from ?? '', to: to ?? '' }))
  expect(steps.reduce((sum, { ended }) => sum + (ended.canceled ?? 0), 0)).toBeGreaterThan(0)
  expect(unwrap(await client.wallets()).wallets).toContainEqual(
    expect.objectContaining({ id: 'eudi-android' }),
  )
  expect(await client.list({ limit: 101 })).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
})

it('the client fetches the receipt of an ended session, and verifies it with the published keys', async () => {
  const client = clientOf()
  const { verification_id: verificationId } = unwrap(await client.create(OVER_18))
  expect(await client.receipt(verificationId)).toMatchObject({
    ok: false,
    error: { code: 'verification_pending', status: 409 },
  })
  unwrap(await client.cancel(verificationId))
  const receipt = unwrap(await client.receipt(verificationId))
  const jwks = (await (await stage.service.fetch('/.well-known/jwks.json')).json()) as ReceiptChecks['jwks']
  const read = unwrap(await verifyReceipt(receipt, { jwks, issuer: BASE_URL, verificationId }))
  expect(read).toMatchObject({ status: 'canceled', relying_party_id: stage.rp.relying_party_id })
})

/**
 * Every member of the type but the member of multi-signed requests. The compiler refuses a list that is not
 * complete.
 */
const RECEIPT: Record<Exclude<keyof Receipt, 'offered_client_ids'>, true> = {
  iss: true,
  iat: true,
  verification_id: true,
  relying_party_id: true,
  livemode: true,
  client_id: true,
  protocol: true,
  created_at: true,
  ended_at: true,
  status: true,
  reason: true,
  policy_hash: true,
  request_hash: true,
  checks: true,
  assurance_level: true,
  same_holder_key: true,
  assurance_derivation: true,
  credentials: true,
  trust_lists: true,
  channel: true,
  session_binding: true,
  trace: true,
}

it('the client has a type for every member of a receipt', async () => {
  const client = clientOf()
  const { verification_id: id } = unwrap(await client.create(OVER_18))
  unwrap(await client.outcome(id, { reason: 'verified' }))
  const receipt = decodeJwt(unwrap(await client.receipt(id)))
  expect(Object.keys(receipt).sort()).toEqual(Object.keys(RECEIPT).sort())
})

it('the client reads and changes settings, tests the webhook, and sends webhooks again', async () => {
  const client = clientOf()
  const settings = unwrap(await client.settings())
  expect(settings).toMatchObject({ relying_party_id: stage.rp.relying_party_id, livemode: false })
  const branding = { color: '#1d4ed8', logo: null }
  expect(unwrap(await client.changeSettings({ branding })).branding).toEqual(branding)
  expect(unwrap(await client.testWebhook())).toMatchObject({ succeeded: true, status: 200 })
  expect(unwrap(await client.enableWebhook()).webhook).toMatchObject({ disabled: false })

  const { verification_id: id } = unwrap(await client.create(OVER_18))
  unwrap(await client.cancel(id))
  await eventOf(stage, id)
  const [delivery] = unwrap(await client.deliveries(id)).deliveries
  const again = unwrap(await client.redeliver(id, delivery?.delivery_id ?? ''))
  expect(again.deliveries).toMatchObject([
    { delivery_id: delivery?.delivery_id, event_id: delivery?.event_id },
  ])
  const [from, to] = [new Date(Date.now() - 3600_000), new Date()].map((time) => time.toISOString())
  expect(unwrap(await client.redeliverRange({ from: from ?? '', to: to ?? '' }))).toMatchObject({
    redelivered: 0,
    has_more: false,
  })
})

it('the client gets a request for the Digital Credentials API and posts its response, for a page of the relying party', async () => {
  const client = clientOf((await relyingPartyOf(stage, { origins: ['https://shop.example'] })).api_key)
  const { verification_id: id } = unwrap(await client.create(OVER_18))
  const { digital } = unwrap(await client.dcApiRequest(id, { origin: 'https://shop.example' }))
  const protocols = digital.requests.map(({ protocol }) => protocol)
  expect(protocols.slice(0, 2)).toEqual(['openid4vp-v1-signed', 'openid4vp-v1-unsigned'])
  const answer = { protocol: 'openid4vp-v1-unsigned', data: { error: 'access_denied' } } as const
  expect(unwrap(await client.dcApiResponse(id, answer))).toMatchObject({ status: 'declined' })
})

it('the client returns the service’s errors for a wrong code and a wrong key', async () => {
  const { verification_id: id } = unwrap(await clientOf().create(OVER_18))
  expect(await clientOf().redeem(id, 'nonsense')).toMatchObject({
    ok: false,
    error: { code: 'invalid_code' },
  })
  expect(await clientOf('wv_test_nonsense').get(id)).toMatchObject({ ok: false, error: { status: 401 } })
})

it('the client manages OpenID Connect clients', async () => {
  const client = clientOf()
  const { client_id, issuer, client_secret } = unwrap(
    await client.createOidcClient({
      name: 'Shop',
      redirect_uris: ['https://client.example/callback'],
      policies: [{ name: 'adult', ...OVER_18 }],
    }),
  )
  expect(issuer).toBe(`${BASE_URL}/oidc/${stage.rp.relying_party_id}`)
  const rotated = unwrap(await client.rotateOidcSecret(client_id))
  expect([rotated.client_id, rotated.client_secret === client_secret]).toEqual([client_id, false])
  expect(unwrap(await client.changeOidcClient(client_id, { name: 'Store' }))).toMatchObject({ warnings: [] })
  expect(unwrap(await client.oidcClient(client_id))).toMatchObject({ client_id, name: 'Store' })
  expect(unwrap(await client.oidcClients()).oidc_clients).toMatchObject([{ client_id }])
  expect(unwrap(await client.deleteOidcClient(client_id))).toBeNull()
  expect(await client.oidcClient(client_id)).toMatchObject({ ok: false, error: { code: 'not_found' } })
})
