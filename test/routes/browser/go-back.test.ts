// `return_automatically` (api/page): after the end the session page goes back by itself.

import { describe, expect, it } from 'vitest'
import TEXTS from '../../../assets/texts/en.json' with { type: 'json' }
import { createApp } from '../../../src/routes/app.ts'
import { ask, createSession, poll, type Setting, setUp } from '../../session/driver.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()
const RETURN_URL = 'https://shop.example/done'
const BACK = { return_url: RETURN_URL }
const AUTOMATIC = { ...BACK, return_automatically: true }
const SCRIPT = '/assets/go-back.js'

async function pageOf(setting: Setting, body: object, headers: Readonly<Record<string, string>> = {}) {
  const { session_url } = await createSession(setting, body)
  const { pathname, search } = new URL(session_url)
  return (await call(app, 'GET', pathname + search, { headers })).text()
}

describe('a session page', () => {
  it('goes back by itself if the create request asks for it, and has a button that stops the return', async () => {
    const html = await pageOf(await setUp({ return_urls: [RETURN_URL] }), AUTOMATIC)
    expect(html).toContain(SCRIPT)
    expect(html).toMatch(
      /<p id="going" role="status" data-text="In a few seconds you go back to [^"]*"><\/p>\s*<button id="stay"[^>]* hidden>/,
    )
    expect(html.indexOf(SCRIPT)).toBeLessThan(html.indexOf('/assets/session-page.js')) // it must listen first
  })

  it.each([
    ['without return_automatically', BACK, {}],
    ['with return_automatically: false', { ...BACK, return_automatically: false }, {}],
    ['in a frame', AUTOMATIC, { 'Sec-Fetch-Dest': 'iframe' }],
  ])(
    'does not go back by itself, and does not load the script of the return, %s',
    async (_, body, headers) => {
      const html = await pageOf(await setUp({ return_urls: [RETURN_URL] }), body, headers)
      expect(html).not.toContain(SCRIPT)
      expect(html).not.toContain('id="going"')
    },
  )

  it('does not go back by itself if it is opened after the end, for example by a reload', async () => {
    const setting = await setUp({ return_urls: [RETURN_URL] })
    const { session_url, verification_id } = await createSession(setting, AUTOMATIC)
    await ask(setting, 'POST', verification_id, '/cancel')
    const { pathname, search } = new URL(session_url)
    const html = await (await call(app, 'GET', pathname + search)).text()
    expect(html).not.toMatch(/<script|id="going"/)
    expect(html).toContain('id="back"')
  })
})

it('a page with a way back does not say that it can be closed', async () => {
  const setting = await setUp({ return_urls: [RETURN_URL] })
  expect(await pageOf(setting, BACK)).not.toContain(TEXTS.closePage)
  expect(await pageOf(setting, {})).toContain(TEXTS.closePage)
})

it('the view of a session has the member return_automatically, which is false by default', async () => {
  const setting = await setUp({ return_urls: [RETURN_URL] })
  for (const [body, value] of [
    [AUTOMATIC, true],
    [BACK, false],
  ] as const) {
    const { verification_id } = await createSession(setting, body)
    expect((await poll(setting, verification_id)).return_automatically).toBe(value)
  }
})

it('a create request with return_automatically and without a return_url is refused', async () => {
  const { headers } = await setUp({ return_urls: [RETURN_URL] })
  const body = {
    credential_types: ['age_attestation'],
    scope: ['age_over_18'],
    return_automatically: true,
  }
  const response = await call(app, 'POST', '/v1/verify', { headers, body })
  expect(response.status).toBe(400)
  const { code, errors } = await json(response)
  expect([code, errors]).toEqual([
    'invalid_request',
    [expect.objectContaining({ pointer: '/return_automatically' })],
  ])
})
