// Hostile inputs: planted faults are found, every text stays a text, limits hold, and nothing throws but the
// error for an unreadable input.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inspect, type Report, UnreadableInputError } from '../../packages/inspect/src/inspect.ts'
import { INPUT, REPORT } from '../../packages/inspect/src/limits.ts'
import { showText } from '../../packages/inspect/src/text.ts'

const vector = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../vectors/${name}.json`), 'utf8'))
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = (header: object, payload: object) => `${base64url(header)}.${base64url(payload)}.AAAA`

const checksOf = ({ parts }: Report) => parts.flatMap(({ checks }) => checks)
const failed = (report: Report) =>
  checksOf(report)
    .filter(({ result }) => result === 'fails')
    .map(({ name }) => name)

const issuers = vector('real-issuers')
const rfc9901 = vector('sd-jwt-rfc9901')
const status = vector('token-status-list')

/** Changes one character in the middle of the last part of a text. */
function changed(text: string, at = text.length - 20): string {
  const other = text[at] === 'A' ? 'B' : 'A'
  return text.slice(0, at) + other + text.slice(at + 1)
}

/** Changes one bit of encoded bytes. */
function changedBytes(text: string, encoding: 'base64' | 'base64url' | 'hex', at: number): string {
  const bytes = Buffer.from(text, encoding)
  bytes[at < 0 ? bytes.length + at : at] ^= 1
  return bytes.toString(encoding)
}

describe('a planted fault', () => {
  const jwt: string = issuers.credentials[1].issuer_jwt

  it('in the signature of an SD-JWT VC, a status list or a trust list is found', async () => {
    const [key] = [JSON.stringify(status.key)]
    const cases = [
      { input: changed(jwt) },
      { input: changed(status.jwt), keys: key },
      { input: changedBytes(status.cwtHex, 'hex', -5), keys: key },
      { input: changed(vector('lote-german-sandbox').jwt) },
      { input: changedBytes(vector('vical-austroads').vical, 'base64', -5) },
    ]
    for (const input of cases) expect(failed(await inspect(input))).toContain('signature')
  })

  it('in the payload of an SD-JWT VC or in an element of an mdoc is found', async () => {
    const [header = '', payload = '', signature] = jwt.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const forged = `${header}.${base64url({ ...claims, iss: 'https://other.example' })}.${signature}`
    expect(failed(await inspect({ input: forged }))).toContain('signature')
    const annexD: string = vector('iso18013-5-annexD').ISO_18013_5_ANNEX_D_DEVICE_RESPONSE
    const at = Buffer.from(annexD, 'hex').indexOf('Doe')
    expect(failed(await inspect({ input: changedBytes(annexD, 'hex', at) }))).toContain('digests')
  })

  it('in a disclosure, in the key binding and in its sd_hash is found', async () => {
    const { token: text } = rfc9901.tokens[2]
    const [issuer, first, ...others] = text.split('~')
    expect(failed(await inspect({ input: [issuer, ...others].join('~') }))).toEqual(['key binding'])
    const forged = Buffer.from(JSON.stringify(['salt', 'given_name', 'Eve'])).toString('base64url')
    const replaced = await inspect({ input: [issuer, forged, ...others].join('~') })
    expect(failed(replaced)).toEqual(['disclosures', 'key binding'])
    expect(failed(await inspect({ input: changed(text) }))).toEqual(['key binding'])
    expect(first).toBeDefined()
  })

  it('in a certificate is found, and also a chain in which a certificate was not issued by the next one', async () => {
    const { certificate } = issuers.authorities[0]
    expect(failed(await inspect({ input: changedBytes(certificate, 'base64', -3) }))).toContain(
      'signature of the issuer',
    )
    const others = [issuers.authorities[0].certificate, issuers.authorities[7].certificate]
    expect(failed(await inspect({ input: JSON.stringify(others) }))).toContain('signature of the issuer')
  })

  it('in the key that the caller passes is reported as a failed signature', async () => {
    const keys = JSON.stringify(rfc9901.holderJwk)
    const report = await inspect({ input: rfc9901.tokens[0].token, keys })
    expect(failed(report)).toEqual(['signature'])
  })

  it.each(['none', 'HS256', 'RS256'])(
    'in the algorithm of a token (%s) gives the signature the result not_checked',
    async (alg) => {
      const { checks } =
        (await inspect({ input: token({ alg, typ: 'dc+sd-jwt' }, { vct: 'a' }) })).parts[0] ?? {}
      expect(checks?.[0]).toMatchObject({ name: 'signature', result: 'not_checked' })
    },
  )
})

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '\u202egnp.exe',
  '\u0000\u001b[31mred',
  '\ud800',
  '__proto__',
  'constructor',
]

describe('a hostile text', () => {
  it.each(HOSTILE)(
    'is shown without control characters, in rows and in the text report: %j',
    async (text) => {
      const payload = { vct: text, [text]: text, nested: { [text]: [text] } }
      const report = await inspect({ input: token({ alg: 'ES256', kid: text }, payload) })
      const rows = report.parts.flatMap((part) => part.rows)
      expect(rows.length).toBeGreaterThan(3)
      for (const { name, value } of rows) expect(name + value).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
      expect(showText(report).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
      expect(Object.getPrototypeOf(report)).toBe(Object.prototype)
      expect(({} as Record<string, unknown>).nested).toBeUndefined()
    },
  )

  it('that is a claim name such as toString or constructor gets no meaning in the report', async () => {
    const input = token({ alg: 'ES256' }, { toString: 1, constructor: 2, hasOwnProperty: 3 })
    const { parts } = await inspect({ input })
    expect(parts[0]?.rows.map(({ meaning }) => meaning)).toEqual([null, null, null])
  })

  it('in a request link is shown unchanged as text', async () => {
    const link = `openid4vp://?client_id=${encodeURIComponent(HOSTILE[0] ?? '')}&request_uri=a`
    const { kind, parts } = await inspect({ input: link })
    expect(kind).toBe('request_link')
    expect(parts[0]?.rows[0]?.value).toBe(HOSTILE[0])
  })
})

