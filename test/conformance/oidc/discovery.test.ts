// api/logins: the metadata of an issuer is truthful. The other files of this folder use each listed value:
// here the lists are compared with what a registration and the endpoints accept, and others are refused.

import { exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { ADULT, CALLBACK, registerClient } from '../../support/service/login.ts'
import { useStage } from '../../support/service/stage.ts'
import { answerAsPerson, PERSON } from './credentials.ts'
import { login, request } from './openid-login.ts'

const stage = useStage()

const ACR = 'urn:wallet-verifier:assurance:'

/** Claims of every token. */
const EVERY_TOKEN = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nonce', 'auth_time', 'acr'],
  ...['policy', 'livemode', 'session_binding', 'verification_id'],
]

/** Claims of OpenID Connect that credentials have. */
const VALUES = ['family_name', 'given_name', 'birthdate', 'email', 'phone_number', 'nationalities', 'address']

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

it('a registration accepts each value that the metadata lists for a member, and refuses a value that is not listed', async () => {
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

it('the metadata lists the supported subject types, and other types are refused', async () => {
  const { listed } = await metadata()
  const policies = [{ ...PERSON, scope: ['personal_administrative_number'] }]
  const statusWith = async (type: string) => {
    const subject = { type, claims: ['personal_administrative_number'] }
    const body = { name: 'Shop', redirect_uris: [CALLBACK], policies, subject }
    return (await stage.rp.call('POST', '/v1/oidc_clients', { body })).status
  }
  for (const type of listed.subject_types_supported as readonly string[])
    expect([type, await statusWith(type)]).toEqual([type, 201])
  for (const type of ['public', 'ephemeral']) expect([type, await statusWith(type)]).toEqual([type, 400])
})

it('the metadata has exactly the members that this test names', async () => {
  const { listed, issuer } = await metadata()
  const signatures = ['RS256', 'ES256']
  const keys = ['ECDH-ES', 'RSA-OAEP-256']
  const contents = ['A128GCM', 'A256GCM']
  const { claims_in_verified_claims_supported, ...rest } = listed
  // `released-claims.test.ts` compares this list with the catalogue.
  expect(claims_in_verified_claims_supported).toContain('age_over_18')
  expect(rest).toEqual({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    pushed_authorization_request_endpoint: `${issuer}/par`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: ['openid'],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['pairwise'],
    acr_values_supported: ['low', 'substantial', 'high'].map((level) => ACR + level),
    id_token_signing_alg_values_supported: signatures,
    id_token_encryption_alg_values_supported: keys,
    id_token_encryption_enc_values_supported: contents,
    userinfo_signing_alg_values_supported: signatures,
    userinfo_encryption_alg_values_supported: keys,
    userinfo_encryption_enc_values_supported: contents,
    token_endpoint_auth_methods_supported: [
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
      'none',
    ],
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256', 'PS256'],
    code_challenge_methods_supported: ['S256'],
    dpop_signing_alg_values_supported: ['ES256', 'PS256'],
    claim_types_supported: ['normal'],
    claims_supported: [...EVERY_TOKEN, 'vp_data', 'verified_claims', ...VALUES],
    claims_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
    ui_locales_supported: [
      ...['en', 'de', 'fr', 'es', 'it', 'bg', 'cs', 'da', 'el', 'et', 'fi', 'ga'],
      ...['hr', 'hu', 'lt', 'lv', 'mt', 'nl', 'pl', 'pt', 'ro', 'sk', 'sl', 'sv'],
    ],
    verified_claims_supported: true,
    trust_frameworks_supported: ['urn:wallet-verifier:trust-anchors'],
  })
})

it('each listed claim is in the ID token of a login that requests it', async () => {
  const { listed } = await metadata()
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { extractable: true })
  const registered = await registerClient(stage.rp, {
    policies: [{ ...PERSON, scope: [...VALUES, 'sex'] }],
    id_token_encrypted_response_alg: 'ECDH-ES',
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1' }] },
  })
  const values = {
    email: 'erika@example.com',
    phone_number: '+4922180000',
    nationalities: ['DE'],
    address: { formatted: 'Heidestraße 17, 51147 Köln' },
  }
  const claimsWith = async (framework: string) => {
    const verification = { trust_framework: { value: framework } }
    const id_token = {
      ...Object.fromEntries((listed.claims_supported as readonly string[]).map((name) => [name, null])),
      sex: null,
      verified_claims: { verification, claims: { family_name: null } },
    }
    const { claims } = await login(stage, registered, {
      decrypt: { key: privateKey, kid: 'k1' },
      present: answerAsPerson(stage, { claims: values }),
      parameters: { claims: JSON.stringify({ id_token }) },
    })
    return claims
  }
  for (const framework of listed.trust_frameworks_supported as readonly string[]) {
    const claims = await claimsWith(framework)
    expect(Object.keys(claims).sort()).toEqual([...(listed.claims_supported as string[])].sort())
    expect(claims).toMatchObject({ ...values, verified_claims: { claims: { family_name: 'Mustermann' } } })
  }
  expect(await claimsWith('eidas')).not.toHaveProperty('verified_claims')
})

it('each listed acr value can be required, and a value that is not listed is refused', async () => {
  const { listed } = await metadata()
  const statusWith = async (level: string, value: string) => {
    const policies = [{ ...ADULT, required_assurance_level: level }]
    const registered = await registerClient(stage.rp, { policies })
    const claims = JSON.stringify({ id_token: { acr: { essential: true, value } } })
    const { url } = await request(stage, registered, { parameters: { claims } })
    return (await stage.service.fetch(url.href)).status
  }
  for (const value of listed.acr_values_supported as readonly string[])
    expect([value, await statusWith(value.slice(ACR.length), value)]).toEqual([value, 303])
  for (const value of ['high', `${ACR}higher`, 'urn:example:gold'])
    expect([value, await statusWith('high', value)]).toEqual([value, 400])
})

it('each listed algorithm of client assertions is accepted, and every other algorithm is refused', async () => {
  const { listed } = await metadata()
  const [p256, p384, rsa] = await Promise.all(
    ['ES256', 'ES384', 'RS256'].map((alg) => generateKeyPair(alg, { extractable: true })),
  )
  const keys = await Promise.all([p256!, rsa!].map(({ publicKey }) => exportJWK(publicKey)))
  const members = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } }
  const registered = await registerClient(stage.rp, members)
  const { client_id, issuer } = registered
  const errorWith = async (alg: string, key: CryptoKey | Uint8Array) => {
    const client_assertion = await new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg })
      .setIssuer(client_id)
      .setSubject(client_id)
      .setAudience(issuer)
      .setExpirationTime('1m')
      .sign(key)
    const form = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion,
      grant_type: 'authorization_code',
      code: 'none',
      redirect_uri: CALLBACK,
    }
    const response = await stage.service.fetch(String(listed.token_endpoint), {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams(form)}`,
    })
    return ((await response.json()) as { error: string }).error
  }
  /** The RSA key, for another algorithm of the same type. */
  const rsaFor = async (alg: string) => (await importJWK(await exportJWK(rsa!.privateKey), alg)) as CryptoKey
  const keyFor = async (alg: string) => (alg === 'ES256' ? p256!.privateKey : await rsaFor(alg))
  for (const alg of listed.token_endpoint_auth_signing_alg_values_supported as readonly string[])
    expect([alg, await errorWith(alg, await keyFor(alg))]).toEqual([alg, 'invalid_grant'])
  for (const alg of ['RS384', 'RS512', 'PS384', 'PS512'])
    expect([alg, await errorWith(alg, await rsaFor(alg))]).toEqual([alg, 'invalid_client'])
  expect(await errorWith('ES384', p384!.privateKey)).toBe('invalid_client')
  for (const text of [JSON.stringify(keys[0]), JSON.stringify(keys[1]), String(keys[1]?.n)])
    expect(await errorWith('HS256', new TextEncoder().encode(text))).toBe('invalid_client')
  const jwks = { keys: [await exportJWK(p384!.publicKey)] }
  const body = { name: 'Shop', redirect_uris: [CALLBACK], policies: [ADULT], jwks }
  expect((await stage.rp.call('POST', '/v1/oidc_clients', { body })).status).toBe(400)
})

it('the metadata lists the values that a request may have, and other values are refused', async () => {
  const { listed } = await metadata()
  const registered = await registerClient(stage.rp)
  const statusWith = async (name: string, value: string) => {
    const { url } = await request(stage, registered, { parameters: { [name]: value } })
    return (await stage.service.fetch(url.href)).status
  }
  for (const mode of listed.response_modes_supported as readonly string[])
    expect(await statusWith('response_mode', mode)).toBe(303)
  for (const mode of ['fragment', 'jwt', 'query.jwt', 'web_message'])
    expect([mode, await statusWith('response_mode', mode)]).toEqual([mode, 400])
  for (const type of listed.response_types_supported as readonly string[])
    expect(await statusWith('response_type', type)).toBe(303)
  for (const type of ['token', 'id_token', 'code id_token', 'none', 'vp_token'])
    expect([type, await statusWith('response_type', type)]).toEqual([type, 400])
  for (const method of listed.code_challenge_methods_supported as readonly string[])
    expect(await statusWith('code_challenge_method', method)).toBe(303)
  for (const method of ['plain', 'S512']) expect(await statusWith('code_challenge_method', method)).toBe(400)
  for (const scope of listed.scopes_supported as readonly string[])
    expect(await statusWith('scope', scope)).toBe(303)
  for (const scope of ['profile', 'openid groups', 'openid age_over_18'])
    expect([scope, await statusWith('scope', scope)]).toEqual([scope, 400])
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

it('the metadata has only endpoints of its own issuer, and the keys of both algorithms', async () => {
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

it('the service shows a page in each listed language, and in English if the request names only unlisted languages', async () => {
  const { listed } = await metadata()
  const registered = await registerClient(stage.rp)
  for (const language of listed.ui_locales_supported as readonly string[]) {
    const { url } = await request(stage, registered, { parameters: { ui_locales: language, prompt: 'none' } })
    const response = await stage.service.fetch(url.href)
    expect(response.headers.get('Content-Language')).toBe(language)
    expect(await response.text()).toContain(`<html lang="${language}" dir="ltr">`)
  }
  const { url } = await request(stage, registered, { parameters: { ui_locales: 'nb uk', prompt: 'none' } })
  expect(await (await stage.service.fetch(url.href)).text()).toContain('<html lang="en" dir="ltr">')
})

it('a request for the metadata of an unknown relying party gets 404', async () => {
  const path = `/oidc/rp_${'A'.repeat(43)}/.well-known/openid-configuration`
  expect((await stage.service.fetch(path)).status).toBe(404)
})

it('the service allows every origin in a preflight for the token endpoint and UserInfo, but not for /par or /authorize', async () => {
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
