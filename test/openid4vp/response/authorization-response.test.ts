import { describe, expect, it } from 'vitest'
import { openid4vp10 } from '../../../src/openid4vp/protocols/openid4vp-1.0.ts'
import {
  decryptResponse,
  parseAuthorizationResponse,
  requireState,
  WALLET_ERROR_CODES,
} from '../../../src/openid4vp/response/authorization-response.ts'
import { createEncryptionKey } from '../../../src/openid4vp/response/response-encryption.ts'
import type { ResponseMode } from '../../../src/openid4vp/response/response-mode.ts'
import { encryptResponse } from '../../support/people/wallet.ts'

const { publicJwk, privateJwk } = await createEncryptionKey()
const key = { kid: 'k1', privateJwk }
const VP_TOKEN = '{"age":["p"]}'

describe('a posted response', () => {
  it('is a presentation if it has a vp_token', () => {
    expect(parse({ vp_token: VP_TOKEN, state: 's' }, 'direct_post')).toEqual({
      ok: true,
      value: { kind: 'presentation', state: 's', hasJsonValues: false, vpToken: VP_TOKEN },
    })
  })

  it('may have unknown parameters, such as a presentation_submission of older drafts', () => {
    const unknown = { presentation_submission: '{}', iss: 'https://wallet.example', code: 'c', id_token: 'x' }
    expect(parse({ vp_token: VP_TOKEN, state: 's', ...unknown }, 'direct_post').ok).toBe(true)
  })

  it('is encrypted if it has the parameter response; it may also have state outside the JWE', async () => {
    const response = await encrypt({ state: 's', vp_token: {} })
    expect(parse({ response })).toEqual({
      ok: true,
      value: {
        kind: 'encrypted',
        jwe: response,
        kid: 'k1',
        agreementPartyUInfo: expect.any(String),
        state: undefined,
      },
    })
    expect(parse({ response, state: 's' })).toMatchObject({ value: { state: 's' } })
  })

  it.each<ResponseMode>(['direct_post', 'direct_post.jwt'])(
    'may be an unencrypted error: %s',
    (responseMode) => {
      expect(parse({ error: 'access_denied', state: 's' }, responseMode)).toEqual({
        ok: true,
        value: { kind: 'wallet_error', state: 's', error: 'access_denied', errorDescription: undefined },
      })
    },
  )

  it('is read without its empty parameters', () => {
    expect(parse({ error: 'access_denied', vp_token: '', state: 's' })).toMatchObject({ ok: true })
  })

  const jwe = 'a.b.c.d.e'
  it.each<[reason: string, parameters: Record<string, string>, responseMode: ResponseMode]>([
    ['malformed_response', {}, 'direct_post'],
    ['malformed_response', { state: 's' }, 'direct_post'],
    ['malformed_response', { vp_token: '', state: 's' }, 'direct_post'],
    ['malformed_response', { vp_token: VP_TOKEN, error: 'access_denied', state: 's' }, 'direct_post'],
    ['malformed_response', { vp_token: VP_TOKEN, response: jwe, state: 's' }, 'direct_post.jwt'],
    ['malformed_response', { response: jwe, error: 'access_denied', state: 's' }, 'direct_post.jwt'],
    ['malformed_response', { response: jwe }, 'direct_post.jwt'],
    ['missing_state', { vp_token: VP_TOKEN }, 'direct_post'],
    ['missing_state', { vp_token: VP_TOKEN, state: '' }, 'direct_post'],
    ['missing_state', { error: 'access_denied' }, 'direct_post.jwt'],
    ['limit_exceeded', { vp_token: VP_TOKEN, state: 's'.repeat(513) }, 'direct_post'],
    ['encryption_required', { vp_token: VP_TOKEN, state: 's' }, 'direct_post.jwt'],
    ['unexpected_encryption', { response: jwe }, 'direct_post'],
  ])('is refused as %s: the parameters %j with the response mode %s', (reason, parameters, responseMode) => {
    expect(parse(parameters, responseMode)).toEqual({ ok: false, error: { reason } })
  })

  it('is refused if the state outside the JWE is too long', async () => {
    const response = await encrypt({ state: 's', vp_token: {} })
    expect(parse({ response, state: 's'.repeat(513) })).toEqual({
      ok: false,
      error: { reason: 'limit_exceeded' },
    })
  })
})

describe('an error of the wallet', () => {
  it.each(WALLET_ERROR_CODES)('keeps its code if the code is known: %s', (error) => {
    expect(parse({ error, state: 's' })).toMatchObject({ value: { error } })
  })

  it.each(['Access_Denied', 'toString', '<script>'])(
    'is reported as `unknown_error` if its code is %s',
    (error) => {
      expect(parse({ error, state: 's' })).toMatchObject({ value: { error: 'unknown_error' } })
    },
  )

  it('keeps at most 200 printable characters of the description', () => {
    const error_description = `a\n\u202e\0b${'c'.repeat(500)}`
    expect(parse({ error: 'access_denied', error_description, state: 's' })).toMatchObject({
      value: { errorDescription: `a???b${'c'.repeat(195)}` },
    })
  })
})

describe('a decrypted response', () => {
  it('is a presentation if it has a vp_token', async () => {
    expect(await decrypt({ state: 's', vp_token: { age: ['p'] }, exp: 1, response: 'x' })).toEqual({
      ok: true,
      value: { kind: 'presentation', state: 's', hasJsonValues: true, vpToken: { age: ['p'] } },
    })
  })

  it('is an error if it has an error member', async () => {
    expect(await decrypt({ state: 's', error: 'access_denied', error_description: 'no' })).toEqual({
      ok: true,
      value: { kind: 'wallet_error', state: 's', error: 'access_denied', errorDescription: 'no' },
    })
  })

  it.each<[reason: string, parameters: object]>([
    ['malformed_response', { state: 's' }],
    ['malformed_response', { state: 's', vp_token: { age: ['p'] }, error: 'access_denied' }],
    ['malformed_response', { state: 's', error: 1 }],
    ['missing_state', { vp_token: { age: ['p'] } }],
    ['missing_state', { vp_token: { age: ['p'] }, state: 1 }],
    ['limit_exceeded', { vp_token: { age: ['p'] }, state: 's'.repeat(513) }],
  ])('is refused as %s: %j', async (reason, parameters) => {
    expect(await decrypt(parameters)).toEqual({ ok: false, error: { reason } })
  })
})

function parse(parameters: Record<string, string>, responseMode: ResponseMode = 'direct_post.jwt') {
  return parseAuthorizationResponse(new Map(Object.entries(parameters)), {
    responseMode,
    ...openid4vp10.responseEncryption,
  })
}

function encrypt(parameters: object): Promise<string> {
  return encryptResponse(parameters, { ...publicJwk, kid: 'k1' })
}

async function decrypt(parameters: object) {
  const parsed = parse({ response: await encrypt(parameters) })
  if (!parsed.ok || parsed.value.kind !== 'encrypted') return parsed
  return requireState(await decryptResponse(parsed.value, key))
}
