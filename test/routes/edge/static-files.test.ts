// Static files in the coding that a client accepts: scripts of the pages, files of the console and the script
// of the API reference. The files are stand-ins, so that the test needs no build.

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { utf8 } from '../../../src/codec/bytes.ts'
import { sha256 } from '../../../src/crypto/digest.ts'
import type { Env } from '../../../src/env.ts'
import { createApp } from '../../../src/routes/app.ts'
import { call } from './edge-app.ts'

const app = createApp()
const TEXT = 'console.log("ä")\n'
const FILES = [
  ['/assets/link.js', 'page/link.js'],
  ['/assets/api-reference.js', 'docs/reference.js'],
  ['/console/assets/console.js', 'console/console.js'],
  ['/console/assets/texts-de.json', 'console/texts-de.json'],
] as const
let version = ''

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
  version = encodeBase64url(await sha256(utf8(TEXT))).slice(0, 16)
})

/** Bindings with one file, and its compressed files for `codings`. Their content is only a mark. */
function withFile(path: string, codings: readonly string[], hash = version): Env {
  const files = new Map([
    [path, TEXT],
    ...codings.map((coding) => [`${path}.${hash}.${coding}`, coding] as const),
  ])
  const fetch = async (address: string) => {
    const file = files.get(new URL(address).pathname.slice(1))
    return new Response(file ?? null, { status: file === undefined ? 404 : 200 })
  }
  return { ...env, CONSOLE: '1', ASSETS: { fetch } } as unknown as Env
}

function get(address: string, accepted: string, world: Env, headers: Record<string, string> = {}) {
  return call(app, 'GET', address, { headers: { 'Accept-Encoding': accepted, ...headers }, env: world })
}

describe.each(FILES)('%s', (address, path) => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0, GZIP;q=0.5', 'gzip'],
    ['br;q=0.0, gzip;q=0', null],
    ['brotli', null],
    ['', null],
  ])(
    'for Accept-Encoding "%s" is sent in the coding %s, and is not encoded twice',
    async (accepted, coding) => {
      const response = await get(address, accepted, withFile(path, ['br', 'gzip']))
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Encoding')).toBe(coding)
      expect(response.headers.get('Vary')).toBe('Accept-Encoding')
      expect(await response.text()).toBe(coding ?? TEXT)
    },
  )

  it('is sent in the next best coding if a compressed file is missing', async () => {
    const all = 'gzip, br'
    const [gzip, plain] = await Promise.all([
      get(address, all, withFile(path, ['gzip'])),
      get(address, all, withFile(path, [])),
    ])
    expect(gzip.headers.get('Content-Encoding')).toBe('gzip')
    expect(await gzip.text()).toBe('gzip')
    expect(plain.headers.get('Content-Encoding')).toBeNull()
    expect(await plain.text()).toBe(TEXT)
  })

  it('is never sent from a compressed file that was made from an older source', async () => {
    const response = await get(address, 'gzip, br', withFile(path, ['br', 'gzip'], 'AAAAAAAAAAAAAAAA'))
    expect(await response.text()).toBe(TEXT)
  })

  it('has one weak ETag in all codings, and a request with this ETag gets 304', async () => {
    const world = withFile(path, ['br', 'gzip'])
    for (const coding of ['br', 'gzip', 'identity'])
      expect((await get(address, coding, world)).headers.get('ETag')).toBe(`W/"${version}"`)
    for (const tag of [`W/"${version}"`, `"${version}"`, `"other", W/"${version}"`]) {
      const unchanged = await get(address, 'br', world, { 'If-None-Match': tag })
      expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
      expect(unchanged.headers.get('ETag')).toBe(`W/"${version}"`)
      expect(unchanged.headers.get('Vary')).toBe('Accept-Encoding')
      expect(unchanged.headers.get('Cache-Control')).toMatch(/no-cache|max-age/)
    }
    expect((await get(address, 'br', world, { 'If-None-Match': 'W/"other"' })).status).toBe(200)
  })
})

it('a request for a missing file gets 404 in the console, and 503 at other addresses', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const world = withFile('console/other.js', [])
  const statuses = await Promise.all(FILES.map(async ([address]) => (await get(address, 'br', world)).status))
  expect(statuses).toEqual([503, 503, 404, 404])
})
