// OpenID Connect Core 1.0 §3.1.2.1: the person whom an `id_token_hint` names.

import { env } from 'cloudflare:workers'
import { decodeJwt, generateKeyPair, type JWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import errors from '../../../assets/oauth-errors.json'
import type { RequestError } from '../../../src/routes/oidc/responses.ts'
import { type Setting, setUp } from '../../session/driver.ts'
import {
  ADULT_POLICY,
  answer,
  authorize,
  begin,
  finish,
  newClient,
  push,
  REQUEST,
  redeem,
  type TestClient,
} from './login-world.ts'

let setting: Setting
let client: TestClient
/** ID token of an earlier login at the client. */
let earlier: string

beforeAll(async () => {
  setting = await setUp({ livemode: true })
  client = await pairwiseClient()
  earlier = await idTokenOf('X1')
})

/** A client whose `sub` comes from the number of the person's document. */
function pairwiseClient(): Promise<TestClient> {
  const claims = [{ path: ['document_number'] }, { path: ['age_over_18'] }]
  const meta = { vct_values: ['urn:eu.europa.ec.av:1'] }
  const credential = { id: 'age_attestation', format: 'dc+sd-jwt', meta, claims }
  const { name, request_options } = ADULT_POLICY
  return newClient(setting, {
    policies: [{ name, request_options, dcql_query: { credentials: [credential] } }],
    subject: { type: 'pairwise', claims: ['document_number'] },
  })
}

/** Logs in the person with this document number. Returns what the client gets. */
async function logIn(document_number: string, parameters: object = {}): Promise<URLSearchParams> {
  const browser = await answer(setting, await begin(client, parameters), {
    document_number,
    age_over_18: true,
  })
  return finish(client, browser)
}

async function idTokenOf(document_number: string, parameters: object = {}): Promise<string> {
  const { tokens } = await redeem(client, (await logIn(document_number, parameters)).get('code') ?? '')
  return tokens.id_token
}

/** Returns the key that signs the ID tokens of the client. */
function ownKey(): JWK {
  const { keys } = JSON.parse(env.OIDC_KEYS ?? '') as { readonly keys: readonly JWK[] }
  const key = keys.find(({ kty }) => kty === 'RSA')
  if (key === undefined) throw new Error('there is no RSA key')
  return key
}

/** Returns the earlier token with changed claims, or signed by another key. */
function signed(changes: object, key: JWK | CryptoKey = ownKey()): Promise<string> {
  const claims = { ...decodeJwt(earlier), ...changes }
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(key)
}

/** Returns the error of a request with this hint, as its client gets it. */
async function errorWith(id_token_hint: string, by = client, parameters: object = {}) {
  const response = await authorize(by, { ...REQUEST, ...parameters, id_token_hint })
  const { searchParams } = new URL(response.headers.get('Location') ?? 'none:')
  return [searchParams.get('error'), searchParams.get('error_description')]
}

const rowOf = (name: RequestError) => [errors.request[name].error, errors.request[name].description]

describe('an id_token_hint', () => {
  it.each<[string, () => Promise<object>]>([
    ['in the address', async () => ({ id_token_hint: earlier })],
    ['of a pushed request', async () => ({ request_uri: await push(client, { id_token_hint: earlier }) })],
    ['that has expired', async () => ({ id_token_hint: await signed({ exp: 1 }) })],
    [
      'that is longer than other parameters',
      async () => ({ id_token_hint: await signed({ x: 'x'.repeat(2048) }) }),
    ],
  ])('%s lets only the person of the earlier login log in', async (_, parameters) => {
    const { sub } = decodeJwt(earlier)
    expect(decodeJwt(await idTokenOf('X1', await parameters())).sub).toBe(sub)
    const other = await logIn('X2', await parameters())
    expect([other.get('code'), other.get('error_description')]).toEqual([null, 'subject_mismatch'])
  })

  it('and a `sub` in `claims` must both match the person', async () => {
    const claims = JSON.stringify({ id_token: { sub: { value: 'another' } } })
    const response = await logIn('X1', { id_token_hint: earlier, claims })
    expect(response.get('error_description')).toBe('subject_mismatch')
  })

  it.each<[string, () => Promise<string> | string]>([
    ['is no JWT', () => 'none'],
    ['is signed by another key', async () => signed({}, (await generateKeyPair('RS256')).privateKey)],
    ['is for another issuer', () => signed({ iss: 'https://other.example' })],
    ['is a UserInfo response', () => signed({ exp: undefined })],
  ])('is refused if it %s', async (_, hint) => {
    expect(await errorWith(await hint())).toEqual(rowOf('id_token_hint'))
  })

  it('is refused if it is for another client', async () => {
    expect(await errorWith(earlier, await pairwiseClient())).toEqual(rowOf('id_token_hint'))
  })

  it('is refused with login_required if the request has prompt=none', async () => {
    expect(await errorWith(earlier, client, { prompt: 'none' })).toEqual(rowOf('prompt_none'))
  })

  it('is refused with login_required if its client gets a different sub at each login', async () => {
    const transient = await newClient(setting)
    const hint = await signed({ aud: transient.client_id })
    expect(await errorWith(hint, transient)).toEqual(rowOf('hint_of_transient_subject'))
  })
})
