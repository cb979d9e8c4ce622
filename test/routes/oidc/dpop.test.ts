// Proofs of possession of a key (RFC 9449): each error by one change in a good request. jose makes the
// proofs.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import errors from '../../../assets/oauth-errors.json'
import type { ProofError } from '../../../src/routes/oidc/dpop.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { type Setting, setUp, stubOf } from '../../session/driver.ts'
import { call, json } from '../edge/edge-app.ts'
import {
  answer,
  app,
  begin,
  finish,
  newClient,
  pathOf,
  REQUEST,
  redemptionOf,
  type TestClient,
} from './login-world.ts'

let setting: Setting
let client: TestClient
let key: CryptoKeyPair
let other: CryptoKeyPair
let rsa: CryptoKeyPair

beforeAll(async () => {
  setting = await setUp()
  client = await newClient(setting, { dpop_bound_access_tokens: true })
  key = await generateKeyPair('ES256', { extractable: true })
  other = await generateKeyPair('ES256', { extractable: true })
  rsa = await generateKeyPair('PS256', { extractable: true })
})

/** Claims of a proof, without `ath`; `undefined` leaves a claim out. */
type Changes = {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  readonly by?: CryptoKeyPair
  readonly alg?: string
}

const thumbprint = async ({ publicKey }: CryptoKeyPair) => calculateJwkThumbprint(await exportJWK(publicKey))

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

/** Makes a proof for one endpoint of the client. */
async function proof(endpoint: string, { claims = {}, header = {}, by = key, alg = 'ES256' }: Changes = {}) {
  const payload = {
    htm: endpoint === 'userinfo' ? 'GET' : 'POST',
    htu: `${client.issuer}/${endpoint}`,
    iat: Math.floor(Date.now() / 1000),
    jti: crypto.randomUUID(),
    ...claims,
  }
  return new SignJWT(payload as JWTPayload)
    .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk: await exportJWK(by.publicKey), ...header })
    .sign(by.privateKey)
}

type Headers = Readonly<Record<string, string>>

