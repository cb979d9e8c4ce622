// Time stamps by RFC 3161. The openssl command is the authority, and judges the tokens with pkijs.

import { execFileSync } from 'node:child_process'
import { webcrypto } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromBER } from 'asn1js'
import * as pkijs from 'pkijs'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/codec/bytes.ts'
import { sha256 } from '../../../src/crypto/digest.ts'
import { buildTimeStampQuery } from '../../../src/evidence/time-stamp/query.ts'
import {
  checkAuthority,
  checkTimeStampReply,
  checkTimeStampToken,
} from '../../../src/evidence/time-stamp/time-stamp.ts'
import { decodePemCertificates } from '../../../src/trust/x509/pem-certificates.ts'
import {
  type AuthorityOptions,
  judgeToken,
  makeAuthority,
  signToken,
  TIME_STAMPING,
} from '../../evidence/authority.ts'

const DATA = utf8('the manifest')
const DIGEST = await sha256(DATA)
const QUERY = buildTimeStampQuery(DIGEST, Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]))
const now = () => Math.floor(Date.now() / 1000)
const AUTHORITY = makeAuthority()

/** The result of a reply by an authority with these options, in one word. */
async function resultOf(options: AuthorityOptions, changes: { root?: string; now?: number } = {}) {
  const authority = makeAuthority(options)
  const result = await checkTimeStampReply(
    authority.reply(QUERY.bytes),
    { digest: DIGEST, nonce: QUERY.nonce },
    { authorities: changes.root ?? authority.root, now: changes.now ?? now() },
  )
  return result.ok ? 'accepted' : result.error
}

describe('a time stamp query', () => {
  it('has 69 bytes, and openssl reads its digest, nonce and request for the certificate', () => {
    expect(QUERY.bytes).toHaveLength(69)
    writeFileSync(join(AUTHORITY.folder, 'q.tsq'), QUERY.bytes)
    const text = `${execFileSync('openssl', ['ts', '-query', '-in', 'q.tsq', '-text'], { cwd: AUTHORITY.folder })}`
    expect(text).toContain('Hash Algorithm: sha256')
    expect(text).toContain('Certificate required: yes')
    expect(text).toContain('Nonce: 0x4102030405060708')
  })

  it.each([0x00, 0x7f, 0x80, 0xff])(
    'has 69 bytes if the random bytes for its nonce begin with %i',
    (first) => {
      const { bytes, nonce } = buildTimeStampQuery(DIGEST, Uint8Array.from([first, 0, 0, 0, 0, 0, 0, 1]))
      expect(bytes).toHaveLength(69)
      expect(nonce[0]! & 0x80).toBe(0)
      writeFileSync(join(AUTHORITY.folder, 'q.tsq'), bytes)
      const text = `${execFileSync('openssl', ['ts', '-query', '-in', 'q.tsq', '-text'], { cwd: AUTHORITY.folder })}`
      expect(text).toContain(`Nonce: 0x${Buffer.from(nonce).toString('hex').toUpperCase()}`)
    },
  )
})

describe('a time stamp reply', () => {
  it.each<[string, AuthorityOptions]>([
    ['RSA with SHA-256', {}],
    ['RSA with SHA-384', { digest: 'sha384' }],
    ['RSA with SHA-512', { digest: 'sha512', essHash: 'sha512' }],
    ['ECDSA with P-256', { key: 'ec' }],
    ['ECDSA with P-384 and SHA-384', { key: 'ec384', digest: 'sha384' }],
    ['an intermediate authority', { intermediate: true }],
  ])('with %s is accepted by this service, openssl and pkijs', async (_, options) => {
    const authority = makeAuthority(options)
    const token = authority.token(QUERY.bytes)
    const result = await checkTimeStampReply(
      authority.reply(QUERY.bytes),
      { digest: DIGEST, nonce: QUERY.nonce },
      { authorities: authority.root, now: now() },
    )
    expect(result.ok).toBe(true)
    expect(judgeToken(authority, DATA, token)).toBe('Verification: OK')
    expect(await judgeByPkijs(token)).toBe(true)
    expect(await checkTimeStampToken(token, { digest: DIGEST })).toMatchObject({
      ok: true,
      value: { policy: '1.2.3.4.1' },
    })
  })

  it.each<[string, AuthorityOptions, string]>([
    ['an ESSCertIDv2 with SHA-1', { essHash: 'sha1' }, 'wrong_certificate'],
    ['a signature with SHA-1', { digest: 'sha1' }, 'invalid_signature'],
    ['a refusal', { accepted: 'sha512' }, 'rejected'],
    ['a weak key', { key: 'rsa1024' }, 'invalid_signature'],
  ])('with %s is rejected', async (_, options, expected) => {
    expect(await resultOf(options)).toBe(expected)
  })

  it('of an untrusted authority is rejected', async () => {
    expect(await resultOf({}, { root: makeAuthority().root })).toBe('untrusted_authority')
  })

  it.each([-320, 320])('is rejected if its time differs from the clock by %i s', async (seconds) => {
    expect(await resultOf({}, { now: now() - seconds })).toBe('wrong_time')
  })

  it('is rejected if its digest is not the expected digest', async () => {
    const reply = AUTHORITY.reply(QUERY.bytes)
    const digest = await sha256(utf8('another'))
    const how = { authorities: AUTHORITY.root, now: now() }
    expect(await checkTimeStampReply(reply, { digest, nonce: QUERY.nonce }, how)).toMatchObject({
      error: 'wrong_digest',
    })
  })

  it('is rejected if its nonce is not the expected nonce', async () => {
    const reply = AUTHORITY.reply(QUERY.bytes)
    const how = { authorities: AUTHORITY.root, now: now() }
    const nonce = QUERY.nonce.toReversed()
    expect(await checkTimeStampReply(reply, { digest: DIGEST, nonce }, how)).toMatchObject({
      error: 'wrong_nonce',
    })
  })

  it('is rejected if its status is granted but it has no token', async () => {
    const reply = Uint8Array.from([0x30, 0x05, 0x30, 0x03, 0x02, 0x01, 0x00])
    const how = { authorities: AUTHORITY.root, now: now() }
    expect(await checkTimeStampReply(reply, { digest: DIGEST, nonce: QUERY.nonce }, how)).toMatchObject({
      error: 'malformed',
    })
  })

  it('is rejected if it has more than 64 KiB', async () => {
    const how = { authorities: AUTHORITY.root, now: now() }
    const reply = new Uint8Array(65_537)
    expect(await checkTimeStampReply(reply, { digest: DIGEST, nonce: QUERY.nonce }, how)).toMatchObject({
      error: 'malformed',
    })
  })
})

