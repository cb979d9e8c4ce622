// End and restart with sessions in every state (api/running).

import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { PrivateKeyJwt } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { answer, redeem, request } from '../../conformance/oidc/openid-login.ts'
import { CALLBACK, openLoginBrowser, registerClient } from '../../support/service/login.ts'
import { begin, finish, respondWithAge, useOwnStage } from '../../support/service/stage.ts'

const stage = useOwnStage()

describe.each([
  ['stopped', async () => {}],
  ['killed together with its launcher', () => stage.service.server.kill9()],
])('a service that was %s', (_, end) => {
  it('starts again immediately and returns every session unchanged', async () => {
    const ids = await someSessions()
    const before = await Promise.all(ids.map((id) => stage.rp.poll(id)))
    expect(before.map(({ status }) => status)).toEqual(['pending', 'verified', 'declined', 'canceled'])
    await end()
    await stage.service.server.restart()
    expect(await Promise.all(ids.map((id) => stage.rp.poll(id)))).toEqual(before)
  })

  it('accepts a response to a request that was fetched before the stop', async () => {
    const { session, request } = await begin(stage)
    await end()
    await stage.service.server.restart()
    expect((await respondWithAge(stage, request)).status).toBe(200)
    expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
  })

  it('returns the same request again, and still accepts a QR code that was created before the stop', async () => {
    const { session, request } = await begin(stage)
    const other = await stage.rp.create()
    await end()
    await stage.service.server.restart()
    const again = await stage.service.wallet.receive(session.wallet_request.uri)
    expect(again.payload.nonce).toBe(request.payload.nonce)
    expect(again.payload.client_metadata).toEqual(request.payload.client_metadata)
    const scanned = await stage.service.wallet.receive(other.wallet_request.uri)
    expect((await respondWithAge(stage, scanned)).status).toBe(200)
  })
})

describe('a service that was killed', () => {
  it('rejects a client assertion that was used before, and keeps a pushed request and an authorization code', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const registered = await registerClient(stage.rp, {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [await exportJWK(publicKey)] },
    })
    const { client_id, issuer } = registered
    const claims = { iss: client_id, sub: client_id, aud: issuer, jti: 'once' }
    const assertion = new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).setExpirationTime('4 min')
    const form = new URLSearchParams({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await assertion.sign(privateKey),
      grant_type: 'authorization_code',
      code: 'none',
      redirect_uri: CALLBACK,
    })
    const send = async () => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const response = await stage.service.fetch(`${issuer}/token`, {
        method: 'POST',
        headers,
        body: `${form}`,
      })
      return ((await response.json()) as { error: string }).error
    }
    const options = { authentication: PrivateKeyJwt(privateKey), pushed: true }
    const [pushed, answered] = [
      await request(stage, registered, options),
      await request(stage, registered, options),
    ]
    const response = await answer(stage, openLoginBrowser(stage.service), answered.url.href)
    expect(await send()).toBe('invalid_grant')
    await stage.service.server.kill9()
    await stage.service.server.restart()
    expect(await send()).toBe('invalid_client')
    expect((await stage.service.fetch(pushed.url.href)).status).toBe(303)
    expect((await redeem(answered, response)).claims.age_over_18).toBe(true)
  })
})

/** Creates one session in each state that needs no waiting. */
async function someSessions(): Promise<readonly string[]> {
  const [pending, verified, refused, canceled] = await Promise.all([
    begin(stage),
    finish(stage),
    begin(stage),
    begin(stage),
  ])
  await stage.service.wallet.decline(refused.request, 'access_denied')
  await stage.rp.call('POST', `/v1/verify/${canceled.session.verification_id}/cancel`)
  return [pending, verified, refused, canceled].map(({ session }) => session.verification_id)
}
