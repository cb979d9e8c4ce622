// Costly inputs. Each is rejected by a limit before any costly work. The work is counted, not timed.

import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../src/codec/base64url.ts'
import { decodeCbor } from '../../src/codec/cbor.ts'
import { verifyMdoc } from '../../src/formats/mdoc/verify.ts'
import { verifySdJwtVc } from '../../src/formats/sd-jwt-vc/verify.ts'
import { MDOC, STATUS_LIST } from '../../src/limits.ts'
import { inflateStatusList } from '../../src/trust/status/status-inflate.ts'
import { CONTEXT, EXPECTED, GOOD } from '../formats/sd-jwt-vc/good.ts'
import { effortOf } from './effort.ts'

const context = { ...CONTEXT, trace: () => undefined }
const MEBIBYTE = 1024 * 1024

describe('no costly work is done for', () => {
  it('a status list that inflates to 64 MiB', async () => {
    const compressed = Uint8Array.from(deflateSync(new Uint8Array(64 * MEBIBYTE)))
    // One byte becomes a thousand. The input is broken one mebibyte after the limit: inflating it further
    // would give another error.
    compressed.fill(0xff, (STATUS_LIST.inflatedBytes + MEBIBYTE) / 1024)
    const result = inflateStatusList({ layout: 'token', bits: 1, compressed })
    expect(result).toEqual({ ok: false, error: 'too_large' })
  })

  it('a bitstring status list that inflates to 64 MiB', async () => {
    const compressed = Uint8Array.from(gzipSync(new Uint8Array(64 * MEBIBYTE)))
    compressed.fill(0xff, (STATUS_LIST.inflatedBytes + MEBIBYTE) / 1024)
    const result = inflateStatusList({ layout: 'bitstring', bits: 1, compressed })
    expect(result).toEqual({ ok: false, error: 'too_large' })
  })

  it('a presentation with 10,000 disclosures', async () => {
    const presentation = GOOD.slice(0, GOOD.indexOf('~') + 1) + 'WyJzIiwieCIsMV0~'.repeat(10_000)
    const { result, cryptoCalls } = await effortOf(() => verifySdJwtVc(presentation, EXPECTED, context))
    expect(result).toEqual({ ok: false, error: { reason: 'limit_exceeded' } })
    expect(cryptoCalls).toBe(0)
  })

  it('CBOR with 10,000 levels of nesting', async () => {
    const deep = new Uint8Array(10_001).fill(0x81, 0, 10_000)
    const { result, pieces } = await effortOf(() => decodeCbor(deep, MDOC.deviceResponse))
    expect(result).toEqual({ ok: false, error: 'too_deep' })
    expect(pieces).toBeLessThanOrEqual(4 * MDOC.deviceResponse.depth)
    const whole = await effortOf(() => verifyMdoc(encodeBase64url(deep), EXPECTED, context))
    expect(whole.result).toEqual({ ok: false, error: { reason: 'limit_exceeded' } })
    expect(whole.cryptoCalls).toBeLessThanOrEqual(1) // the hash of our own session transcript
  })
})
