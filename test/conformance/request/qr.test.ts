// api/qr and api/access: the QR picture, read by two foreign decoders, and its caching.

import { expect, it } from 'vitest'
import { decodePng, readWithZxing } from '../../qr/foreign-readers.ts'
import {
  type CreatedSession,
  expectStatus,
  readQr,
  type WalletRequest,
} from '../../support/service/service.ts'
import { respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()

function drawQr(
  { verification_id }: CreatedSession,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return stage.rp.call('GET', `/v1/verify/${verification_id}/qr${query}`, { headers })
}

async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await response.arrayBuffer())
}

async function newestUri({ verification_id }: CreatedSession): Promise<string> {
  const view = await expectStatus(await stage.rp.call('GET', `/v1/verify/${verification_id}/openid4vp`), 200)
  return (view as { wallet_request: WalletRequest }).wallet_request.uri
}

it.each([160, 161, 320, 511, 777, 1024])(
  'api/qr: the service draws a QR code for size=%i exactly that many pixels wide, in 1-bit greyscale, and two decoders can read it',
  async (size) => {
    const session = await stage.rp.create()
    const png = await bytesOf(await drawQr(session, `?size=${size}`))
    expect(decodePng(png)).toMatchObject({ width: size, height: size, depth: 1, colourType: 0 })
    expect(readQr(png)).toBe(await newestUri(session))
    expect(await readWithZxing(png)).toEqual([readQr(png)])
  },
)

it.each([160, 320, 1024])(
  'api/qr: for size=%i, each module is a whole number of pixels and the quiet zone is 4 modules wide',
  async (size) => {
    const { rgba } = decodePng(await bytesOf(await drawQr(await stage.rp.create(), `?size=${size}`)))
    const dark = (column: number, row: number) => rgba[(row * size + column) * 4] === 0
    const columns = Array.from({ length: size }, (_, column) => column)
    const top = columns.findIndex((row) => columns.some((column) => dark(column, row)))
    const left = columns.findIndex((column) => columns.some((row) => dark(column, row)))
    // The first row of the finder pattern is seven dark modules wide.
    const finder = columns.slice(left).findIndex((column) => !dark(column, top))
    expect(finder % 7).toBe(0)
    const pixels = finder / 7
    const changes = columns
      .slice(1)
      .filter((column) => columns.some((row) => dark(column, row) !== dark(column - 1, row)))
    expect(changes.filter((column) => (column - left) % pixels !== 0)).toEqual([])
    expect(Math.min(left, top)).toBeGreaterThanOrEqual(4 * pixels)
  },
)

it.each(['159', '1025', '0', '-320', '320.5', '1e3', 'big', '', '320&size=640', '320px'])(
  'api/qr: the service returns 400 invalid_qr_size for size=%s and creates no request',
  async (size) => {
    const session = await stage.rp.create()
    const response = await drawQr(session, `?size=${size}`)
    expect(await expectStatus(response, 400)).toMatchObject({ code: 'invalid_qr_size' })
    expect(await newestUri(session)).toBe(session.wallet_request.uri)
  },
)

it.each([
  ['image/png', 'image/png'],
  ['image/svg+xml', 'image/svg+xml'],
  ['*/*', 'image/png'],
  ['image/*', 'image/png'],
  ['image/svg+xml, image/png;q=0.5', 'image/svg+xml'],
  ['image/png;q=0, */*', 'image/svg+xml'],
  ['text/html,application/xhtml+xml,image/avif,image/webp,*/*;q=0.8', 'image/png'],
])('api/qr: for the header Accept: %s, the service returns %s', async (accept, type) => {
  const response = await drawQr(await stage.rp.create(), '', { accept })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
})

it.each(['image/gif', 'application/json', 'image/png;q=0'])(
  'api/qr: the service returns 406 for the header Accept: %s and creates no request',
  async (accept) => {
    const session = await stage.rp.create()
    expect(await expectStatus(await drawQr(session, '', { accept }), 406)).toMatchObject({
      code: 'not_acceptable',
    })
    expect(await newestUri(session)).toBe(session.wallet_request.uri)
  },
)

it('api/qr: the service draws an SVG of the requested size without scripts or links', async () => {
  const svg = await (await drawQr(await stage.rp.create(), '?size=400', { accept: 'image/svg+xml' })).text()
  expect(svg).toMatch(/^<svg [^>]*width="400"[^>]*height="400"/)
  expect(svg).not.toMatch(/<script|href|on\w+=|<!/i)
})

it('api/qr: the service sets X-QR-Expires-At to the time when the QR code may stop working: in 60 s, or at the end of the session', async () => {
  const long = await stage.rp.create()
  const before = Date.now()
  const response = await drawQr(long)
  const dies = Date.parse(response.headers.get('x-qr-expires-at') ?? '')
  expect(dies).toBeGreaterThanOrEqual(before + 60_000)
  expect(dies).toBeLessThanOrEqual(Date.now() + 60_000)
  const short = await stage.rp.create({ credential_types: ['pid'], scope: ['sex'], expires_in: 60 })
  expect((await drawQr(short)).headers.get('x-qr-expires-at')).toBe(short.expires_at)
})

it('api/qr, api/access: the service sends /qr with no-store and without validators', async () => {
  const { headers } = await drawQr(await stage.rp.create())
  expect(headers.get('cache-control')).toBe('no-store')
  for (const name of ['etag', 'last-modified', 'expires', 'age']) expect(headers.has(name)).toBe(false)
})

it('api/access: the service ignores conditional headers and sends a new picture', async () => {
  const session = await stage.rp.create()
  const headers = { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString(), range: 'bytes=0-9' }
  const response = await drawQr(session, '', headers)
  expect(response.status).toBe(200)
  expect(readQr(await bytesOf(response))).not.toBe(session.wallet_request.uri)
})

it.each(['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip'])(
  'api/access: the service returns 503 for the header Sec-Purpose: %s and creates no request',
  async (purpose) => {
    const session = await stage.rp.create()
    const response = await drawQr(session, '', { 'sec-purpose': purpose })
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await expectStatus(response, 503)).toMatchObject({ code: 'temporarily_unavailable' })
    expect(await newestUri(session)).toBe(session.wallet_request.uri)
  },
)

it('api/qr: the service draws 60 QR codes at once, then one each second; further calls get 429, and the last QR code works', async () => {
  const session = await stage.rp.create()
  const began = Date.now()
  const pictures: Uint8Array<ArrayBuffer>[] = []
  const refused: Response[] = []
  for (let i = 0; i < 90; i++) {
    const response = await drawQr(session, '?size=160')
    if (response.status === 200) pictures.push(await bytesOf(response))
    else refused.push(response)
  }
  const refilled = Math.ceil((Date.now() - began) / 1000)
  expect(pictures.length).toBeGreaterThanOrEqual(60)
  expect(pictures.length).toBeLessThanOrEqual(60 + refilled)
  for (const response of refused) {
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await expectStatus(response, 429)).toMatchObject({ code: 'render_limit_reached', retryable: true })
  }
  const request = await stage.service.wallet.receive(readQr(pictures.at(-1)!))
  expect((await respondWithAge(stage, request)).status).toBe(200)
})
