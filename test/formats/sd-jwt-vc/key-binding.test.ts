// The Key Binding JWT: each case changes one thing in a good presentation and signs everything again.

import { createHash, createPrivateKey } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { describe, expect, it } from 'vitest'
import type { PublicJwk } from '../../../src/crypto/jwk.ts'
import type { CheckId, PresentationRefusal } from '../../../src/formats/verification/format.ts'
import { alter, type KeyPair, makeKey, type Parts, signJwt } from '../../support/people/issuer.ts'
import { didJwkOf } from '../../support/people/jwt-vc.ts'
import { ed25519Jwk, NEUTRAL_SIGNATURE, WEAK_ED25519 } from '../../support/weak-keys.ts'
import VECTORS from '../../vectors/did-key.json' with { type: 'json' }
import { expectRefusal } from '../contract.ts'
import {
  EXPECTED,
  GOOD,
  HOLDER_KEY,
  ISSUER_KEY,
  issueGood,
  NOW,
  presentGood,
  STRANGER_KEY,
  verifyGood,
} from './good.ts'

type Json = Record<string, unknown>
type Alterable = Parts & { payload: Json; header: Json }
type Case = [string, (parts: Alterable) => void, PresentationRefusal, CheckId?]

const KEYS = { issuer: ISSUER_KEY, holder: HOLDER_KEY }

const kbHeader = (name: string, value: unknown) => (parts: Parts) => set(parts.kb?.header, name, value)
const kbClaim = (name: string, value: unknown) => (parts: Parts) => set(parts.kb?.payload, name, value)
const set = (object: unknown, name: string, value: unknown) =>
  void Object.assign(object as Json, { [name]: value })
const cnf = (value: unknown) => (parts: Alterable) => set(parts.payload, 'cnf', value)
const JWK = HOLDER_KEY.publicJwk

const noKey = { reason: 'holder_key_missing' } as const
const malformed = { reason: 'malformed_holder_binding' } as const
const stale = { reason: 'holder_binding_not_current' } as const
const unsupported = { reason: 'unsupported_algorithm' } as const
const badSignature = { reason: 'invalid_holder_signature' } as const
const nonce = { reason: 'nonce_mismatch' } as const
const audience = { reason: 'audience_mismatch' } as const
const sdHash = { reason: 'sd_hash_mismatch' } as const

/** Published did:key of Ed25519 keys, with their private keys. */
const PUBLISHED = VECTORS.ed25519.map(({ did, seed }) => {
  const pkcs8 = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex')
  const { d, ...publicJwk } = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export({
    format: 'jwk',
  })
  const key = { alg: 'EdDSA', publicJwk, privateJwk: { ...publicJwk, d } } as KeyPair
  return { did, key }
}) as [{ did: string; key: KeyPair }]

