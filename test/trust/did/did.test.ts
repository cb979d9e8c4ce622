import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/codec/bytes.ts'
import type { FetchError, FetchResource } from '../../../src/net/guarded-fetch.ts'
import { err, ok, type Result } from '../../../src/result.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { isKnownDid, resolveDidKeys } from '../../../src/trust/did/did.ts'
import type { DidRelationship } from '../../../src/trust/did/did-document.ts'
import { type DidError, didWebUrl } from '../../../src/trust/did/did-web.ts'
import vectors from '../../vectors/did-key.json' with { type: 'json' }
import { ask, NOW, outcomeOf, SHARED } from '../fixtures.ts'

const WEB = 'did:web:issuer.example:departments:births'
const WEB_URL = 'https://issuer.example/departments/births/did.json'
const KEY = vectors.nist[0]?.did ?? ''
const { publicKey } = await generateKeyPair('ES256')
const jwk = await exportJWK(publicKey)
const other = await exportJWK((await generateKeyPair('ES256')).publicKey)

const method = { id: `${WEB}#key-1`, type: 'JsonWebKey2020', controller: WEB, publicKeyJwk: jwk }
const document = { id: WEB, verificationMethod: [method], assertionMethod: [method.id] }

/** A web with one body at every address, and the requests it received. */
function web(body: unknown): { readonly fetchResource: FetchResource; readonly asked: string[] } {
  const asked: string[] = []
  const fetchResource: FetchResource = async ({ url }) => {
    asked.push(url)
    if (typeof body === 'string') return err(body as FetchError)
    return ok({ body: utf8(JSON.stringify(body)), contentType: 'application/did+json' })
  }
  return { fetchResource, asked }
}

type Question = {
  readonly relationship?: DidRelationship
  readonly kid?: string
  readonly algorithm?: string
}

async function keysOf(did: string, question: Question = {}, body: unknown = 'unavailable') {
  const { relationship = 'assertionMethod', kid, algorithm = 'ES256' } = question
  const source = { now: NOW, fetchResource: web(body).fetchResource }
  return word(await resolveDidKeys(did, relationship, { kid, algorithm }, source))
}

function word(found: Result<readonly { readonly x: string }[], DidError>): string {
  if (!found.ok) return found.error
  return found.value.length === 0 ? 'none' : found.value.map(({ x }) => x).join(' ')
}

const didJwk = (value: unknown) => `did:jwk:${Buffer.from(JSON.stringify(value)).toString('base64url')}`

describe('did:key', () => {
  it('has the same key for issuers and holders if the kid is absent, the full DID URL or the fragment', async () => {
    const x = vectors.nist[0]?.jwk.x
    const fragment = `#${KEY.slice('did:key:'.length)}`
    for (const relationship of ['assertionMethod', 'authentication'] as const) {
      expect(await keysOf(KEY, { relationship })).toBe(x)
      expect(await keysOf(KEY, { relationship, kid: KEY + fragment })).toBe(x)
      expect(await keysOf(KEY, { relationship, kid: fragment })).toBe(x)
    }
  })

  it('has its key also if the kid is the DID itself, but a did:jwk then has no key', async () => {
    expect(await keysOf(KEY, { kid: KEY })).toBe(vectors.nist[0]?.jwk.x)
    expect(await keysOf(didJwk(jwk), { kid: didJwk(jwk) })).toBe('none')
  })

  it.each(['#0', `${KEY}#0`, `${KEY}#`, `${KEY}x`, 'x', ''])('has no key for the kid "%s"', async (kid) => {
    expect(await keysOf(KEY, { kid })).toBe('none')
  })

  it('has no key for an algorithm that does not fit', async () => {
    expect(await keysOf(KEY, { algorithm: 'ES384' })).toBe('none')
  })

  it.each(['did:key:', 'did:key:z', `${KEY}#x`, `${KEY}?a=b`])(
    'is rejected if the DID is %s',
    async (did) => {
      expect(await keysOf(did)).toBe('invalid')
    },
  )
})