function send(
  endpoint: 'par' | 'token',
  form: object,
  headers: Headers,
  by = client,
  bindings: typeof env = env,
): Promise<Response> {
  const body = `${new URLSearchParams({ ...form })}`
  return call(app, 'POST', `${pathOf(by.issuer)}/${endpoint}`, {
    headers: {
      Authorization: `Basic ${btoa(`${by.client_id}:${by.client_secret}`)}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body,
    env: bindings,
  })
}

async function codeOf(parameters: object = {}, by = client): Promise<string> {
  const browser = await answer(setting, await begin(by, parameters))
  return (await finish(by, browser)).get('code') ?? ''
}

type Bound = { readonly access_token: string; readonly token_type: string; readonly error?: string }

/** Redeems a code, with a proof unless it is null. */
async function redeem(code: string, text: string | null, by = client): Promise<Bound> {
  return json(send('token', redemptionOf(code), text === null ? {} : { DPoP: text }, by))
}

/** Reads UserInfo with an access token and a proof. */
async function read(token: string, text?: string, scheme = 'DPoP'): Promise<Response> {
  return call(app, 'GET', `${pathOf(client.issuer)}/userinfo`, {
    headers: { Authorization: `${scheme} ${token}`, ...(text !== undefined && { DPoP: text }) },
  })
}

const withToken = async (token: string, { claims = {}, ...changes }: Changes = {}) =>
  proof('userinfo', { ...changes, claims: { ath: await digest(token), ...claims } })

type Refused = readonly [name: string, error: ProofError, change: () => Promise<Changes>]

const shout = (address: string) => address.replace(/^https:\/\/[^/]+/, (origin) => origin.toUpperCase())

/** Replaces ENDPOINT by the endpoint of a call. */
const at = (endpoint: string, { claims = {}, ...changes }: Changes): Changes => ({
  ...changes,
  claims: Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace('ENDPOINT', endpoint) : value,
    ]),
  ),
})

describe('a proof is refused with', () => {
  let token = ''
  beforeAll(async () => {
    token = (await redeem(await codeOf(), await proof('token'))).access_token
  })

  it.each<Refused>([
    ['another typ', 'proof_malformed', async () => ({ header: { typ: 'JWT' } })],
    ['no jwk', 'proof_malformed', async () => ({ header: { jwk: undefined } })],
    [
      'the jwk of another key',
      'proof_malformed',
      async () => ({ header: { jwk: await exportJWK(other.publicKey) } }),
    ],
    ['a private jwk', 'proof_malformed', async () => ({ header: { jwk: await exportJWK(key.privateKey) } })],
    [
      'RS256',
      'proof_malformed',
      async () => ({ by: await generateKeyPair('RS256', { extractable: true }), alg: 'RS256' }),
    ],
    [
      'ES384',
      'proof_malformed',
      async () => ({ by: await generateKeyPair('ES384', { extractable: true }), alg: 'ES384' }),
    ],
    [
      'a key of 1024 bits',
      'proof_malformed',
      async () => ({ header: { jwk: { kty: 'RSA', n: 'u'.repeat(171), e: 'AQAB' } } }),
    ],
    ...['htm', 'htu', 'iat', 'jti'].map(
      (name) => [`no ${name}`, 'proof_malformed', async () => ({ claims: { [name]: undefined } })] as const,
    ),
    ['a jti of 256 characters', 'proof_malformed', async () => ({ claims: { jti: 'x'.repeat(256) } })],
    ['more than 4,096 characters', 'proof_malformed', async () => ({ claims: { more: 'x'.repeat(4_096) } })],
    ['another method', 'proof_target', async () => ({ claims: { htm: 'PUT' } })],
    ['another address', 'proof_target', async () => ({ claims: { htu: `${client.issuer}/jwks` } })],
    ['an htu that is no address', 'proof_target', async () => ({ claims: { htu: '/token' } })],
    ['an iat of 61 s ago', 'proof_time', async () => ({ claims: { iat: Date.now() / 1000 - 61 } })],
    ['an iat in 12 s', 'proof_time', async () => ({ claims: { iat: Date.now() / 1000 + 12 } })],
  ])('%s', async (_, name, change) => {
    const { error, description } = errors.oidc[name]
    const body = { error, error_description: description }
    const forms = { par: REQUEST, token: redemptionOf('none') } as const
    for (const endpoint of ['par', 'token'] as const) {
      const refused = await send(endpoint, forms[endpoint], { DPoP: await proof(endpoint, await change()) })
      expect([refused.status, await refused.json()]).toEqual([400, body])
    }
    const refused = await read(token, await withToken(token, await change()))
    expect([refused.status, await refused.json()]).toEqual([401, body])
    const challenge = 'DPoP error="invalid_dpop_proof", algs="ES256 PS256"'
    expect(refused.headers.get('WWW-Authenticate')).toBe(challenge)
    expect((await read(token, await withToken(token))).status).toBe(200)
  })

  it.each<[string, (text: string) => string]>([
    ['two proofs', (text) => `${text}, ${text}`],
    ['a changed signature', (text) => `${text.slice(0, -4)}AAAA`],
    ['alg none', (text) => `${btoa('{"typ":"dpop+jwt","alg":"none"}')}.${text.split('.')[1]}.`],
    ['no JWT', () => 'none'],
    ['an empty text', () => ''],
  ])('%s', async (_, change) => {
    const refused = await send('token', redemptionOf('none'), { DPoP: change(await proof('token')) })
    expect([refused.status, (await json(refused)).error_description]).toEqual([
      400,
      errors.oidc.proof_malformed.description,
    ])
    const atUserInfo = await read(token, change(await withToken(token)))
    expect([atUserInfo.status, (await json(atUserInfo)).error]).toEqual([401, 'invalid_dpop_proof'])
  })
})

describe('a proof is accepted with', () => {
  it.each<[string, () => Promise<Changes>]>([
    ['query and fragment in htu', async () => ({ claims: { htu: `${client.issuer}/ENDPOINT?a=b#c` } })],
    [
      'scheme and host of htu in capitals',
      async () => ({ claims: { htu: shout(`${client.issuer}/ENDPOINT`) } }),
    ],
    [
      'the port of https in htu',
      async () => ({ claims: { htu: `${client.issuer}/ENDPOINT`.replace('.example', '.example:443') } }),
    ],
    ['an iat of 10 s ago', async () => ({ claims: { iat: Date.now() / 1000 - 10 } })],
    ['an iat in 8 s', async () => ({ claims: { iat: Date.now() / 1000 + 8 } })],
    ['nbf and exp', async () => ({ claims: { nbf: 1, exp: 4_000_000_000 } })],
    ['unknown members', async () => ({ claims: { more: 1 }, header: { more: 1 } })],
  ])('%s', async (_, change) => {
    const pushed = await send('par', REQUEST, { DPoP: await proof('par', at('par', await change())) })
    expect(pushed.status).toBe(201)
    const tokens = await redeem(await codeOf(), await proof('token', at('token', await change())))
    expect(tokens.token_type).toBe('DPoP')
    const text = await withToken(tokens.access_token, at('userinfo', await change()))
    expect((await read(tokens.access_token, text)).status).toBe(200)
  })

  it('an RSA key and PS256', async () => {
    const changes = { by: rsa, alg: 'PS256' }
    const { access_token } = await redeem(
      await codeOf({ dpop_jkt: await thumbprint(rsa) }),
      await proof('token', changes),
    )
    expect((await read(access_token, await withToken(access_token, changes))).status).toBe(200)
  })
})