describe('a limit', () => {
  it('of the input refuses too many bytes, and an empty input', async () => {
    const large = new Uint8Array(INPUT.bytes + 1)
    await expect(inspect({ input: large })).rejects.toThrow(UnreadableInputError)
    for (const input of ['', ' \n ', '\ufeff', new Uint8Array()])
      await expect(inspect({ input })).rejects.toThrow(/empty/)
  })

  it('of the report cuts long texts, many rows and many presentations, and the report mentions cut texts and rows', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`name_${i}`, { a: i }]))
    const { parts } = await inspect({ input: JSON.stringify(many) })
    expect(parts[0]?.rows).toHaveLength(REPORT.rows + 1)
    expect(parts[0]?.rows.at(-1)?.value).toMatch(/more values/)
    const long = await inspect({ input: JSON.stringify({ a: 'x'.repeat(100_000) }) })
    expect(long.parts[0]?.rows[0]?.value).toMatch(/… \(100000 characters\)$/)
    const vpToken = { id: Array.from({ length: 200 }, () => 'x'.repeat(50)) }
    expect((await inspect({ input: JSON.stringify(vpToken) })).parts.length).toBeLessThan(50)
  })

  it('of the input refuses long texts of any form without a stack overflow', async () => {
    const begin = '-----BEGIN CERTIFICATE-----\n'
    for (const input of [
      'a=1&'.repeat(4e5),
      begin.repeat(1e5),
      'A'.repeat(1e6),
      '.'.repeat(1e6),
      `${'x'.repeat(1e6)}=`,
    ])
      await expect(inspect({ input })).rejects.toThrow(UnreadableInputError)
    for (const input of ['~'.repeat(1e6), `a.b.c${'~'.repeat(1e6)}`, '<a>'.repeat(1e5)])
      expect(failed(await inspect({ input }))).toContain('form')
  })

  it('of nesting refuses deep JSON and deep CBOR without a stack overflow', async () => {
    const json = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const cbor = `${'81'.repeat(50_000)}00`
    for (const input of [json, cbor]) await expect(inspect({ input })).rejects.toThrow(UnreadableInputError)
  })

  it('of a status list stops a compression bomb', async () => {
    const { deflateSync } = await import('node:zlib')
    const lst = deflateSync(Buffer.alloc(8 * 1024 * 1024)).toString('base64url')
    const payload = { sub: 'https://a.example', iat: 1, status_list: { bits: 1, lst } }
    const report = await inspect({ input: token({ alg: 'ES256', typ: 'statuslist+jwt' }, payload) })
    expect(checksOf(report).find(({ name }) => name === 'entries')?.detail).toMatch(/too_large/)
  })
})

describe('any input', () => {
  const tokens: readonly string[] = [rfc9901.tokens[2].token, status.jwt, issuers.licence.issuer_signed]
  const tolerate = (error: unknown) => {
    if (!(error instanceof UnreadableInputError)) throw error
  }

  it('that is text gives a report or an UnreadableInputError, with or without a response', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .tuple(fc.json(), fc.json())
        .map(([a, b]) => `${base64url(JSON.parse(a))}.${base64url(JSON.parse(b))}.AA`),
      fc
        .constantFrom(...tokens)
        .chain((from) =>
          fc
            .tuple(fc.nat(from.length - 1), fc.string({ maxLength: 3 }))
            .map(([at, more]) => from.slice(0, at) + more + from.slice(at + 1)),
        ),
    )
    await fc.assert(
      fc.asyncProperty(text, text, async (input, response) => {
        await inspect({ input }).then(showText).catch(tolerate)
        await inspect({ input, response }).then(showText).catch(tolerate)
      }),
      { numRuns: 100 },
    )
  })

  it('that consists of bytes gives a report or an UnreadableInputError', async () => {
    const annexD: string = vector('iso18013-5-annexD').ISO_18013_5_ANNEX_D_DEVICE_RESPONSE
    const good = Buffer.from(annexD, 'hex')
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, value]) => {
        const copy = new Uint8Array(good)
        copy[at] = value
        return copy
      }),
    )
    await fc.assert(
      fc.asyncProperty(
        bytes,
        async (input) => void (await inspect({ input }).then(showText).catch(tolerate)),
      ),
      { numRuns: 100 },
    )
  })
})