describe('did:jwk', () => {
  it('has exactly one key, with the fragment #0', async () => {
    const did = didJwk({ ...jwk, use: 'sig' })
    expect(await keysOf(did)).toBe(jwk.x)
    expect(await keysOf(did, { kid: `${did}#0` })).toBe(jwk.x)
    expect(await keysOf(did, { kid: '#1' })).toBe('none')
  })

  it.each([
    ['for encryption', { ...jwk, use: 'enc' }],
    ['whose private half is published', { ...jwk, d: jwk.x }],
    ['of an unknown kind', { kty: 'oct', k: 'AA' }],
    ['that is an array', [jwk]],
  ])('did:jwk with a key %s is rejected', async (_, value) => {
    expect(await keysOf(didJwk(value))).toBe('invalid')
  })

  it('is rejected if it has base64 padding or a repeated member', async () => {
    expect(await keysOf(`${didJwk(jwk)}=`)).toBe('invalid')
    expect(await keysOf(`did:jwk:${Buffer.from('{"kty":"EC","kty":"EC"}').toString('base64url')}`)).toBe(
      'invalid',
    )
  })
})

describe('did:web', () => {
  it.each([
    ['did:web:w3c-ccg.github.io', 'https://w3c-ccg.github.io/.well-known/did.json'],
    ['did:web:w3c-ccg.github.io:user:alice', 'https://w3c-ccg.github.io/user/alice/did.json'],
    ['did:web:example.com%3A3000:user:alice', 'https://example.com:3000/user/alice/did.json'],
  ])('%s leads to the URL in the published examples', (did, url) => {
    expect(didWebUrl(did)).toBe(url)
  })

  it.each([
    'did:web:',
    'did:web:Issuer.example',
    'did:web:issuer.example/x',
    'did:web:issuer.example:..:x',
    'did:web:issuer.example:%2e%2e:x',
    'did:web:issuer.example%3A443',
    'did:web:user@issuer.example',
    'did:web:issuer.example%2Fx',
    'did:web:issuer.example?x=y',
    'did:web:issuer.example#x',
    'did:web:127.1',
    'did:web:issuer.example:',
    'did:web:issuer.example:a::b',
    'did:ion:abc',
    'https://issuer.example',
  ])('%s is rejected', async (did) => {
    expect(didWebUrl(did)).toBeUndefined()
    expect(await keysOf(did, {}, { ...document, id: did })).toBe('invalid')
  })

  it('has only the keys that its document names for the requested purpose', async () => {
    expect(await keysOf(WEB, {}, document)).toBe(jwk.x)
    expect(await keysOf(WEB, { kid: method.id }, document)).toBe(jwk.x)
    expect(await keysOf(WEB, { kid: '#key-1' }, document)).toBe(jwk.x)
    expect(await keysOf(WEB, { relationship: 'authentication' }, document)).toBe('none')
  })

  it('may name its verification methods by fragment, may contain them directly, and may have keys in multikey form', async () => {
    const relative = {
      ...document,
      verificationMethod: [{ ...method, id: '#key-1' }],
      assertionMethod: ['#key-1'],
    }
    expect(await keysOf(WEB, { kid: method.id }, relative)).toBe(jwk.x)
    const embedded = { id: WEB, authentication: [method] }
    expect(await keysOf(WEB, { relationship: 'authentication' }, embedded)).toBe(jwk.x)
    expect(await keysOf(WEB, {}, embedded)).toBe('none')
    const { publicKeyJwk: _, ...bare } = method
    const multikey = { ...bare, publicKeyMultibase: KEY.slice('did:key:'.length) }
    expect(await keysOf(WEB, {}, { ...document, verificationMethod: [multikey] })).toBe(
      vectors.nist[0]?.jwk.x,
    )
  })

  it.each<[string, object]>([
    ['of another controller', { controller: 'did:web:other.example' }],
    ['without a controller', { controller: undefined }],
    ['whose id belongs to another DID', { id: 'did:web:other.example#key-1' }],
    ['that is given as both JWK and multibase', { publicKeyMultibase: KEY.slice('did:key:'.length) }],
    ['that is given neither as JWK nor as multibase', { publicKeyJwk: undefined }],
    ['for encryption', { publicKeyJwk: { ...jwk, use: 'enc' } }],
    ['whose private half is published', { publicKeyJwk: { ...jwk, d: jwk.x } }],
    ['for another algorithm', { publicKeyJwk: { ...jwk, alg: 'ES384' } }],
  ])('has no key %s', async (_, changes) => {
    const changed = { ...method, ...changes }
    const assertionMethod = [changed.id]
    expect(await keysOf(WEB, {}, { id: WEB, verificationMethod: [changed], assertionMethod })).toBe('none')
  })

  it.each<[string, unknown, DidError]>([
    ['of another DID', { ...document, id: `${WEB}:x` }, 'invalid'],
    ['without an id', { ...document, id: undefined }, 'invalid'],
    ['whose verificationMethod is no list', { ...document, verificationMethod: method }, 'invalid'],
    ['whose assertionMethod is no list', { ...document, assertionMethod: method.id }, 'invalid'],
    ['with 65 methods', { ...document, verificationMethod: new Array(65).fill(method) }, 'invalid'],
    ['that is no object', [document], 'invalid'],
    ['at a forbidden address', 'forbidden', 'invalid'],
    ['that is too large', 'too_large', 'invalid'],
    ['that cannot be fetched', 'unavailable', 'unavailable'],
  ])('did:web with a document %s is rejected', async (_, body, fault) => {
    expect(await keysOf(WEB, {}, body)).toBe(fault)
  })

  it('is fetched once for several signatures, and again if a key is unknown', async () => {
    const { fetchResource, asked } = web(document)
    const at = (now: number, kid?: string) =>
      resolveDidKeys(WEB, 'assertionMethod', { kid, algorithm: 'ES256' }, { now, fetchResource })
    await Promise.all([at(NOW), at(NOW), at(NOW + 9)])
    await at(NOW + 299)
    expect(asked).toEqual([WEB_URL])
    expect(word(await at(NOW + 31, '#key-2'))).toBe('none')
    expect(asked).toHaveLength(2)
    await at(NOW + 32, '#key-2') // not again so soon
    expect(asked).toHaveLength(2)
  })
})