describe('an access token that is bound to a key', () => {
  it('opens UserInfo only with an unused proof that this key signed for this token', async () => {
    const [first, second] = [await codeOf(), await codeOf()]
    const { access_token: token } = await redeem(first, await proof('token'))
    const { access_token: another } = await redeem(second, await proof('token'))
    const answerOf = async (...sent: Parameters<typeof read>) => {
      const response = await read(...sent)
      const { error } = response.status === 200 ? { error: null } : await json(response)
      return [response.status, error, response.headers.get('WWW-Authenticate')?.replace(/, algs.*/, '')]
    }
    const text = await withToken(token)
    expect(await answerOf(token, text)).toEqual([200, null, undefined])
    const ofProof = [401, 'invalid_dpop_proof', 'DPoP error="invalid_dpop_proof"']
    expect(await answerOf(token, text)).toEqual(ofProof)
    expect(await answerOf(token)).toEqual(ofProof)
    expect(await answerOf(token, await withToken(another))).toEqual(ofProof)
    expect(await answerOf(token, await proof('userinfo'))).toEqual(ofProof)
    const ofToken = [401, 'invalid_token', 'DPoP error="invalid_token"']
    expect(await answerOf(token, await withToken(token, { by: other }))).toEqual(ofToken)
    expect(await answerOf(`${token}x`, await withToken(`${token}x`))).toEqual(ofToken)
    const ofBearer = [401, 'invalid_token', 'Bearer error="invalid_token"']
    expect(await answerOf(token, undefined, 'Bearer')).toEqual(ofBearer)
    expect(await answerOf(token, await withToken(token), 'Bearer')).toEqual(ofBearer)
    expect(await answerOf(token, await withToken(token), 'dpop')).toEqual([200, null, undefined])
  })

  it('is stored as its digest after the prefix `DPoP`; a bearer token is stored as its digest alone', async () => {
    const plain = await newClient(setting)
    const storedOf = async (text: string | null) => {
      const { access_token: token } = await redeem(await codeOf({}, plain), text, plain)
      const [id] = token.split('.')
      const login = await runInDurableObject(
        stubOf(`v_${id}`),
        (_, { storage }) => storage.kv.get<SessionDocument>('session')?.login,
      )
      return [login?.redeemed?.token, await digest(token)]
    }
    const [stored, compared] = await storedOf(null)
    expect(stored).toBe(compared)
    const [bound, unbound] = await storedOf(
      await proof('token', { claims: { htu: `${plain.issuer}/token` } }),
    )
    expect(bound).toBe(`DPoP ${unbound}`)
  })

  it('is issued to a client without dpop_bound_access_tokens if the client sends a proof; without a proof, the client gets a bearer token', async () => {
    const plain = await newClient(setting)
    const ofPlain = { claims: { htu: `${plain.issuer}/token` } }
    const bound = await redeem(await codeOf({}, plain), await proof('token', ofPlain), plain)
    expect(bound.token_type).toBe('DPoP')
    const bearer = await redeem(await codeOf({}, plain), null, plain)
    expect(bearer.token_type).toBe('Bearer')
    const { access_token } = bearer
    expect((await read(access_token, await withToken(access_token))).status).toBe(401)
    expect((await read(access_token, undefined, 'Bearer')).status).toBe(200)
  })
})

