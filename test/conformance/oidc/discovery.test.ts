// CONTRACT 12: the metadata of an issuer is truthful. The other files of this folder use each listed value:
// here the lists are compared with what a registration and the endpoints accept, and others are refused.

import { expect, it } from 'vitest'
import { CALLBACK, registerClient } from '../../support/service/login.ts'
import { useStage } from '../../support/service/stage.ts'
import { request } from './openid-login.ts'

const stage = useStage()

async function metadata() {
  const { issuer } = await registerClient(stage.rp)
  const response = await stage.service.fetch(`${issuer}/.well-known/openid-configuration`)
  return { response, issuer, listed: (await response.json()) as Readonly<Record<string, unknown>> }
}

/** Members of a registration, and the list of the values that each accepts. */
const REGISTERED: readonly (readonly [member: string, list: string, other: string])[] = [
  ['token_endpoint_auth_method', 'token_endpoint_auth_methods_supported', 'client_secret_jwt'],
  ['id_token_signed_response_alg', 'id_token_signing_alg_values_supported', 'none'],
  ['userinfo_signed_response_alg', 'userinfo_signing_alg_values_supported', 'PS256'],
  ['id_token_encrypted_response_alg', 'id_token_encryption_alg_values_supported', 'RSA1_5'],
  ['id_token_encrypted_response_enc', 'id_token_encryption_enc_values_supported', 'A128CBC-HS256'],
  ['userinfo_encrypted_response_alg', 'userinfo_encryption_alg_values_supported', 'RSA-OAEP'],
  ['userinfo_encrypted_response_enc', 'userinfo_encryption_enc_values_supported', 'A256CBC-HS512'],
]

const JWKS = {
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'AD4ODODlUOz7zomeVvloIV16pPhPdRr9Oas913KTyCg',
      y: 'Qz8O8PB1qhmlgum5SFXtcvm7v7GSmkltbfzbnihLLp4',
    },
    {
      kty: 'RSA',
      e: 'AQAB',
      n: `u${'A'.repeat(340)}Q`,
    },
  ],
}

it('lists for each member of a registration exactly what is accepted', async () => {
  const { listed } = await metadata()
  const policies = [{ name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'] }]
  const statusWith = async (member: string, value: unknown) => {
    const body = { name: 'Shop', redirect_uris: [CALLBACK], policies, jwks: JWKS, [member]: value }
    const response = await stage.rp.call('POST', '/v1/oidc_clients', { body })
    const { client_id } = (await response.json()) as { client_id?: string }
    if (client_id !== undefined) await stage.rp.call('DELETE', `/v1/oidc_clients/${client_id}`)
    return response.status
  }
  for (const [member, list, other] of REGISTERED) {
    for (const value of listed[list] as readonly string[]) {
      expect([member, value, await statusWith(member, value)]).toEqual([member, value, 201])
    }
    expect([member, other, await statusWith(member, other)]).toEqual([member, other, 400])
  }
})

it('lists the response types and modes, and others are refused', async () => {
  const { listed } = await metadata()
  expect(listed).toMatchObject({
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['openid'],
    subject_types_supported: ['pairwise'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: true,
    authorization_response_iss_parameter_supported: true,
  })
  const registered = await registerClient(stage.rp)
  const statusWith = async (name: string, value: string) => {
    const { url } = await request(stage, registered, { parameters: { [name]: value } })
    return (await stage.service.fetch(url.href)).status
  }
  for (const mode of listed.response_modes_supported as readonly string[])
    expect(await statusWith('response_mode', mode)).toBe(303)
  for (const mode of ['fragment', 'jwt', 'query.jwt', 'web_message'])
    expect([mode, await statusWith('response_mode', mode)]).toEqual([mode, 400])
  for (const type of ['token', 'id_token', 'code id_token', 'none', 'vp_token'])
    expect([type, await statusWith('response_type', type)]).toEqual([type, 400])
  for (const method of ['plain', 'S512']) expect(await statusWith('code_challenge_method', method)).toBe(400)
  for (const grant_type of [
    'refresh_token',
    'client_credentials',
    'password',
    'urn:ietf:params:oauth:grant-type:device_code',
  ]) {
    const { client_id, client_secret = '' } = registered
    const response = await stage.service.fetch(String(listed.token_endpoint), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
      },
      body: `${new URLSearchParams({ grant_type })}`,
    })
    expect(await response.json()).toMatchObject({ error: 'unsupported_grant_type' })
  }
})

it('has endpoints of its own issuer alone, and the keys of both algorithms', async () => {
  const { listed, issuer, response } = await metadata()
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(listed.issuer).toBe(issuer)
  const addresses = Object.entries(listed).filter(([name]) => /endpoint$|_uri$/.test(name))
  expect(addresses.every(([, address]) => String(address).startsWith(`${issuer}/`))).toBe(true)
  const jwks = await stage.service.fetch(String(listed.jwks_uri))
  const { keys } = (await jwks.json()) as { keys: readonly Readonly<Record<string, unknown>>[] }
  expect(keys.map(({ alg, use }) => [alg, use])).toEqual([
    ['ES256', 'sig'],
    ['RS256', 'sig'],
  ])
  expect(JSON.stringify(keys)).not.toMatch(/"(d|p|q|dp|dq|qi)":/)
})

it('each language that it lists is that of the page', async () => {
  const { listed } = await metadata()
  const registered = await registerClient(stage.rp)
  for (const language of listed.ui_locales_supported as readonly string[]) {
    const { url } = await request(stage, registered, { parameters: { ui_locales: language, prompt: 'none' } })
    expect(await (await stage.service.fetch(url.href)).text()).toContain(`<html lang="${language}">`)
  }
})

it('is 404 for an unknown relying party', async () => {
  const path = `/oidc/rp_${'A'.repeat(43)}/.well-known/openid-configuration`
  expect((await stage.service.fetch(path)).status).toBe(404)
})

it('answers the preflight of any origin for the token endpoint and UserInfo alone', async () => {
  const { listed, issuer } = await metadata()
  const ask = (address: string) =>
    fetch(address.replace('https://verifier.example', stage.service.server.origin), {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' },
    })
  for (const address of [listed.token_endpoint, listed.userinfo_endpoint]) {
    const response = await ask(String(address))
    expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([204, '*'])
    expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull()
  }
  for (const address of [`${issuer}/par`, `${issuer}/authorize`]) {
    expect((await ask(address)).headers.get('Access-Control-Allow-Origin')).toBeNull()
  }
})
