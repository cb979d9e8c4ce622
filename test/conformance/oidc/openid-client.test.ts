// api/logins with `openid-client`: every kind of client completes a login.

import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import * as client from 'openid-client'
import { describe, expect, it } from 'vitest'
import { AGE, makeAuthority, PID, presentationOf, type Telling } from '../../support/people/person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import { ADULT, CALLBACK, openLoginBrowser, registerClient } from '../../support/service/login.ts'
import { useStage } from '../../support/service/stage.ts'
import { answerAsPerson, PERSON } from './credentials.ts'
import { answer, login, redeem, request, respond } from './openid-login.ts'

const stage = useStage()

/** A key pair of a client, and its public half as a JWK. */
async function keysFor(alg: string, use: 'sig' | 'enc') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), use, alg, kid: `${alg}-1` } }
}

it('a web client logs a person in by code, PKCE and secret', async () => {
  const registered = await registerClient(stage.rp)
  const { tokens, claims, userInfo, response } = await login(stage, registered)
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 300, scope: 'openid' })
  expect(response.searchParams.get('iss')).toBe(registered.issuer)
  expect(claims).toMatchObject({
    iss: `https://verifier.example/oidc/${stage.rp.relying_party_id}`,
    aud: registered.client_id,
    age_over_18: true,
    acr: 'urn:wallet-verifier:assurance:substantial',
    livemode: false,
    session_binding: 'relying_party',
  })
  expect(claims.exp - claims.iat).toBe(300)
  expect(claims.policy).toMatch(/^adult#[0-9a-f]{16}$/)
  expect(claims).not.toHaveProperty('amr')
  expect(userInfo).toMatchObject({ sub: claims.sub, age_over_18: true, policy: claims.policy })
  expect(await stage.rp.poll(String(claims.verification_id))).toMatchObject({
    status: 'verified',
    session_binding: 'relying_party',
  })
})

describe('a client with a key', () => {
  it.each([
    ['by dpop_jkt in its URL', false],
    ['by the DPoP proof of a pushed request', true],
  ])('gets an access token bound to its key, if its request names the key %s', async (_, pushed) => {
    const members = { token_endpoint_auth_method: 'none', dpop_bound_access_tokens: true }
    const registered = await registerClient(stage.rp, members)
    const dpop = await client.randomDPoPKeyPair('ES256')
    const dpop_jkt = await calculateJwkThumbprint(await exportJWK(dpop.publicKey))
    const options = { dpop, pushed, parameters: pushed ? {} : { dpop_jkt } }
    const { tokens, userInfo, made } = await login(stage, registered, options)
    expect([tokens.token_type, userInfo.age_over_18]).toEqual(['dpop', true])
    const thief = client.getDPoPHandle(made.config, await client.randomDPoPKeyPair('ES256'))
    const steal = client.fetchUserInfo(made.config, tokens.access_token, userInfo.sub, { DPoP: thief })
    await expect(steal).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'dpop', parameters: { error: 'invalid_token', algs: 'ES256 PS256' } }],
    })
    const bearer = client.fetchUserInfo(made.config, tokens.access_token, userInfo.sub)
    await expect(bearer).rejects.toMatchObject({ status: 401, cause: [{ scheme: 'bearer' }] })
  })

  it('must use the same key to redeem the code of a request that it pushed with a DPoP proof', async () => {
    const registered = await registerClient(stage.rp, { token_endpoint_auth_method: 'none' })
    const dpop = await client.randomDPoPKeyPair('ES256')
    const made = await request(stage, registered, { dpop, pushed: true })
    const response = await answer(stage, openLoginBrowser(stage.service), made.url.href)
    const other = client.getDPoPHandle(made.config, await client.randomDPoPKeyPair('ES256'))
    await expect(redeem({ ...made, proofs: { DPoP: other } }, response)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(redeem({ ...made, proofs: {} }, response)).rejects.toMatchObject({ error: 'invalid_grant' })
    expect((await redeem(made, response)).tokens.token_type).toBe('dpop')
  })
})