const CASES: readonly Case[] = [
  ['alg none', kbHeader('alg', 'none'), unsupported],
  ['alg HS256', kbHeader('alg', 'HS256'), unsupported],
  ['alg of another curve', kbHeader('alg', 'ES384'), badSignature],
  ['alg of another key type', kbHeader('alg', 'EdDSA'), badSignature],
  ['a critical extension', kbHeader('crit', ['x']), { reason: 'unsupported_critical_header' }],
  ['typ JWT', kbHeader('typ', 'JWT'), { reason: 'wrong_token_type' }],
  ['typ dc+sd-jwt', kbHeader('typ', 'dc+sd-jwt'), { reason: 'wrong_token_type' }],
  ['typ in capitals', kbHeader('typ', 'KB+JWT'), { reason: 'wrong_token_type' }],
  ['no typ', kbHeader('typ', undefined), { reason: 'wrong_token_type' }],
  ['a claim named twice', (parts) => kbText(parts, `"nonce":"${EXPECTED.nonce}"`), malformed],
  ['a payload that is a list', ({ kb }) => void Object.assign(kb ?? {}, { payload: '[]' }), malformed],
  ['a payload of 20 KiB', kbClaim('x', 'y'.repeat(20_480)), { reason: 'limit_exceeded' }],
  ['no iat', kbClaim('iat', undefined), malformed],
  ['iat as a string', kbClaim('iat', String(NOW)), malformed],
  ['an infinite exp', (parts) => kbText(parts, '"exp":1e999'), malformed],
  ['iat 301 s ago', kbClaim('iat', NOW - 301), stale],
  ['iat 301 s ahead', kbClaim('iat', NOW + 301), stale],
  ['iat a year ago', kbClaim('iat', NOW - 31_536_000), stale],
  ['iat in milliseconds', kbClaim('iat', NOW * 1000), stale],
  ['iat 61 s before the request', kbClaim('iat', EXPECTED.requestedAt - 61), stale],
  ['an exp that has passed', kbClaim('exp', NOW - 60), stale],
  ['an nbf in the future', kbClaim('nbf', NOW + 61), stale],
  ['exp as a string', kbClaim('exp', String(NOW + 600)), malformed],
  ['nbf as null', kbClaim('nbf', null), malformed],
  [
    'hashes of transaction data that we never sent',
    kbClaim('transaction_data_hashes', ['x']),
    { reason: 'transaction_data_mismatch' },
  ],
  ['no nonce', kbClaim('nonce', undefined), nonce, 'nonce'],
  ['another nonce', kbClaim('nonce', 'f'.repeat(32)), nonce, 'nonce'],
  ['the nonce in capitals', kbClaim('nonce', EXPECTED.nonce.toUpperCase()), nonce, 'nonce'],
  ['the nonce with a space', kbClaim('nonce', `${EXPECTED.nonce} `), nonce, 'nonce'],
  ['the nonce in a list', kbClaim('nonce', [EXPECTED.nonce]), nonce, 'nonce'],
  ['no aud', kbClaim('aud', undefined), audience, 'audience'],
  ['aud in a list', kbClaim('aud', [EXPECTED.audience]), audience, 'audience'],
  [
    'aud without the prefix',
    kbClaim('aud', EXPECTED.audience.slice('x509_hash:'.length)),
    audience,
    'audience',
  ],
  ['aud with an extra character at its end', kbClaim('aud', `${EXPECTED.audience}/`), audience, 'audience'],
  ['aud without its last character', kbClaim('aud', EXPECTED.audience.slice(0, -1)), audience, 'audience'],
  ['no sd_hash', kbClaim('sd_hash', undefined), sdHash],
  ['another sd_hash', kbClaim('sd_hash', 'A'.repeat(43)), sdHash],
  ['sd_hash in a list', kbClaim('sd_hash', ['A'.repeat(43)]), sdHash],
  ['no cnf', cnf(undefined), noKey],
  ['an empty cnf', cnf({}), noKey],
  ['cnf as a string', cnf('key'), noKey],
  ['cnf naming a key id only', cnf({ kid: 'did:example:1#0' }), noKey],
  ['cnf naming an address', cnf({ jku: 'https://holder.example/jwks', kid: '1' }), noKey],
  ['a bare JWK for cnf', cnf(JWK), noKey],
  ['a list of JWKs in cnf', cnf({ jwk: [JWK] }), noKey],
  ['an RSA key in cnf', cnf({ jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } }), noKey],
  ['a symmetric key in cnf', cnf({ jwk: { kty: 'oct', k: 'AAAA' } }), noKey],
  ['a key in cnf without y', cnf({ jwk: { ...JWK, y: undefined } }), noKey],
  ['a point off the curve in cnf', cnf({ jwk: { ...JWK, x: JWK.y, y: JWK.x } }), noKey],
  ['another key in cnf', cnf({ jwk: STRANGER_KEY.publicJwk }), badSignature],
]

function kbText(parts: Parts, text: string): void {
  if (parts.kb === undefined) return
  const payload = { ...(parts.kb.payload as Json) }
  parts.kb.payload = `${JSON.stringify(payload).slice(0, -1)},${text}}`
}

