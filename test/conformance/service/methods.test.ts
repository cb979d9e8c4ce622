// Methods that are in no table of routes, as the whole process receives them.

import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { useStage } from '../../support/service/stage.ts'

const stage = useStage()

/** Sends a request with any method: `fetch` does not send TRACE. */
function send(method: string, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request(
      `${stage.service.server.origin}${path}`,
      { method, headers: { 'X-Canary': 'CANARY' } },
      (response) => text(response).then((body) => resolve({ status: response.statusCode, body }), reject),
    )
      .on('error', reject)
      .end()
  })
}

it.each(['/healthz', '/v1/verify', '/nowhere'])(
  'a TRACE request is refused, and its headers are not returned: %s',
  async (path) => {
    const { status, body } = await send('TRACE', path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(502)
    expect(body).not.toContain('CANARY')
  },
)
