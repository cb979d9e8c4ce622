// api/logins: forms of a request that must be accepted, to the end of the login.

import { describe, expect, it } from 'vitest'
import { begunAt, openLoginBrowser, registerClient } from '../../support/service/login.ts'
import { useStage } from '../../support/service/stage.ts'
import { answer, login, redeem, request, respond } from './openid-login.ts'

const stage = useStage()

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

it('the service accepts an authorization request by POST', async () => {
  const made = await request(stage, await registerClient(stage.rp))
  const browser = openLoginBrowser(stage.service)
  const { origin, pathname, searchParams } = made.url
  const opened = await browser.visit(origin + pathname, {
    method: 'POST',
    headers: FORM,
    body: `${searchParams}`,
  })
  const redirectUri = await respond(stage, await browser.link(await begunAt(opened)))
  const response = await browser.finish(await browser.comeBack(redirectUri))
  expect((await redeem(made, response)).claims.age_over_18).toBe(true)
})

it('the service accepts a UserInfo request by POST', async () => {
  const registered = await registerClient(stage.rp)
  const { tokens, userInfo } = await login(stage, registered)
  const response = await stage.service.fetch(`${registered.issuer}/userinfo`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokens.access_token}` },
  })
  expect([response.status, await response.json()]).toEqual([200, userInfo])
})

it('the service accepts a registered redirect_uri with a query, and keeps the query', async () => {
  const redirectUri = 'https://client.example/callback?tenant=a%20b&x='
  const registered = await registerClient(stage.rp, { redirect_uris: [redirectUri] })
  const made = await request(stage, registered, { redirectUri })
  const response = await answer(stage, openLoginBrowser(stage.service), made.url.href)
  expect(response.href.startsWith(`${redirectUri}&code=`)).toBe(true)
  const { client_id, client_secret } = registered
  const tokens = await stage.service.fetch(`${registered.issuer}/token`, {
    method: 'POST',
    headers: { ...FORM, Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    body: `${new URLSearchParams({
      grant_type: 'authorization_code',
      code: response.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: made.verifier ?? '',
    })}`,
  })
  expect([tokens.status, Object.keys((await tokens.json()) as object)]).toEqual([
    200,
    ['access_token', 'token_type', 'expires_in', 'id_token', 'scope'],
  ])
})

describe('the service accepts a request and ignores', () => {
  it.each([
    ['the scope email', { scope: 'openid email' }],
    ['the scope address', { scope: 'address openid' }],
    ['the scope phone', { scope: 'openid phone' }],
    ['every standard scope', { scope: 'openid profile email address phone offline_access' }],
    ['an unknown parameter', { extra: 'foobar' }],
  ])('%s', async (_, parameters) => {
    const { claims, tokens } = await login(stage, await registerClient(stage.rp), { parameters })
    expect([tokens.scope, tokens.refresh_token]).toEqual(['openid', undefined])
    expect(claims).toMatchObject({ age_over_18: true, policy: expect.stringMatching(/^adult#/) })
    expect(Object.keys(claims)).not.toContain('vp_data')
  })
})
