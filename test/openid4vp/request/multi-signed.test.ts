// OpenID4VP 1.0 A.3.2.2: one request that several identities sign. jose and node's own cryptography judge it,
// and a strict reader of wallets refuses each hostile change.

import { createPublicKey, verify, X509Certificate } from 'node:crypto'
import { generalVerify, importX509 } from 'jose'
import { describe, expect, it } from 'vitest'
import { buildDcApiRequests } from '../../../src/openid4vp/dc-api.ts'
import type { FurtherIdentity, VerifierIdentity } from '../../../src/openid4vp/request/generation.ts'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { identityOf } from '../../support/wallets/good-request.ts'
import { sha256 } from '../../support/wallets/holdings.ts'
import { readMultiSigned } from '../../support/wallets/multi-signed.ts'
import { createGeneration, NOW, plainFormat, QUERY } from '../fixtures.ts'

const ORIGIN = 'https://shop.example'
const [eu, apple, stranger] = await Promise.all(
  ['CN=EU access', 'CN=Apple', 'CN=Unknown'].map((subject) => mintRoot({ subject })),
)
const [euLeaf, appleLeaf] = await Promise.all([mintLeaf(eu!), mintLeaf(apple!)])

function identityFor(leaf: typeof euLeaf): FurtherIdentity {
  const { signing_jwk } = identityOf(leaf)
  const der = Buffer.from(leaf.x5c, 'base64')
  return {
    clientId: `x509_hash:${sha256(der)}`,
    proof: { x5c: [leaf.x5c] },
    signingJwk: signing_jwk as FurtherIdentity['signingJwk'],
  }
}

const REGISTERED = [{ format: 'registration_cert', data: 'a.b.c' }]
const first: VerifierIdentity = { ...identityFor(euLeaf), verifierInfo: REGISTERED }
const second: FurtherIdentity = identityFor(appleLeaf)

type Entry = { readonly protocol: string; readonly data: Readonly<Record<string, unknown>> }
type MultiSigned = { payload: string; signatures: { protected: string; signature: string }[] }

async function build(identity: VerifierIdentity | null): Promise<readonly Entry[]> {
  const generation = await createGeneration()
  const input = {
    query: QUERY,
    formats: { 'dc+sd-jwt': plainFormat() },
    responseMode: 'direct_post.jwt',
    generation,
    origin: ORIGIN,
    now: NOW,
    expiresAt: NOW + 600,
    ...(identity?.verifierInfo && { verifierInfo: identity.verifierInfo }),
  } as const
  return (await buildDcApiRequests(input, identity)) as readonly Entry[]
}

const protocolsOf = (requests: readonly Entry[]) => requests.map(({ protocol }) => protocol)
const requests = await build({ ...first, further: [second] })
const good = requests[0]?.data as unknown as MultiSigned
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const headers = good.signatures.map((one) => decode(one.protected))

describe('a multi-signed request', () => {
  it('is offered before the signed and the unsigned request, and all three have the same nonce, query and key', async () => {
    expect(protocolsOf(requests)).toEqual([
      'openid4vp-v1-multisigned',
      'openid4vp-v1-signed',
      'openid4vp-v1-unsigned',
    ])
    const payloads = [
      decode(good.payload),
      decode(String(requests[1]?.data.request).split('.')[1]),
      requests[2]?.data as Record<string, unknown>,
    ]
    for (const member of ['nonce', 'dcql_query', 'client_metadata', 'response_mode'])
      expect(new Set(payloads.map((one) => JSON.stringify(one[member]))).size).toBe(1)
  })

  it('is absent if the verifier has one identity or none', async () => {
    expect(protocolsOf(await build(first))).toEqual(['openid4vp-v1-signed', 'openid4vp-v1-unsigned'])
    expect(protocolsOf(await build(null))).toEqual(['openid4vp-v1-unsigned'])
  })

  it('has signatures that jose verifies only with the leaf of their own identity', async () => {
    const keys = await Promise.all([euLeaf, appleLeaf].map(({ pem }) => importX509(pem, 'ES256')))
    for (const [i, one] of good.signatures.entries())
      for (const [j, key] of keys.entries()) {
        const verified = generalVerify({ payload: good.payload, signatures: [one] }, key)
        if (i === j) expect((await verified).protectedHeader?.client_id).toBe([first, second][i]?.clientId)
        else await expect(verified).rejects.toThrow('signature verification failed')
      }
  })

  it('has signatures that node:crypto verifies over the header and the payload as they were sent', () => {
    const leaves = [euLeaf, appleLeaf].map(({ pem }) => new X509Certificate(pem))
    const results = good.signatures.map((one, i) =>
      verify(
        'sha256',
        Buffer.from(`${one.protected}.${good.payload}`),
        {
          key: createPublicKey(String(leaves[i]?.publicKey.export({ type: 'spki', format: 'pem' }))),
          dsaEncoding: 'ieee-p1363',
        },
        Buffer.from(one.signature, 'base64url'),
      ),
    )
    expect(results).toEqual([true, true])
  })

  it('has the members of each identity in the protected header of that identity’s signature, not in the payload', () => {
    expect(headers).toEqual([
      {
        alg: 'ES256',
        typ: 'oauth-authz-req+jwt',
        client_id: first.clientId,
        x5c: [euLeaf.x5c],
        verifier_info: REGISTERED,
        iat: NOW,
      },
      { alg: 'ES256', typ: 'oauth-authz-req+jwt', client_id: second.clientId, x5c: [appleLeaf.x5c] },
    ])
    expect(decode(good.payload)).toMatchObject({ expected_origins: [ORIGIN], response_mode: 'dc_api.jwt' })
    expect(decode(good.payload)).not.toHaveProperty('client_id')
    expect(decode(good.payload)).not.toHaveProperty('verifier_info')
  })

  it('contains the Google Wallet metadata of a further identity, but the signed request does not', async () => {
    const [multi, signed] = await build({ ...first, further: [{ ...second, googleMetadata: '2BhA' }] })
    expect(decode(multi?.data.payload as string)).toMatchObject({
      client_metadata: { gw_rp_metadata_bytes: '2BhA' },
    })
    const claims = decode(String(signed?.data.request).split('.')[1])
    expect(claims.client_metadata).not.toHaveProperty('gw_rp_metadata_bytes')
  })
})

