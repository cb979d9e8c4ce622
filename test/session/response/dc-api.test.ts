// A response by the Digital Credentials API that is nested too deep, or no JSON object. The route bounds the
// body before the session sees it, and the session bounds `data` itself.

import { beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { call, json } from '../../routes/edge/edge-app.ts'
import { createSession, poll, type Setting, setUp, stubOf } from '../driver.ts'

const app = createApp()
const SHOP = 'https://shop.example'
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
/** A body with two levels of its own around `vp_token`. */
const bodyWith = (levels: number) =>
  `{"protocol":"openid4vp-v1-unsigned","data":{"vp_token":{"age_attestation":[]},"more":${nested(levels)}}}`

let setting: Setting

beforeAll(async () => {
  setting = await setUp({ origins: [SHOP] })
})

async function requested(): Promise<string> {
  const { verification_id: id } = await createSession(setting)
  const { headers } = setting
  expect((await call(app, 'POST', `/v1/verify/${id}/dc-api/request`, { headers, body: {} })).status).toBe(200)
  return id
}

describe('a response body of the Digital Credentials API', () => {
  it.each([15, 40, 20_000])(
    'gets 400 with %i levels in `data`, and the session stores no attempt',
    async (levels) => {
      const id = await requested()
      const body = bodyWith(levels)
      const options = { headers: { ...setting.headers, 'Content-Type': 'application/json' }, body }
      const response = await call(app, 'POST', `/v1/verify/${id}/dc-api`, options)
      expect(response.status).toBe(400)
      expect(await json(response)).toMatchObject({
        code: 'invalid_json',
        detail: 'The body must be nested at most 16 levels deep.',
      })
      expect(await poll(setting, id)).toMatchObject({ status: 'pending', attempts: [] })
    },
  )

  it('reaches the session if it has as many levels as the limit allows', async () => {
    const id = await requested()
    const options = {
      headers: { ...setting.headers, 'Content-Type': 'application/json' },
      body: bodyWith(14),
    }
    const response = await call(app, 'POST', `/v1/verify/${id}/dc-api`, options)
    expect(await json(response)).toMatchObject({ errors: [{ code: 'wrong_presentation_count' }] })
  })
})

it.each([
  [31, 'wrong_presentation_count'],
  [32, 'limit_exceeded'],
  [20_000, 'limit_exceeded'],
])('the session refuses `data` with %i levels, with the reason %s', async (levels, code) => {
  const id = await requested()
  const data = `{"vp_token":{"age_attestation":[]},"more":${nested(levels)}}`
  const by = { relyingPartyId: setting.relyingPartyId }
  const protocol = 'openid4vp-v1-unsigned'
  const response = { page: 'relying_party', protocol, data, digest: `${levels}` } as const
  expect(await stubOf(id).processDcApiResponse(by, response)).toEqual({ ok: false, error: code })
  expect(await poll(setting, id)).toMatchObject({ status: 'pending', attempts: [{ reason: { code } }] })
})

it.each([
  ['is no JSON', 'malformed_response', '{"response":'],
  ['is no object', 'malformed_response', '["response"]'],
  ['has too many levels', 'limit_exceeded', `{"response":${nested(32)}}`],
  ['is too long', 'limit_exceeded', JSON.stringify({ response: 'A'.repeat(1024 * 1024) })],
])('the session refuses org-iso-mdoc `data` that %s, with the reason %s', async (how, code, data) => {
  const { verification_id: id } = await createSession(setting, { formats: ['mso_mdoc'] })
  const by = { relyingPartyId: setting.relyingPartyId }
  const page = { page: 'relying_party', origin: SHOP, wallet: null } as const
  expect((await stubOf(id).createDcApiRequest(by, page)).ok).toBe(true)
  const response = { page: 'relying_party', protocol: 'org-iso-mdoc', data, digest: how } as const
  expect(await stubOf(id).processDcApiResponse(by, response)).toEqual({ ok: false, error: code })
  expect(await poll(setting, id)).toMatchObject({ status: 'pending', attempts: [{ reason: { code } }] })
})

describe('a response to the request for a chosen wallet', () => {
  const EMPTY = '{"vp_token":{"age_attestation":[]}}'
  const respond = async (wallet: string, protocol: 'openid4vp-v1-signed' | 'openid4vp-v1-unsigned') => {
    const { verification_id: id } = await createSession(setting)
    const by = { relyingPartyId: setting.relyingPartyId }
    const made = await stubOf(id).createDcApiRequest(by, { page: 'relying_party', origin: SHOP, wallet })
    if (!made.ok) throw new Error(made.error)
    const response = { page: 'relying_party', protocol, data: EMPTY, digest: protocol } as const
    return stubOf(id).processDcApiResponse(by, response)
  }

  it('is refused if it uses a protocol that this wallet did not get', async () => {
    expect(await respond('walt-id', 'openid4vp-v1-signed')).toEqual({
      ok: false,
      error: 'malformed_response',
    })
  })

  it('is processed if it uses a protocol that this wallet got', async () => {
    const processed = { ok: false, error: 'wrong_presentation_count' }
    expect(await respond('walt-id', 'openid4vp-v1-unsigned')).toEqual(processed)
    expect(await respond('credo', 'openid4vp-v1-signed')).toEqual(processed)
    expect(await respond('credo', 'openid4vp-v1-unsigned')).toEqual(processed)
  })
})