describe('holder binding', () => {
  it.each(CASES)('holder binding with %s is refused', async (_, change, refusal, check) => {
    expectRefusal(await verifyGood(await alter(GOOD, KEYS, change)), refusal, check ?? 'holder_binding')
  })

  it.each(CASES)(
    'holder binding with %s is refused even if holder binding was not required',
    async (_, change, refusal, check) => {
      const verification = await verifyGood(await alter(GOOD, KEYS, change), {
        expected: { holderBinding: false },
      })
      expectRefusal(verification, refusal, check ?? 'holder_binding')
    },
  )

  it.each(WEAK_ED25519.map((key) => [key.toString('hex'), key] as const))(
    'is refused if cnf has a weak Ed25519 key, because then anyone can make a valid signature (%s)',
    async (_, key) => {
      const signed = await alter(GOOD, KEYS, (parts) => {
        cnf({ jwk: ed25519Jwk(key) })(parts)
        kbHeader('alg', 'EdDSA')(parts)
      })
      // No private key made this signature: it is the same for every message.
      const forged = signed.replace(/[^.]+$/, NEUTRAL_SIGNATURE.toString('base64url'))
      expectRefusal(await verifyGood(forged), noKey, 'holder_binding')
    },
  )

  it('gives a list of the confirmed transaction data, or no list if none were requested', async () => {
    const asked = { index: 2, encoded: 'eyJ0eXBlIjoiYSJ9' }
    const hash = createHash('sha256').update(asked.encoded).digest('base64url')
    const confirming = await alter(GOOD, KEYS, kbClaim('transaction_data_hashes', [hash]))
    const expected = { transactionData: [asked] }
    expect((await verifyGood(confirming, { expected })).result).toMatchObject({
      ok: true,
      value: { confirmed: [{ index: 2, hash, hash_alg: 'sha-256' }] },
    })
    expect((await verifyGood(GOOD, { expected })).result).toMatchObject({
      ok: true,
      value: { confirmed: [] },
    })
    const { result } = await verifyGood(GOOD)
    expect(result.ok && Object.hasOwn(result.value, 'confirmed')).toBe(false)
  })

  it('is missing if the presentation ends with a tilde', async () => {
    const stripped = GOOD.slice(0, GOOD.lastIndexOf('~') + 1)
    expectRefusal(await verifyGood(stripped), { reason: 'holder_binding_missing' }, 'holder_binding')
  })

  it.each([
    ['a disclosure', 'WyJzYWx0IiwieCIsMV0'],
    ['two parts', 'e30.e30'],
    ['another SD-JWT’s issuer part', GOOD.slice(0, GOOD.indexOf('~'))],
    ['a space', ' '],
  ])('is refused if the KB-JWT is replaced by %s', async (name, last) => {
    const verification = await verifyGood(GOOD.slice(0, GOOD.lastIndexOf('~') + 1) + last)
    const reason = name.startsWith('another') ? 'wrong_token_type' : 'malformed_holder_binding'
    expectRefusal(verification, { reason }, 'holder_binding')
  })

  it('is refused if a disclosure is missing or the disclosures are in another order', async () => {
    const [jwt, first, ...rest] = GOOD.split('~')
    const leaf = rest.findIndex((part) => Buffer.from(part, 'base64url').toString().includes('"birthdate"'))
    const withheld = [jwt, first, ...rest.toSpliced(leaf, 1)].join('~')
    expectRefusal(await verifyGood(withheld), { reason: 'sd_hash_mismatch' }, 'holder_binding')
    const turned = [jwt, ...[first, ...rest.slice(0, -1)].reverse(), rest.at(-1)].join('~')
    expectRefusal(await verifyGood(turned), { reason: 'sd_hash_mismatch' }, 'holder_binding')
  })

  it('holder binding that was made for one credential is refused with another credential of the same holder', async () => {
    const other = await presentGood(await issueGood())
    const moved = other.slice(0, other.lastIndexOf('~') + 1) + GOOD.slice(GOOD.lastIndexOf('~') + 1)
    expectRefusal(await verifyGood(moved), { reason: 'sd_hash_mismatch' }, 'holder_binding')
  })

  it('holder binding by a key from the header of the KB-JWT is refused', async () => {
    const forged = await alter(GOOD, { ...KEYS, holder: STRANGER_KEY }, ({ kb }) => {
      Object.assign(kb?.header as Json, { jwk: STRANGER_KEY.publicJwk, kid: 'x', x5c: ['AAAA'] })
    })
    expectRefusal(await verifyGood(forged), badSignature, 'holder_binding')
  })

  it('uses only the public parameters of cnf.jwk', async () => {
    const jwk = { ...JWK, kid: 'k', x5c: ['AAAA'], alg: 'RS256', use: 'enc', key_ops: ['encrypt'], d: 'AAAA' }
    const presentation = await alter(GOOD, KEYS, cnf({ jwk, kid: 'other', jku: 'https://holder.example' }))
    expect((await verifyGood(presentation)).result.ok).toBe(true)
  })

  it.each(['ES384', 'ES512', 'Ed25519'])('holder binding with an %s key verifies', async (alg) => {
    const holder = await makeKey(alg)
    const presentation = await alter(GOOD, { ...KEYS, holder }, (parts) => {
      parts.payload.cnf = { jwk: holder.publicJwk }
      kbHeader('alg', alg)(parts)
    })
    expect((await verifyGood(presentation)).result).toMatchObject({ ok: true, value: { holderBound: true } })
  })

  it.each([
    ['300 s ago for a request of the same age', { iat: NOW - 300 }, { requestedAt: NOW - 300 }],
    ['300 s ahead', { iat: NOW + 300 }, {}],
    ['60 s before the request', { iat: EXPECTED.requestedAt - 60 }, {}],
    ['now for a request made ten hours ago', { iat: NOW }, { requestedAt: NOW - 36_000 }],
  ])('is accepted if the KB-JWT was made %s', async (_, how, expected) => {
    const presentation = await presentGood(await issueGood(), how)
    expect((await verifyGood(presentation, { expected })).result.ok).toBe(true)
  })

  it('is refused if the KB-JWT is more than 300 s old, however old the request is', async () => {
    const presentation = await presentGood(await issueGood(), { iat: NOW - 301 })
    const verification = await verifyGood(presentation, { expected: { requestedAt: NOW - 36_000 } })
    expectRefusal(verification, { reason: 'holder_binding_not_current' }, 'holder_binding')
  })

  it('is refused if the credential was encoded again, because sd_hash covers its exact characters', async () => {
    const spaced = await alter(GOOD, KEYS, (parts) => {
      const header: unknown = `{ "alg" : "ES256",\n "typ":"dc+sd-jwt" }`
      Object.assign(parts, { header })
    })
    expect((await verifyGood(spaced)).result.ok).toBe(true)
    const [jwt = '', ...rest] = spaced.split('~')
    const payload = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
    const respelled = [signJwt({ alg: 'ES256', typ: 'dc+sd-jwt' }, payload, ISSUER_KEY), ...rest].join('~')
    expectRefusal(await verifyGood(respelled), { reason: 'sd_hash_mismatch' }, 'holder_binding')
  })
})