describe('a strict wallet', () => {
  const read = (data: object, verifierCa = apple!.pem, origin = ORIGIN) =>
    readMultiSigned(data as Entry['data'], { origin, verifierCa })
  /** Reads the good request after each refusal, so that no test changes it for the next. */
  const readGood = async () => {
    const [byEu, byApple] = await Promise.all([read(good, eu!.pem), read(good)])
    expect([byEu.used.clientId, byApple.used.clientId]).toEqual([first.clientId, second.clientId])
    expect(byApple.identities.map(({ fault }) => fault)).toEqual([null, null])
  }
  const [one, other] = good.signatures as [MultiSigned['signatures'][0], MultiSigned['signatures'][0]]
  /** The good request with a change in the header of the second identity, which signs this header. */
  const withHeader = async (change: object) => {
    const header = encode({ ...decode(other.protected), ...change })
    const signed = Buffer.from(`${header}.${good.payload}`)
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
    const signature = await crypto.subtle.sign(algorithm, appleLeaf.keys.privateKey, signed)
    const changed = { protected: header, signature: Buffer.from(signature).toString('base64url') }
    return { ...good, signatures: [one, changed] }
  }

  it('uses the identity that its trusted authority certifies, at any place in the list of signatures', async () => {
    await readGood()
    expect((await read({ ...good, signatures: [other, one] })).used.clientId).toBe(second.clientId)
    expect((await read(good, eu!.pem)).used.verifierInfo).toEqual(REGISTERED)
  })

  const HOSTILE: readonly (readonly [name: string, data: object | Promise<object>, why: string])[] = [
    [
      'protected headers that are swapped',
      {
        ...good,
        signatures: [
          { ...one, protected: other.protected },
          { ...other, protected: one.protected },
        ],
      },
      'a signature is of another protected header',
    ],
    [
      'another payload',
      { ...good, payload: encode({ ...decode(good.payload), nonce: 'a'.repeat(32) }) },
      'a signature does not verify',
    ],
    [
      'a Client Identifier that is not the hash of its leaf',
      withHeader({ client_id: `${first.clientId}x` }),
      'a client_id is not the hash of its leaf',
    ],
    ['one identity twice', { ...good, signatures: [other, other] }, 'a client_id occurs twice'],
    [
      'an unprotected header',
      { ...good, signatures: [one, { ...other, header: { client_id: first.clientId } }] },
      'a signature has an unprotected header',
    ],
    ['a critical member', withHeader({ crit: ['exp'] }), 'a protected header has critical members'],
    ['another algorithm', withHeader({ alg: 'none' }), 'a protected header has another alg'],
    ['another type', withHeader({ typ: 'JWT' }), 'a protected header has another typ'],
    ['no Client Identifier', withHeader({ client_id: undefined }), 'a protected header has no client_id'],
    [
      'a Client Identifier in the payload',
      { ...good, payload: encode({ ...decode(good.payload), client_id: first.clientId }) },
      'client_id is in the payload',
    ],
    [
      'attestations in the payload',
      { ...good, payload: encode({ ...decode(good.payload), verifier_info: [] }) },
      'verifier_info is in the payload',
    ],
    ['the JWS below request', { request: good }, 'data is not a JWS with several signatures'],
    ['no signature', { ...good, signatures: [] }, 'signatures is not a list'],
  ]

  it.each(HOSTILE)('refuses a request with %s, and reads a good request after it', async (_, data, why) => {
    await expect(read(await data)).rejects.toThrow(why)
    await readGood()
  })

  it('refuses a good request that was made for another page, or whose identities no trusted authority certifies', async () => {
    await expect(read(good, apple!.pem, 'https://other.example')).rejects.toThrow('expected_origins')
    await expect(read(good, stranger!.pem)).rejects.toThrow('no identity is one that the wallet trusts')
    await readGood()
  })

  it('ignores one bad signature of two, and uses the good signature', async () => {
    const bad = { ...one, signature: other.signature }
    const result = await read({ ...good, signatures: [bad, other] })
    expect(result.identities.map(({ fault }) => fault)).toEqual(['a signature does not verify', null])
    expect(result.used.clientId).toBe(second.clientId)
    await expect(read({ ...good, signatures: [bad, other] }, eu!.pem)).rejects.toThrow('does not verify')
    await readGood()
  })
})
