// JWT VC Issuer Metadata (SD-JWT VC §4): its URL, its content, and its caching.

import { describe, expect, it } from 'vitest'
import type { FetchResource } from '../../../src/net/guarded-fetch.ts'
import { err } from '../../../src/result.ts'
import { issuerMetadataUrl, resolveMetadataKeys } from '../../../src/trust/anchors/issuer-metadata.ts'
import { jsonResource, NOW } from '../fixtures.ts'

const ISSUER = 'https://issuer.example/tenant'
const METADATA_URL = 'https://issuer.example/.well-known/jwt-vc-issuer/tenant'
const KEYS_URL = 'https://keys.example/jwks'

// RFC 7515 Appendix A.3 and RFC 8037 Appendix A.
const P256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}
const ED25519 = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }

const es256 = (kid?: string) => ({ kid, algorithm: 'ES256' })

type Documents = Readonly<Record<string, unknown>>

/** A web with these documents, and the requests it received. */
function web(documents: Documents): { fetchResource: FetchResource; asked: string[] } {
  const asked: string[] = []
  const fetchResource: FetchResource = async ({ url, limit }) => {
    asked.push(url)
    expect(limit).toBe(65_536)
    return Object.hasOwn(documents, url) ? jsonResource(documents[url]) : err('unavailable')
  }
  return { fetchResource, asked }
}

async function read(documents: Documents, signature = es256(), issuer = ISSUER) {
  const result = await resolveMetadataKeys(issuer, signature, {
    now: NOW,
    fetchResource: web(documents).fetchResource,
  })
  return result.ok ? result.value : result.error.reason
}

const good = { issuer: ISSUER, jwks: { keys: [P256] } }

describe('the metadata URL of the issuer', () => {
  it.each([
    ['https://issuer.example', 'https://issuer.example/.well-known/jwt-vc-issuer'],
    ['https://issuer.example/', 'https://issuer.example/.well-known/jwt-vc-issuer'],
    ['https://issuer.example/tenant/1', 'https://issuer.example/.well-known/jwt-vc-issuer/tenant/1'],
    ['https://issuer.example/tenant/', 'https://issuer.example/.well-known/jwt-vc-issuer/tenant'],
    ['https://issuer.example:8443/tenant', 'https://issuer.example:8443/.well-known/jwt-vc-issuer/tenant'],
    ['http://issuer.example', undefined],
    ['https://issuer.example?a=b', undefined],
    ['https://issuer.example?', undefined],
    ['https://issuer.example#a', undefined],
    ['https://issuer.example/#', undefined],
    ['https://user@issuer.example', undefined],
    ['did:web:issuer.example', undefined],
    ['issuer.example', undefined],
    [`https://issuer.example/${'a'.repeat(2048)}`, undefined],
  ])('the metadata URL for the issuer %s is %s', (issuer, url) => {
    expect(issuerMetadataUrl(issuer)).toBe(url)
  })
})

describe('the content of metadata', () => {
  it('gives the keys of `jwks`, with their public parameters only', async () => {
    expect(
      await read({ [METADATA_URL]: { ...good, jwks: { keys: [{ ...P256, kid: 'a', x5u: 'b' }] } } }),
    ).toEqual([P256])
  })

  it('gives the keys of `jwks_uri`', async () => {
    const documents = { [METADATA_URL]: { issuer: ISSUER, jwks_uri: KEYS_URL }, [KEYS_URL]: { keys: [P256] } }
    expect(await read(documents)).toEqual([P256])
  })

  it('gives only the keys that fit the algorithm of the signature', async () => {
    const jwks = { keys: [{ ...P256, kid: 'a' }, ED25519] }
    expect(await read({ [METADATA_URL]: { ...good, jwks } }, { kid: undefined, algorithm: 'EdDSA' })).toEqual(
      [ED25519],
    )
  })

  it.each<[string, unknown]>([
    ['an issuer that differs from the requested issuer', { ...good, issuer: `${ISSUER}/` }],
    ['no issuer', { jwks: good.jwks }],
    ['no keys', { issuer: ISSUER }],
    ['both `jwks` and `jwks_uri`', { ...good, jwks_uri: KEYS_URL }],
    ['a `jwks` that is no key set', { ...good, jwks: [P256] }],
    ['a `jwks_uri` over http', { issuer: ISSUER, jwks_uri: 'http://keys.example/jwks' }],
    ['a `jwks_uri` that is no text', { issuer: ISSUER, jwks_uri: [KEYS_URL] }],
    ['an array in place of the object', [good]],
  ])('is invalid with %s', async (_, document) => {
    expect(await read({ [METADATA_URL]: document, [KEYS_URL]: { keys: [P256] } })).toBe(
      'issuer_metadata_invalid',
    )
  })

  it('is invalid if `jwks_uri` gives no key set', async () => {
    const documents = { [METADATA_URL]: { issuer: ISSUER, jwks_uri: KEYS_URL }, [KEYS_URL]: { jwks: [P256] } }
    expect(await read(documents)).toBe('issuer_metadata_invalid')
  })

  it.each<[string, object]>([
    ['for encryption', { ...P256, use: 'enc' }],
    ['not for verification', { ...P256, key_ops: ['deriveKey'] }],
    ['with its private half', { ...P256, d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI' }],
    ['of an unknown kind', { ...P256, crv: 'secp256k1' }],
    ['whose kid is no text', { ...P256, kid: 1 }],
  ])('skips a key %s', async (_, key) => {
    expect(await read({ [METADATA_URL]: { ...good, jwks: { keys: [key] } } })).toEqual([])
    expect(await read({ [METADATA_URL]: { ...good, jwks: { keys: [key, P256] } } })).toEqual([P256])
  })

  it.each<[string, Uint8Array]>([
    [
      'a member twice',
      new TextEncoder().encode(`{"issuer":"${ISSUER}","issuer":"${ISSUER}","jwks":{"keys":[]}}`),
    ],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d)],
    ['more than 64 KiB', new TextEncoder().encode(`${JSON.stringify(good)}${' '.repeat(65_536)}`)],
    [
      'more than 16 levels of nesting',
      new TextEncoder().encode(
        `{"issuer":"${ISSUER}","jwks":{"keys":[]},"a":${'['.repeat(20)}${']'.repeat(20)}}`,
      ),
    ],
  ])('is invalid if its body has %s', async (_, body) => {
    const fetchResource = async () =>
      ({ ok: true, value: { body: new Uint8Array(body), contentType: 'application/json' } }) as const
    const result = await resolveMetadataKeys(ISSUER, es256(), { now: NOW, fetchResource })
    expect(result).toEqual(err({ reason: 'issuer_metadata_invalid' }))
  })

  it.each([
    ['unavailable', 'issuer_metadata_unavailable'],
    ['forbidden', 'issuer_metadata_invalid'],
    ['too_large', 'issuer_metadata_invalid'],
  ] as const)('metadata whose fetch fails with %s gives the error %s', async (fault, reason) => {
    const fetchResource = async () => err(fault)
    expect(await resolveMetadataKeys(ISSUER, es256(), { now: NOW, fetchResource })).toEqual(err({ reason }))
  })

  it('is unavailable if `jwks_uri` is unavailable', async () => {
    expect(await read({ [METADATA_URL]: { issuer: ISSUER, jwks_uri: KEYS_URL } })).toBe(
      'issuer_metadata_unavailable',
    )
  })

  it('is invalid for an issuer with an http URL, and nothing is fetched', async () => {
    const { fetchResource, asked } = web({})
    const result = await resolveMetadataKeys('http://issuer.example', es256(), { now: NOW, fetchResource })
    expect(result).toEqual(err({ reason: 'issuer_metadata_invalid' }))
    expect(asked).toEqual([])
  })
})