describe('a holder key that cnf names by kid', () => {
  const ACCEPTING = { context: { acceptsHolderKeyId: true } }
  const held = (kid: unknown, holder: KeyPair, confirmation: object = {}) =>
    alter(GOOD, { ...KEYS, holder }, (parts) => {
      parts.payload.cnf = { kid, ...confirmation }
      kbHeader('alg', holder.alg)(parts)
    })
  const { did: JWK_DID, kid: JWK_URL } = didJwkOf(HOLDER_KEY)
  const [ED25519] = PUBLISHED
  const KEY_URL = `${ED25519.did}#${ED25519.did.slice('did:key:'.length)}`

  it.each<[name: string, kid: string, holder: KeyPair]>([
    ['a did:jwk', JWK_DID, HOLDER_KEY],
    ['the DID URL of a did:jwk', JWK_URL, HOLDER_KEY],
    ['a published did:key', ED25519.did, ED25519.key],
    ['the DID URL of a published did:key', KEY_URL, ED25519.key],
  ])('is accepted if the kid is %s and the protocol accepts a kid', async (_, kid, holder) => {
    const holderKey = await calculateJwkThumbprint(holder.publicJwk)
    const { result } = await verifyGood(await held(kid, holder), ACCEPTING)
    expect(result).toMatchObject({ ok: true, value: { holderBound: true, holderKey } })
    expectRefusal(await verifyGood(await held(kid, holder)), noKey, 'holder_binding')
  })

  it.each<[name: string, kid: unknown, refusal: PresentationRefusal]>([
    ['the DID of another key', didJwkOf(STRANGER_KEY).did, badSignature],
    ['a DID URL with an unknown fragment', `${JWK_DID}#1`, noKey],
    ['a DID URL with a query', `${JWK_DID}?a=b#0`, noKey],
    ['a did:web, which would be fetched', 'did:web:holder.example', noKey],
    ['a did:jwk for encryption', didJwkOf({ publicJwk: { ...JWK, use: 'enc' } as PublicJwk }).did, noKey],
    ['a text that is no DID', 'somewhere', noKey],
    ['a list', [JWK_DID], noKey],
  ])('is refused if the kid is %s', async (_, kid, refusal) => {
    expectRefusal(await verifyGood(await held(kid, HOLDER_KEY), ACCEPTING), refusal, 'holder_binding')
  })

  it('is ignored if cnf also has a jwk', async () => {
    const beside = await held(JWK_DID, HOLDER_KEY, { jwk: STRANGER_KEY.publicJwk })
    expectRefusal(await verifyGood(beside, ACCEPTING), badSignature, 'holder_binding')
    const broken = await held(JWK_DID, HOLDER_KEY, { jwk: { kty: 'oct', k: 'AAAA' } })
    expectRefusal(await verifyGood(broken, ACCEPTING), noKey, 'holder_binding')
  })
})