describe('a code of a client with dpop_bound_access_tokens', () => {
  it('is refused without a proof and with a proof that was used, and then works with a new proof', async () => {
    const code = await codeOf()
    expect((await redeem(code, null)).error).toBe('invalid_dpop_proof')
    const used = await proof('token')
    const description = async (text: string) =>
      (await json(send('token', redemptionOf(code), { DPoP: text }))).error_description
    expect((await redeem(await codeOf(), used)).token_type).toBe('DPoP')
    expect(await description(used)).toBe(errors.oidc.proof_used.description)
    expect((await redeem(code, await proof('token'))).token_type).toBe('DPoP')
  })

  it.each([
    ['dpop_jkt in the address', async () => codeOf({ dpop_jkt: await thumbprint(key) })],
    [
      'dpop_jkt of a pushed request',
      async () => codeOfPushed({ ...REQUEST, dpop_jkt: await thumbprint(key) }, {}),
    ],
    ['the proof of a pushed request', async () => codeOfPushed(REQUEST, { DPoP: await proof('par') })],
  ])('is bound by %s: another key is refused', async (_, begin) => {
    const code = await begin()
    expect((await redeem(code, await proof('token', { by: other }))).error).toBe('invalid_grant')
    expect((await redeem(code, await proof('token'))).token_type).toBe('DPoP')
  })

  async function codeOfPushed(form: object, headers: Headers): Promise<string> {
    const pushed = await json(send('par', form, headers))
    return codeOf({ request_uri: pushed.request_uri })
  }
})

describe('a pushed request', () => {
  it('is refused if dpop_jkt is not the thumbprint of the key of its proof', async () => {
    const form = async (by: CryptoKeyPair) => ({ ...REQUEST, dpop_jkt: await thumbprint(by) })
    const refused = await send('par', await form(other), { DPoP: await proof('par') })
    expect([refused.status, await json(refused)]).toEqual([
      400,
      { error: 'invalid_dpop_proof', error_description: errors.oidc.proof_key.description },
    ])
    expect((await send('par', await form(key), { DPoP: await proof('par') })).status).toBe(201)
  })

  it('is refused with a proof that was used before', async () => {
    const text = await proof('par')
    expect((await send('par', REQUEST, { DPoP: text })).status).toBe(201)
    const refused = await send('par', REQUEST, { DPoP: text })
    expect((await json(refused)).error_description).toBe(errors.oidc.proof_used.description)
  })
})

it('a proof is refused if the service cannot check whether it was used before, or if it expires during the call', async () => {
  const code = await codeOf()
  const sendWith = async (error: string) => {
    const storeOnce = async () => ({ ok: false, error })
    const objects = { idFromString: () => ({}), get: () => ({ storeOnce }) }
    const bindings = { ...env, RELYING_PARTY: objects } as unknown as typeof env
    const response = await send('token', redemptionOf(code), { DPoP: await proof('token') }, client, bindings)
    return [response.status, (await json(response)).error]
  }
  expect(await sendWith('full')).toEqual([503, 'temporarily_unavailable'])
  expect(await sendWith('expired')).toEqual([400, 'invalid_dpop_proof'])
  expect((await redeem(code, await proof('token'))).token_type).toBe('DPoP')
})