describe('the metadata of an issuer is fetched', () => {
  const named = { ...good, jwks: { keys: [{ ...P256, kid: 'a' }] } }

  it('at most once in 5 minutes', async () => {
    const { fetchResource, asked } = web({ [METADATA_URL]: named })
    for (const now of [NOW, NOW + 299]) await resolveMetadataKeys(ISSUER, es256('a'), { now, fetchResource })
    expect(asked.length).toBe(1)
    await resolveMetadataKeys(ISSUER, es256('a'), { now: NOW + 300, fetchResource })
    expect(asked.length).toBe(2)
  })

  it('once for all callers at the same time', async () => {
    const { fetchResource, asked } = web({ [METADATA_URL]: named })
    const needs = Array.from({ length: 20 }, () =>
      resolveMetadataKeys(ISSUER, es256('a'), { now: NOW, fetchResource }),
    )
    expect((await Promise.all(needs)).every((result) => result.ok)).toBe(true)
    expect(asked.length).toBe(1)
  })

  it('again for an unknown key, but not within 30 seconds after a fetch', async () => {
    const documents: Record<string, unknown> = { [METADATA_URL]: named }
    const { fetchResource, asked } = web(documents)
    await resolveMetadataKeys(ISSUER, es256('a'), { now: NOW, fetchResource })
    documents[METADATA_URL] = { ...good, jwks: { keys: [{ ...P256, kid: 'b' }] } }
    expect(await resolveMetadataKeys(ISSUER, es256('b'), { now: NOW + 29, fetchResource })).toEqual({
      ok: true,
      value: [],
    })
    expect(asked.length).toBe(1)
    expect(await resolveMetadataKeys(ISSUER, es256('b'), { now: NOW + 30, fetchResource })).toEqual({
      ok: true,
      value: [P256],
    })
    expect(asked.length).toBe(2)
    await resolveMetadataKeys(ISSUER, es256('c'), { now: NOW + 31, fetchResource })
    expect(asked.length).toBe(2)
  })

  it('again after a failure, but not within two seconds after the failure', async () => {
    const documents: Record<string, unknown> = {}
    const { fetchResource, asked } = web(documents)
    const ask = async (now: number) =>
      (await resolveMetadataKeys(ISSUER, es256('a'), { now, fetchResource })).ok
    expect(await ask(NOW)).toBe(false)
    const fetches = asked.length
    documents[METADATA_URL] = named
    expect(await ask(NOW + 1)).toBe(false)
    expect(asked.length).toBe(fetches)
    expect(await ask(NOW + 2)).toBe(true)
  })

  it('separately for each fetch function, because the functions may reach different addresses', async () => {
    const first = web({ [METADATA_URL]: named })
    const second = web({})
    expect(
      (await resolveMetadataKeys(ISSUER, es256('a'), { now: NOW, fetchResource: first.fetchResource })).ok,
    ).toBe(true)
    expect(
      (await resolveMetadataKeys(ISSUER, es256('a'), { now: NOW, fetchResource: second.fetchResource })).ok,
    ).toBe(false)
  })

  it("again if another caller's fetch has already lasted for more than 10 seconds", async () => {
    let calls = 0
    const fetchResource: FetchResource = () => {
      calls += 1
      return calls === 1 ? new Promise(() => undefined) : Promise.resolve(jsonResource(named))
    }
    void resolveMetadataKeys(ISSUER, es256('a'), { now: NOW, fetchResource })
    expect((await resolveMetadataKeys(ISSUER, es256('a'), { now: NOW + 11, fetchResource })).ok).toBe(true)
  })
})
