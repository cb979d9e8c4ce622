// RFC 9110 §6.6.1: the date of each response of a self-hosted service.

import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { useStage } from '../../support/service/stage.ts'

const stage = useStage()

/** Returns the headers with this name: `fetch` would join several. */
async function headersOf(name: string, method: string, path: string): Promise<readonly string[]> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${stage.service.server.origin}${path}`, { method }, resolve).on('error', reject).end()
  })
  await text(response)
  return response.headersDistinct[name] ?? []
}

it.each([
  ['a probe', 'GET', '/healthz'],
  ['a page', 'GET', '/'],
  ['a file', 'GET', '/assets/api-reference.js'],
  ['JSON', 'GET', '/openapi.json'],
  ['a response to HEAD', 'HEAD', '/healthz'],
  ['a response to a preflight', 'OPTIONS', '/oidc/rp_none/token'],
  ['an error without a route', 'GET', '/nowhere'],
  ['an error without a credential', 'POST', '/v1/verify'],
  ['an error for a wallet', 'POST', '/v1/verify/v_none/callback'],
  ['an error page', 'GET', '/oidc/rp_none/authorize'],
  ['a page of the sandbox', 'GET', '/test/wallet'],
])('%s has one Date header with the time of the response', async (_, method, path) => {
  const before = Math.floor(Date.now() / 1000) * 1000
  const dates = await headersOf('date', method, path)
  expect(dates).toEqual([expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)])
  const time = Date.parse(dates[0] ?? '')
  expect(time).toBeGreaterThanOrEqual(before)
  expect(time).toBeLessThanOrEqual(Date.now())
})
