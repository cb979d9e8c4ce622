// Tokens printed in RFC 9901 and in the SD-JWT VC draft, verified with the keys printed there. An independent
// implementation must read the same claims.

import { createHash } from 'node:crypto'
import { SDJwtInstance } from '@sd-jwt/core'
import { describe, expect, it } from 'vitest'
import { verifySdJwt } from '../../../src/formats/sd-jwt-vc/sd-jwt.ts'
import { sdJwtVc } from '../../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { CheckId, RequestBinding } from '../../../src/formats/verification/format.ts'
import { ok } from '../../../src/result.ts'
import rfc9901 from '../../vectors/sd-jwt-rfc9901.json' with { type: 'json' }
import sdJwtVcDraft from '../../vectors/sd-jwt-vc.json' with { type: 'json' }
import { verifyTraced } from '../contract.ts'
import { CONTEXT, STRANGER_KEY } from './good.ts'

type Vector = { readonly name: string; readonly token: string; readonly issuerJwk: object }

const vectors = (
  name: string,
  file: { issuerJwk: object; tokens: { line: number; token: string }[] },
): Vector[] =>
  file.tokens.map(({ line, token }) => ({ name: `${name}, line ${line}`, token, issuerJwk: file.issuerJwk }))

const ALL = [...vectors('RFC 9901', rfc9901), ...vectors('SD-JWT VC', sdJwtVcDraft)]
const SD_JWTS = ALL.filter(({ token }) => token.includes('~'))
const BOUND = SD_JWTS.filter(({ token }) => !token.endsWith('~'))

/** The world a token was made for: read from the token, as its authors print it nowhere else. */
function worldOf(token: string) {
  const kbJwt = token.slice(token.lastIndexOf('~') + 1)
  const payload = jsonPart(token, 1)
  const kb = kbJwt === '' ? undefined : jsonPart(kbJwt, 1)
  const now = Number(kb?.iat ?? payload.iat ?? 1_683_000_000) + 1
  const expected: RequestBinding = {
    nonce: String(kb?.nonce),
    audience: String(kb?.aud),
    holderBinding: kb !== undefined,
    requestedAt: now,
    handover: { kind: 'redirect', responseUri: 'https://verifier.example/callback', encryptionKey: null },
  }
  return { typ: String(jsonPart(token, 0).typ), payload, expected, now }
}

function jsonPart(jwt: string, index: number): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())
}

async function verify(
  { token, issuerJwk }: Omit<Vector, 'name'>,
  changes: { typ?: string; expected?: object } = {},
) {
  const { typ, expected, now } = worldOf(token)
  const trace: CheckId[] = []
  const rules = {
    typs: [changes.typ ?? typ],
    clearClaims: new Set(['iss', 'exp', 'nbf', 'cnf']),
    resolveIssuer: async () => ok([{ keys: [issuerJwk as typeof STRANGER_KEY.publicJwk] }]),
  }
  const context = { now, trace: (check: CheckId) => trace.push(check) }
  return verifySdJwt(token, rules, { ...expected, ...changes.expected }, context)
}

const foreignReader = new SDJwtInstance({
  hasher: (data, alg) => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(new Uint8Array(data))
    return new Uint8Array(createHash(alg.replace('-', '')).update(bytes).digest())
  },
})

describe('the published SD-JWT', () => {
  it('the vectors have 14 examples, of which 13 are SD-JWTs and 5 have a KB-JWT', () => {
    expect([ALL.length, SD_JWTS.length, BOUND.length]).toEqual([14, 13, 5])
  })

  it.each(SD_JWTS)(
    'the published SD-JWT of $name verifies, and its claims are those that an independent reader finds',
    async (vector) => {
      const result = await verify(vector)
      if (!result.ok) throw new Error(result.error.reason)
      expect(result.value.holderBound).toBe(!vector.token.endsWith('~'))
      const claims = JSON.parse(JSON.stringify(result.value.claims))
      expect(claims).toEqual(await foreignReader.getClaims(vector.token))
    },
  )

  it.each(SD_JWTS)(
    'the published SD-JWT of $name does not verify with another issuer key, or as a credential of another type',
    async ({ token, issuerJwk }) => {
      const reason = (await verify({ token, issuerJwk: STRANGER_KEY.publicJwk })) as { error?: object }
      expect(reason.error).toEqual({ reason: 'invalid_issuer_signature' })
      const other = await verify({ token, issuerJwk }, { typ: 'other+sd-jwt' })
      expect(other).toEqual({ ok: false, error: { reason: 'wrong_token_type' } })
    },
  )

  it.each(BOUND)(
    'the published SD-JWT of $name verifies for its own nonce and verifier only',
    async (vector) => {
      expect(await verify(vector, { expected: { nonce: '1234567891' } })).toMatchObject({
        error: { reason: 'nonce_mismatch' },
      })
      const other = { expected: { audience: 'https://example.net/' } }
      expect(await verify(vector, other)).toMatchObject({ error: { reason: 'audience_mismatch' } })
    },
  )

  it.each(BOUND)(
    'the published SD-JWT of $name is refused if a disclosure is missing, or if the disclosures are in another order',
    async ({ token, issuerJwk }) => {
      const parts = token.split('~')
      const less = [...parts.slice(0, -2), parts.at(-1)].join('~')
      const turned = [parts[0], ...parts.slice(1, -1).reverse(), parts.at(-1)].join('~')
      for (const altered of [less, turned]) {
        const result = await verify({ token: altered, issuerJwk })
        expect(result).toEqual({ ok: false, error: { reason: 'sd_hash_mismatch' } })
      }
    },
  )

  it('the SD-JWT that RFC 9901 §5.1 prints is refused, because its last tilde is missing, and verifies with the tilde', async () => {
    const [vector] = ALL.filter(({ token }) => !token.includes('~'))
    if (vector === undefined) throw new Error('no such vector')
    expect(await verify(vector)).toEqual({ ok: false, error: { reason: 'malformed_credential' } })
    expect(await verify({ ...vector, token: `${vector.token}~` })).toMatchObject({ ok: true })
  })
})

describe('the published SD-JWT VC', () => {
  it.each(vectors('the draft', sdJwtVcDraft))(
    'the published SD-JWT VC of $name verifies as a credential',
    async ({ token, issuerJwk }) => {
      const { payload, expected, now } = worldOf(token)
      const anchor = {
        name: 'Published issuer',
        credential_types: ['published'],
        assurance_level: 'low',
        issuer: String(payload.iss),
        jwks: { keys: [issuerJwk as typeof STRANGER_KEY.publicJwk] },
      } as const
      const typeOf = (_: string, vct: string) =>
        vct === payload.vct ? { name: 'published', builtIn: false } : undefined
      const { result } = await verifyTraced(sdJwtVc, token, expected, {
        ...CONTEXT,
        now,
        anchors: [anchor],
        typeOf,
      })
      expect(result).toMatchObject({ ok: true, value: { typeIdentifier: payload.vct, issuer: payload.iss } })
    },
  )
})
