// The fields that integrations of the first version use, by name. Later versions add fields and keep these.

import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { decodePng } from '../../qr/foreign-readers.ts'
import { decodeQrCode, expectStatus, OVER_18, readQr } from '../../support/service/service.ts'
import { eventOf, finish, useStage } from '../../support/service/stage.ts'

const stage = useStage()

/** A typical creation. */
const SAMPLE = {
  credential_types: ['age_attestation'],
  scope: ['age_over_18'],
  required_assurance_level: 'substantial',
  metadata: { user_id: 'user_123', context: 'age_gate' },
}
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/
const ID = /^v_[A-Za-z0-9_-]+$/

it('a create request with the four documented fields returns the six documented fields', async () => {
  const session = await stage.rp.create(SAMPLE)
  expect(session).toMatchObject({
    verification_id: expect.stringMatching(ID),
    status: 'pending',
    session_url: expect.stringMatching(/^https:\/\/verifier\.example\//),
    qr_code: expect.stringMatching(/^image\/png;base64,[A-Za-z0-9+/]+=*$/),
    deep_link: `walletverify://verify/${session.verification_id}`,
    expires_at: expect.stringMatching(TIMESTAMP),
  })
})

it('a create request returns qr_code as a PNG with an openid4vp:// request', async () => {
  const session = await stage.rp.create(SAMPLE)
  const png = decodeQrCode(session.qr_code)
  expect([...png.slice(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10])
  expect(readQr(png)).toMatch(/^openid4vp:\/\//)
})

it('a session can be read while it is pending, and after it has ended', async () => {
  const { session } = await finish(stage)
  expect((await stage.rp.poll((await stage.rp.create()).verification_id)).status).toBe('pending')
  expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
})

it('the OpenID4VP view has exactly the documented fields and wallet_request', async () => {
  const session = await stage.rp.create(SAMPLE)
  const id = session.verification_id
  const response = await stage.rp.call('GET', `/v1/verify/${id}/openid4vp`)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  const { wallet_request, ...view } = (await expectStatus(response, 200)) as Record<string, unknown>
  expect(wallet_request).toBeTypeOf('object')
  expect(view).toEqual({
    verification_id: id,
    status: 'pending',
    expires_at: session.expires_at,
    deep_link: `openid4vp://verify?request=${id}`,
    qr_code_url: expect.stringMatching(/^https:\/\/verifier\.example\/v1\/verify\/v_[\w-]+\/qr\?/),
    authorization_request: {
      response_type: 'vp_token',
      response_mode: 'direct_post',
      client_id: 'https://verifier.example',
      redirect_uri: `https://verifier.example/v1/verify/${id}/callback`,
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      presentation_definition: {
        id: `pd_${id}`,
        input_descriptors: [
          {
            id: `descriptor_${id}`,
            name: 'age_attestation',
            constraints: { fields: [{ path: expect.arrayContaining(['$.credentialSubject.age_over_18']) }] },
          },
        ],
      },
    },
  })
})

it('qr_code_url is the address of a PNG that the service hosts', async () => {
  const { verification_id } = await stage.rp.create(SAMPLE)
  const response = await stage.rp.call('GET', `/v1/verify/${verification_id}/openid4vp`)
  const { qr_code_url } = (await expectStatus(response, 200)) as { qr_code_url: string }
  const picture = await stage.service.fetch(qr_code_url)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(readQr(new Uint8Array(await picture.arrayBuffer()))).toMatch(/^openid4vp:\/\//)
})

it.each([
  ['', 320],
  ['?size=160', 160],
  ['?size=1024', 1024],
])('/qr%s is a PNG of %i pixels with an openid4vp:// request', async (query, pixels) => {
  const { verification_id } = await stage.rp.create(SAMPLE)
  const headers = { accept: 'image/png' }
  const response = await stage.rp.call('GET', `/v1/verify/${verification_id}/qr${query}`, { headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  const png = new Uint8Array(await response.arrayBuffer())
  const { width, height } = decodePng(png)
  expect([width, height]).toEqual([pixels, pixels])
  expect(readQr(png)).toMatch(/^openid4vp:\/\//)
})

it('each QR code has a new nonce, and the OpenID4VP view shows the nonce of the current request', async () => {
  const { verification_id } = await stage.rp.create(SAMPLE)
  const path = `/v1/verify/${verification_id}`
  const view = async () =>
    (await expectStatus(await stage.rp.call('GET', `${path}/openid4vp`), 200)) as {
      authorization_request: { nonce: string }
      wallet_request: { uri: string }
    }
  const before = await view()
  const picture = await stage.rp.call('GET', `${path}/qr`)
  const after = await view()
  expect(after.authorization_request.nonce).not.toBe(before.authorization_request.nonce)
  expect(readQr(new Uint8Array(await picture.arrayBuffer()))).toBe(after.wallet_request.uri)
})

it('the webhook of a verified session has the six fields as JSON', async () => {
  const { session } = await finish(stage, {}, SAMPLE)
  const { post, event } = await eventOf(stage, session.verification_id)
  expect(post).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
  expect(event).toMatchObject({
    verification_id: session.verification_id,
    status: 'verified',
    checks: { age_over_18: true },
    assurance_level: 'substantial',
    credential_type: 'age_attestation',
    verified_at: expect.stringMatching(TIMESTAMP),
  })
})

it('X-Service-Signature is t=<unix seconds>,v1=<signature>, HMAC-SHA256', async () => {
  const { session } = await finish(stage)
  const { post } = await eventOf(stage, session.verification_id)
  const header = String(post.headers['x-service-signature'])
  const [, t, v1] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(header) ?? []
  const expected = createHmac('sha256', stage.rp.webhook_secret).update(`${t}.${post.body}`).digest('hex')
  expect(v1).toBe(expected)
})

it('a call without its Authorization header is refused', async () => {
  const { verification_id } = await stage.rp.create()
  const calls = [
    ['POST', '/v1/verify', OVER_18],
    ['GET', `/v1/verify/${verification_id}`],
    ['GET', `/v1/verify/${verification_id}/openid4vp`],
    ['GET', `/v1/verify/${verification_id}/qr`],
  ] as const
  const statuses = calls.map(async ([method, path, body]) => {
    return (await stage.rp.call(method, path, { body, token: null })).status
  })
  expect(await Promise.all(statuses)).toEqual([401, 401, 401, 401])
})

it('a session stays pending until a wallet presents, however often it is read', async () => {
  const session = await stage.rp.create()
  for (const path of ['', '/openid4vp', '/qr']) {
    await stage.rp.call('GET', `/v1/verify/${session.verification_id}${path}`)
    expect((await stage.rp.poll(session.verification_id)).status).toBe('pending')
  }
})