describe('a time stamp token', () => {
  it.each<[string, AuthorityOptions, string]>([
    ['the usage', {}, 'accepted'],
    ['the usage, not critical', { usage: 'extendedKeyUsage=timeStamping' }, 'wrong_usage'],
    ['the usage and another one', { usage: `${TIME_STAMPING},codeSigning` }, 'wrong_usage'],
    ['another usage', { usage: 'extendedKeyUsage=critical,codeSigning' }, 'wrong_usage'],
    ['no usage', { usage: '' }, 'wrong_usage'],
  ])(
    'is accepted only if the extended key usage of its certificate is critical and has only time stamping: %s',
    async (_, options, expected) => {
      const token = signToken(makeAuthority(options), AUTHORITY.token(QUERY.bytes))
      const result = await checkTimeStampToken(token, { digest: DIGEST })
      expect(result.ok ? 'accepted' : result.error).toBe(expected)
    },
  )

  it('that `openssl cms` signed with RSA-PSS is accepted, although `openssl ts` cannot read it', async () => {
    const authority = makeAuthority()
    const token = signToken(authority, AUTHORITY.token(QUERY.bytes), 'pss')
    const result = await checkTimeStampToken(token, { digest: DIGEST })
    expect(result.ok).toBe(true)
  })

  it('is trusted at the time of the stamp, and not at a time after its certificate has expired', async () => {
    const authentic = await checkTimeStampToken(AUTHORITY.token(QUERY.bytes), { digest: DIGEST })
    if (!authentic.ok) throw new Error(authentic.error)
    const authorities = decodePemCertificates(AUTHORITY.root)!
    const { value } = authentic
    expect((await checkAuthority(value, authorities, value.genTime)).ok).toBe(true)
    const late = value.certificate.notAfter + 1
    expect(await checkAuthority(value, authorities, late)).toMatchObject({ error: 'untrusted_authority' })
  })

  it.each(['rsa', 'ec'] as const)('with an %s key is rejected after a change of any byte', async (key) => {
    const authority = makeAuthority({ key, intermediate: true })
    const token = authority.token(QUERY.bytes)
    const authorities = decodePemCertificates(authority.root)!
    const accepted: number[] = []
    for (let i = 0; i < token.length; i++) {
      const changed = token.slice()
      changed[i]! ^= 1 << (i % 8)
      const authentic = await checkTimeStampToken(changed, { digest: DIGEST, nonce: QUERY.nonce })
      if (!authentic.ok) continue
      const { value } = authentic
      if ((await checkAuthority(value, authorities, value.genTime)).ok) accepted.push(i)
    }
    expect(accepted).toEqual([])
  })

  it('is rejected if it is cut off at any byte', async () => {
    const token = AUTHORITY.token(QUERY.bytes)
    for (let i = 0; i < token.length; i += 7) {
      expect((await checkTimeStampToken(token.slice(0, i), { digest: DIGEST })).ok, `${i} bytes`).toBe(false)
    }
  })
})

/** Verifies the signature of a token with pkijs. */
async function judgeByPkijs(token: Uint8Array<ArrayBuffer>): Promise<boolean> {
  pkijs.setEngine('node', new pkijs.CryptoEngine({ name: 'node', crypto: webcrypto as never }) as never)
  const { content } = new pkijs.ContentInfo({ schema: fromBER(token.buffer).result })
  const signed = new pkijs.SignedData({ schema: content })
  return signed.verify({ signer: 0, data: DATA.slice().buffer })
}