describe('a trust anchor that is a DID', () => {
  const anchor = (did: string): TrustAnchor => ({ ...SHARED, did })
  const asking = (iss: string, anchors: readonly TrustAnchor[], body: unknown = document, kid?: string) =>
    ask({ iss, chain: undefined, kid }, { anchors, fetchResource: web(body).fetchResource })

  it('trusts signatures by its assertionMethod keys', async () => {
    const found = await asking(WEB, [anchor(WEB)])
    expect(found).toMatchObject({ ok: true, value: { issuer: WEB, keys: [{ x: jwk.x }] } })
  })

  it('trusts no other DID', async () => {
    expect(outcomeOf(await asking(didJwk(other), [anchor(WEB)]))).toBe('untrusted_issuer')
  })

  it.each([
    ['has no key with the credential’s kid', document, `${WEB}#key-2`, 'issuer_key_not_found'],
    [
      'names its key for authentication only',
      { ...document, assertionMethod: [], authentication: [method.id] },
      undefined,
      'issuer_key_not_found',
    ],
    [
      'has a document with the id of another DID',
      { ...document, id: 'did:web:other.example' },
      undefined,
      'issuer_metadata_invalid',
    ],
    ['has an unavailable document', 'unavailable', undefined, 'issuer_metadata_unavailable'],
  ])('an anchored DID that %s trusts no signature', async (_, body, kid, reason) => {
    expect(outcomeOf(await asking(WEB, [anchor(WEB)], body, kid))).toBe(reason)
  })
})

describe('a DID', () => {
  it.each([WEB, KEY, didJwk(jwk)])('has a known method and a valid form: %s', (did) => {
    expect(isKnownDid(did)).toBe(true)
  })

  it.each(['', 'did:', 'did:ion:x', 'did:web:', 'did:key:x', 'did:jwk:x', `did:web:${'a'.repeat(2048)}`])(
    'is rejected as unknown or malformed: "%s"',
    (did) => {
      expect(isKnownDid(did)).toBe(false)
    },
  )
})