describe('a client can authenticate', () => {
  it('by client_secret_post', async () => {
    const registered = await registerClient(stage.rp, { token_endpoint_auth_method: 'client_secret_post' })
    const authentication = client.ClientSecretPost(registered.client_secret ?? '')
    expect((await login(stage, registered, { authentication })).claims.age_over_18).toBe(true)
  })

  it.each(['ES256', 'RS256', 'PS256'])(
    'by private_key_jwt with %s, also for a pushed request',
    async (alg) => {
      const { privateKey, jwk } = await keysFor(alg, 'sig')
      const members = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }
      const registered = await registerClient(stage.rp, members)
      expect(registered.client_secret).toBeUndefined()
      const authentication = client.PrivateKeyJwt({ key: privateKey, kid: jwk.kid })
      const { claims } = await login(stage, registered, { authentication, pushed: true })
      expect(claims.age_over_18).toBe(true)
    },
  )

  it('by `none` as a public client, and its login has the session_binding `page`', async () => {
    const members = { token_endpoint_auth_method: 'none', application_type: 'native' }
    const registered = await registerClient(stage.rp, members)
    expect(registered.require_pkce).toBe(true)
    expect((await login(stage, registered)).claims.session_binding).toBe('page')
  })
})

it('a pushed request chooses one of several policies', async () => {
  const policies = [
    { name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'] },
    { name: 'older', credential_types: ['age_attestation'], scope: ['age_over_21'] },
  ]
  const registered = await registerClient(stage.rp, { policies })
  const { claims, tokens } = await login(stage, registered, {
    pushed: true,
    parameters: { scope: 'openid profile older' },
  })
  expect(claims).toMatchObject({ age_over_21: true, policy: expect.stringMatching(/^older#/) })
  expect(claims).not.toHaveProperty('age_over_18')
  expect(tokens.scope).toBe('openid older')
})

it('a client without PKCE sends a nonce instead', async () => {
  const registered = await registerClient(stage.rp, { require_pkce: false })
  expect((await login(stage, registered, { withoutPkce: true })).claims.age_over_18).toBe(true)
})

it.each(['RS256', 'ES256'])('an ID token and UserInfo are signed with %s', async (alg) => {
  const members = { id_token_signed_response_alg: alg, userinfo_signed_response_alg: alg }
  const { userInfo, claims } = await login(stage, await registerClient(stage.rp, members))
  expect(userInfo).toMatchObject({ sub: claims.sub, age_over_18: true, aud: claims.aud, iss: claims.iss })
})

/** A policy with a query of its own for the age of a person. */
const askingFor = (values: readonly boolean[]) => {
  const claims = [{ path: ['age_over_18'], values }]
  const credential = { id: 'age', format: 'dc+sd-jwt', meta: { vct_values: [AGE] }, claims }
  return { name: 'own', dcql_query: { credentials: [credential] } }
}

describe('the values of claims', () => {
  it.each([
    ['ECDH-ES', 'A128GCM'],
    ['RSA-OAEP-256', 'A256GCM'],
  ])('are in an ID token and UserInfo encrypted with %s and %s', async (alg, enc) => {
    const { privateKey, jwk } = await keysFor(alg, 'enc')
    const registered = await registerClient(stage.rp, {
      policies: [PERSON],
      id_token_encrypted_response_alg: alg,
      id_token_encrypted_response_enc: enc,
      userinfo_encrypted_response_alg: alg,
      userinfo_encrypted_response_enc: enc,
      userinfo_signed_response_alg: 'ES256',
      jwks: { keys: [jwk] },
    })
    expect(registered.warnings).toEqual([])
    const options = { decrypt: { key: privateKey, kid: jwk.kid }, present: answerAsPerson(stage) }
    const { claims, userInfo } = await login(stage, registered, options)
    const values = { given_name: 'Erika', family_name: 'Mustermann', birthdate: '1963-08-12' }
    expect(claims).toMatchObject(values)
    expect(claims.vp_data).toEqual({ pid: { sex: 2 } })
    expect(userInfo).toMatchObject({ ...values, sub: claims.sub })
  })

  it('are absent without an encryption key: tokens have only the claim names, and the registration has a warning', async () => {
    const registered = await registerClient(stage.rp, { policies: [PERSON] })
    expect(registered.warnings).toMatchObject([
      { pointer: '/policies/0', code: 'values_without_encryption_key' },
    ])
    const { claims, userInfo } = await login(stage, registered, { present: answerAsPerson(stage) })
    const presented = ['given_name', 'family_name', 'birthdate', 'sex']
    for (const found of [claims, userInfo]) {
      expect(found.vp_data).toEqual({ pid: { presented } })
      expect(JSON.stringify(found)).not.toMatch(/Erika|Mustermann|1963/)
    }
  })

  it.each([
    [[false], false],
    [[true, false], false],
    [[true, false], true],
  ])(
    'of a boolean claim are absent without an encryption key if the allowed values are %j and the presented value is %j',
    async (values, value) => {
      const registered = await registerClient(stage.rp, { policies: [askingFor(values)] })
      expect(registered.warnings).toMatchObject([{ code: 'values_without_encryption_key' }])
      const telling = { claims: { age_over_18: value } }
      const verified_claims = { verification: { trust_framework: null }, claims: { age_over_18: null } }
      const parameters = { claims: JSON.stringify({ id_token: { age_over_18: null, verified_claims } }) }
      const { claims, userInfo } = await login(stage, registered, { telling, parameters })
      for (const found of [claims, userInfo]) {
        expect(found.vp_data).toEqual({ age: { presented: ['age_over_18'] } })
        expect(JSON.stringify(found)).not.toMatch(/"age_over_18":|verified_claims/)
      }
    },
  )

  it('of a boolean claim that must be true are released without an encryption key', async () => {
    const registered = await registerClient(stage.rp, { policies: [askingFor([true])] })
    expect(registered.warnings).toEqual([])
    expect((await login(stage, registered)).claims.age_over_18).toBe(true)
  })

  it('are released only where the parameter `claims` requests them, at the top level or in `verified_claims`', async () => {
    const { privateKey, jwk } = await keysFor('ECDH-ES', 'enc')
    const registered = await registerClient(stage.rp, {
      policies: [PERSON],
      id_token_encrypted_response_alg: 'ECDH-ES',
      jwks: { keys: [jwk] },
    })
    const verified_claims = {
      verification: { trust_framework: null },
      claims: { family_name: null },
    }
    const other = { verification: { trust_framework: { value: 'eidas' } }, claims: { birthdate: null } }
    const list = [other, verified_claims]
    const wanted = { id_token: { given_name: null, verified_claims: list }, userinfo: { birthdate: null } }
    const { claims, userInfo } = await login(stage, registered, {
      decrypt: { key: privateKey, kid: jwk.kid },
      present: answerAsPerson(stage),
      parameters: { claims: JSON.stringify(wanted) },
    })
    expect(claims.given_name).toBe('Erika')
    expect(claims.verified_claims).toMatchObject({
      verification: { trust_framework: 'urn:wallet-verifier:trust-anchors', assurance_level: 'substantial' },
      claims: { family_name: 'Mustermann' },
    })
    expect(claims.verified_claims).not.toHaveProperty('claims.birthdate')
    expect(Object.keys(claims)).not.toContain('family_name')
    expect(Object.keys(claims)).not.toContain('birthdate')
    expect(Object.keys(claims)).not.toContain('vp_data')
    expect(userInfo.vp_data).toEqual({ pid: { presented: ['birthdate'] } })
  })
})

describe('the claim sub', () => {
  const number = { claims: { personal_administrative_number: 'DE-123', document_number: 'X1' } }
  const IDENTIFIED = {
    ...PERSON,
    name: 'identified',
    scope: ['personal_administrative_number', 'document_number'],
  }

  it('is different for each login by default', async () => {
    const registered = await registerClient(stage.rp)
    const [first, second] = [await login(stage, registered), await login(stage, registered)]
    expect(first.claims.sub).not.toBe(second.claims.sub)
  })

  it('of type pairwise is the same for one person at two clients of a relying party, and differs at a second relying party', async () => {
    const subject = { type: 'pairwise', claims: ['personal_administrative_number'] }
    const members = { policies: [IDENTIFIED], subject }
    const subOf = async (rp: typeof stage.rp, telling: typeof number) => {
      const registered = await registerClient(rp, members)
      expect(registered.policies).toMatchObject([{ required_session_binding: 'page' }])
      return (await login(stage, registered, { present: answerAsPerson(stage, telling) })).claims.sub
    }
    const settings = { trust_anchors: [stage.authority.anchor()] }
    const other = await stage.service.relyingParty(settings)
    const renewed = { claims: { ...number.claims, document_number: 'X2' } }
    const someoneElse = { claims: { ...number.claims, personal_administrative_number: 'DE-124' } }
    const sub = await subOf(stage.rp, number)
    expect(await subOf(stage.rp, renewed)).toBe(sub)
    expect(await subOf(stage.rp, someoneElse)).not.toBe(sub)
    expect(await subOf(other, number)).not.toBe(sub)
  })

  it('of type pairwise does not depend on the order of `subject.claims`', async () => {
    const names = ['personal_administrative_number', 'document_number']
    const subOf = async (claims: readonly string[]) => {
      const members = { policies: [IDENTIFIED], subject: { type: 'pairwise', claims } }
      const registered = await registerClient(stage.rp, members)
      return (await login(stage, registered, { present: answerAsPerson(stage, number) })).claims.sub
    }
    const sub = await subOf(names)
    expect(await subOf(names.toReversed())).toBe(sub)
    expect(await subOf(names.slice(0, 1))).not.toBe(sub)
  })

  it('of type pairwise comes from the only presented credential with the claims in `subject.claims`, and so does vp_data', async () => {
    const credential = {
      id: 'person',
      format: 'dc+sd-jwt',
      multiple: true,
      meta: { vct_values: [PID] },
      claims: [
        { id: 'number', path: ['personal_administrative_number'] },
        { id: 'name', path: ['given_name'] },
      ],
      claim_sets: [['number', 'name'], ['name']],
    }
    const other = await makeAuthority('https://other-issuer.example')
    const rp = await stage.service.relyingParty({
      trust_anchors: [stage.authority.anchor(), other.anchor({ name: 'Other issuer' })],
    })
    const registered = await registerClient(rp, {
      policies: [{ name: 'several', dcql_query: { credentials: [credential] } }],
      subject: { type: 'pairwise', claims: ['personal_administrative_number'] },
    })
    const loginWith = async (...tellings: readonly Telling[]) => {
      const present = async (received: ReceivedRequest) => ({
        person: await Promise.all(
          tellings.map((telling) => presentationOf(stage.person, PID, received, telling)),
        ),
      })
      return (await login(stage, registered, { present })).claims
    }
    const ofOther = { issuer: other.key, claims: { ...number.claims, iss: other.iss } }
    const alone = await loginWith(ofOther)
    const both = await loginWith({}, ofOther)
    expect(both.sub).toBe(alone.sub)
    expect(both.vp_data).toEqual(alone.vp_data)
    expect(both.sub).not.toBe((await loginWith(number)).sub)
  })

  it('of type pairwise must be one of the `values` that `claims` requests for sub in the ID token and in UserInfo, or the login fails', async () => {
    const subject = { type: 'pairwise', claims: ['personal_administrative_number'] }
    const registered = await registerClient(stage.rp, { policies: [IDENTIFIED], subject })
    const present = answerAsPerson(stage, number)
    const { sub } = (await login(stage, registered, { present })).claims
    const endWith = async (idToken: readonly string[], userinfo: readonly string[]) => {
      const claims = { id_token: { sub: { values: idToken } }, userinfo: { sub: { values: userinfo } } }
      const made = await request(stage, registered, { parameters: { claims: JSON.stringify(claims) } })
      const response = await answer(stage, openLoginBrowser(stage.service), made.url.href, { present })
      const { code, error, error_description } = Object.fromEntries(response.searchParams)
      return code === undefined ? [error, error_description] : 'a code'
    }
    const mismatch = ['access_denied', 'subject_mismatch']
    expect(await endWith([sub, 'another'], ['a third', sub])).toBe('a code')
    expect(await endWith([sub], ['another'])).toEqual(mismatch)
    expect(await endWith(['another'], ['another'])).toEqual(mismatch)
  })

  it('of type pairwise cannot be registered if the policy of the client does not request the claims in `subject.claims`', async () => {
    const subject = { type: 'pairwise', claims: ['document_number'] }
    const body = { name: 'Shop', redirect_uris: [CALLBACK], policies: [PERSON], subject }
    const response = await stage.rp.call('POST', '/v1/oidc_clients', { body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/subject/claims' }] })
  })
})

it('form_post sends the code in a form on a page of the service, in the language of ui_locales', async () => {
  const registered = await registerClient(stage.rp)
  const made = await request(stage, registered, {
    parameters: { response_mode: 'form_post', ui_locales: 'nb de-AT en' },
  })
  const browser = openLoginBrowser(stage.service)
  const begun = await browser.begin(made.url.href)
  const redirectUri = await respond(stage, await browser.link(begun))
  const page = await browser.visit(await browser.comeBack(redirectUri))
  const text = await page.text()
  expect(page.headers.get('Content-Security-Policy')).toContain('form-action https://client.example https:')
  expect(text).toContain(`<form method="post" action="${CALLBACK}">`)
  expect(text).toContain('<html lang="de" dir="ltr">')
  const response = new URL(CALLBACK)
  for (const [, name = '', value = ''] of text.matchAll(/name="(code|state|iss)" value="([^"]*)"/g)) {
    response.searchParams.set(name, value)
  }
  expect((await redeem(made, response)).claims.age_over_18).toBe(true)
})

it('the login page names the client and its host in the language of ui_locales', async () => {
  const registered = await registerClient(stage.rp, { name: 'Weinladen' })
  const made = await request(stage, registered, { parameters: { ui_locales: 'nb de-AT en' } })
  const browser = openLoginBrowser(stage.service)
  const { page } = await browser.begin(made.url.href)
  const text = (await (await browser.visit(page)).text()).replace(/[\u2068\u2069]/g, '')
  expect(text).toContain('Danach geht es bei Weinladen (client.example) weiter.')
  expect(text).toContain('lang="de"')
})

describe('the claim acr', () => {
  const loggedInWith = async (levels: readonly string[] | null) => {
    const values = levels?.map((level) => `urn:wallet-verifier:assurance:${level}`)
    const acr = { essential: true, values }
    const policies = [{ ...ADULT, required_assurance_level: 'substantial' }]
    const parameters = { claims: JSON.stringify({ id_token: { acr } }) }
    const { claims } = await login(stage, await registerClient(stage.rp, { policies }), { parameters })
    return String(claims.acr).split(':').at(-1)
  }

  it.each([
    [['low'], 'low'],
    [['low', 'substantial'], 'substantial'],
    [['high', 'low'], 'low'],
    [null, 'substantial'],
  ])('of a login at level substantial that requests the essential values %j is %s', async (values, acr) => {
    expect(await loggedInWith(values)).toBe(acr)
  })
})

it('the ID token names the hash of the policy that GET /v1/oidc_clients/{id} shows', async () => {
  const registered = await registerClient(stage.rp, { cross_device: false })
  const { claims } = await login(stage, registered)
  const shown = await stage.rp.call('GET', `/v1/oidc_clients/${registered.client_id}`)
  const { policies } = (await shown.json()) as { policies: readonly Readonly<Record<string, unknown>>[] }
  const [policy = {}] = policies
  expect(policy.required_session_binding).toBe('page')
  // RFC 8785 §3.2.3. No member of this policy is an object with members.
  const sorted = Object.fromEntries(Object.entries(policy).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex')
  expect(claims.policy).toBe(`adult#${digest.slice(0, 16)}`)
})

it('a login with an unknown acr_values, max_age, display and login_hint succeeds, and its auth_time is not after its iat', async () => {
  const parameters = { acr_values: 'urn:example:gold', max_age: '1', display: 'popup', login_hint: 'erika' }
  const registered = await registerClient(stage.rp)
  const { claims } = await login(stage, registered, { parameters })
  expect(claims.auth_time).toBeLessThanOrEqual(claims.iat)
})
