// Inputs that are too large are refused before costly work. Most of them have an invalid issuer signature, so
// their refusal shows that nothing was hashed, verified or fetched.

import { describe, expect, it } from 'vitest'
import { splitSdJwt } from '../../../src/formats/sd-jwt-vc/split.ts'
import { SD_JWT } from '../../../src/limits.ts'
import { alter, digestOf, encodeDisclosure, signJwt } from '../../support/people/issuer.ts'
import { expectRefusal } from '../contract.ts'
import { CLAIMS, GOOD, HOLDER_KEY, ISSUER_KEY, verifyGood } from './good.ts'

const KEYS = { issuer: ISSUER_KEY, holder: HOLDER_KEY }
const TOO_MUCH = { reason: 'limit_exceeded' } as const
const ISSUER_JWT = GOOD.slice(0, GOOD.indexOf('~'))
const b64 = (text: string) => Buffer.from(text).toString('base64url')
const HEADER = b64('{"alg":"ES256","typ":"dc+sd-jwt"}')

describe('a presentation', () => {
  it.each([
    ['10,000 disclosures', `${ISSUER_JWT}~${'WyJzIiwieCIsMV0~'.repeat(10_000)}`],
    ['a million tildes', '~'.repeat(1_000_000)],
    ['more than a mebibyte', `${ISSUER_JWT}~${'A'.repeat(SD_JWT.characters)}~`],
    ['a payload past half a mebibyte', `${HEADER}.${b64(`{"x":"${'x'.repeat(700_000)}"}`)}.AAAA~`],
    [
      'a payload 10,000 levels deep',
      `${HEADER}.${b64(`{"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)}.AAAA~`,
    ],
    [
      'a header 10,000 levels deep',
      `${b64(`{"x":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`)}.e30.AAAA~`,
    ],
  ])(
    'a presentation with %s is refused at the first check, before any signature is verified',
    async (_, presentation) => {
      const verification = await verifyGood(presentation)
      expectRefusal(verification, TOO_MUCH, 'structure')
      expect(verification.trace).toEqual([['structure', 'fail']])
    },
  )

  it('a presentation with a disclosure 10,000 levels deep is refused', async () => {
    const deep = encodeDisclosure(`["s","x",${'['.repeat(10_000)}${']'.repeat(10_000)}]`)
    const presentation = await alter(GOOD, KEYS, ({ disclosures }) => void disclosures.push(deep))
    expectRefusal(await verifyGood(presentation), TOO_MUCH, 'disclosures')
  })

  it('a presentation whose disclosures are nested 100 levels deep is refused', async () => {
    const presentation = await alter(GOOD, KEYS, (parts) => {
      let digest = 'innermost'
      for (let i = 0; i < 100; i++) {
        const disclosure = encodeDisclosure([`salt ${i}`, 'x', { _sd: [digest] }])
        parts.disclosures.push(disclosure)
        digest = digestOf(disclosure)
      }
      parts.payload._sd = [...(parts.payload._sd as string[]), digest]
    })
    expectRefusal(await verifyGood(presentation), TOO_MUCH, 'disclosures')
  })

  it('a presentation with as many disclosures as allowed verifies', async () => {
    const presentation = await alter(GOOD, KEYS, (parts) => {
      const more = Array.from({ length: SD_JWT.disclosures - parts.disclosures.length }, (_, i) =>
        encodeDisclosure([`salt ${i}`, `claim ${i}`, i]),
      )
      parts.disclosures.push(...more)
      parts.payload._sd = [
        ...(parts.payload._sd as string[]),
        ...more.map((disclosure) => digestOf(disclosure)),
      ]
    })
    expect((await verifyGood(presentation)).result).toMatchObject({
      ok: true,
      value: { claims: { 'claim 0': 0 } },
    })
  })

  it('a presentation with a portrait of half a mebibyte in a disclosure verifies', async () => {
    const presentation = await alter(GOOD, KEYS, (parts) => {
      const disclosure = encodeDisclosure(['salt', 'portrait', 'A'.repeat(512 * 1024)])
      parts.disclosures.push(disclosure)
      parts.payload._sd = [...(parts.payload._sd as string[]), digestOf(disclosure)]
    })
    expect((await verifyGood(presentation)).result.ok).toBe(true)
  })
})

describe('splitSdJwt', () => {
  it('returns every part exactly as received', () => {
    expect(splitSdJwt('a.b.c~d~e~k.b.j')).toEqual({
      ok: true,
      value: { issuerJwt: 'a.b.c', disclosures: ['d', 'e'], sdJwt: 'a.b.c~d~e~', kbJwt: 'k.b.j' },
    })
    expect(splitSdJwt('a.b.c~')).toEqual({
      ok: true,
      value: { issuerJwt: 'a.b.c', disclosures: [], sdJwt: 'a.b.c~', kbJwt: undefined },
    })
  })

  it.each(['', '~', '~~', 'a.b.c', 'a.b.c~~', 'a.b.c~~k.b.j', '~d~', 'a.b.c~d~~e~'])('refuses %j', (text) => {
    expect(splitSdJwt(text)).toEqual({ ok: false, error: { reason: 'malformed_credential' } })
  })

  it.each([undefined, null, 1, {}, ['a~'], { toString: () => 'a.b.c~' }])(
    'refuses %j, which is not a string',
    (value) => {
      expect(splitSdJwt(value)).toEqual({ ok: false, error: { reason: 'malformed_credential' } })
    },
  )

  it('refuses a presentation with one disclosure more than allowed', () => {
    expect(splitSdJwt(`a~${'d~'.repeat(SD_JWT.disclosures)}k`).ok).toBe(true)
    expect(splitSdJwt(`a~${'d~'.repeat(SD_JWT.disclosures + 1)}`)).toEqual({ ok: false, error: TOO_MUCH })
  })
})

describe('a JSON serialization (RFC 9901 §8), which we do not offer,', () => {
  it('is refused, both as an object and as text', async () => {
    const [header, payload, signature] = signJwt(
      { alg: 'ES256', typ: 'dc+sd-jwt' },
      CLAIMS,
      ISSUER_KEY,
    ).split('.')
    const flattened = {
      protected: `${header}`,
      payload: `${payload}`,
      signature: `${signature}`,
      header: { disclosures: [] },
    }
    for (const presentation of [flattened, JSON.stringify(flattened)]) {
      expectRefusal(await verifyGood(presentation), { reason: 'malformed_credential' }, 'structure')
    }
  })
})
