// The linter checks every request for the Digital Credentials API in any test. These tests check the linter:
// it accepts good input, and names the rule of each planted fault.

import { CompactSign, decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { buildDcApiRequests } from '../../src/openid4vp/dc-api.ts'
import { type DigitalRequest, lintDigitalRequest } from '../support/linters/dc-api-linter.ts'
import type { Loose } from '../support/linters/request-rules.ts'
import { createGeneration, createVerifier, NOW, plainFormat, QUERY } from './fixtures.ts'

const verifier = await createVerifier()
const ORIGIN = 'https://shop.example'

/** A request taken apart. What is not signed has no header. */
type Made = { protocol: string; claims: Loose; header: Loose; beside: Loose }
type Fault = readonly [rule: string, name: string, plant: (made: Made) => unknown]

const BOTH: readonly Fault[] = [
  ['R1', 'a nonce of 15 characters', ({ claims }) => (claims.nonce = 'a'.repeat(15))],
  ['R2', 'another response_type', ({ claims }) => (claims.response_type = 'id_token')],
  ['R3', 'a response mode of the redirect flow', ({ claims }) => (claims.response_mode = 'direct_post.jwt')],
  ['R60', 'a state', ({ claims }) => (claims.state = 'a'.repeat(22))],
  ['R60', 'a response_uri', ({ claims }) => (claims.response_uri = ORIGIN)],
  ['R5 R26 R31 R32', 'no query', ({ claims }) => delete claims.dcql_query],
  ['R26', 'no formats', ({ claims }) => (claims.client_metadata.vp_formats_supported = {})],
  ['R27', 'no key', ({ claims }) => delete claims.client_metadata.jwks],
  ['R27', 'a key although the response is not encrypted', ({ claims }) => (claims.response_mode = 'dc_api')],
  ['R28', 'a client_name', ({ claims }) => (claims.client_metadata.client_name = 'Shop')],
]

const SIGNED: readonly Fault[] = [
  ...BOTH,
  [
    'R28',
    'metadata for Google Wallet that is not text',
    ({ claims }) => (claims.client_metadata.gw_rp_metadata_bytes = {}),
  ],
  ['R61', 'no expected_origins', ({ claims }) => delete claims.expected_origins],
  ['R61', 'an origin with a slash', ({ claims }) => (claims.expected_origins = [`${ORIGIN}/`])],
  ['R61', 'a second origin', ({ claims }) => claims.expected_origins.push('https://b.example')],
  ['R61', 'a parameter beside request', ({ beside }) => (beside.client_id = 'x509_hash:x')],
  ['R8', 'no aud', ({ claims }) => delete claims.aud],
  ['R9', 'another typ', ({ header }) => (header.typ = 'JWT')],
  ['R10', 'an exp that has passed', ({ claims }) => (claims.exp = NOW)],
  ['R17', 'a client_id without a prefix', ({ claims }) => (claims.client_id = 'verifier.example')],
  ['R17', 'a client_id with the prefix of wallets', ({ claims }) => (claims.client_id = `origin:${ORIGIN}`)],
  [
    'R17',
    'a DNS name that is not in the certificate',
    ({ claims }) => (claims.client_id = 'x509_san_dns:other.example'),
  ],
  ['R18', 'another hash', ({ claims }) => (claims.client_id = 'x509_hash:x')],
  [
    'R19',
    'the anchor in x5c',
    ({ header }) => header.x5c.push(verifier.ca.replace(/-----[A-Z ]+-----|\s/g, '')),
  ],
]

const UNSIGNED: readonly Fault[] = [
  ...BOTH,
  [
    'R28',
    'metadata for Google Wallet',
    ({ claims }) => (claims.client_metadata.gw_rp_metadata_bytes = '2BhA'),
  ],
  ['R60', 'a client_id', ({ claims }) => (claims.client_id = 'x509_hash:x')],
  ['R60', 'expected_origins', ({ claims }) => (claims.expected_origins = [ORIGIN])],
  ['R59', 'the protocol of a draft', (made) => (made.protocol = 'openid4vp')],
]

describe.each([
  ['openid4vp-v1-signed', SIGNED],
  ['openid4vp-v1-unsigned', UNSIGNED],
] as const)('the linter of requests for %s', (protocol, faults) => {
  it('finds nothing in a good request', async () => {
    expect(await rulesBroken(protocol, () => undefined)).toBe('')
  })

  it.each(faults)('reports the rule %s for %s', async (rule, _, plant) => {
    expect(await rulesBroken(protocol, plant)).toBe(rule)
  })
})

it('the linter reports the rule R9 if another key signed the request', async () => {
  const other = await createVerifier()
  const { signingJwk } = other.identities.x509_hash
  expect(await rulesBroken('openid4vp-v1-signed', () => undefined, signingJwk)).toBe('R9')
})

async function rulesBroken(
  protocol: string,
  plant: Fault[2],
  signingJwk: object = verifier.identities.x509_hash.signingJwk,
): Promise<string> {
  const made = await make(protocol)
  plant(made)
  const data =
    made.header === undefined
      ? made.claims
      : {
          request: await new CompactSign(Buffer.from(JSON.stringify(made.claims)))
            .setProtectedHeader(made.header)
            .sign(signingJwk as Loose),
          ...made.beside,
        }
  const found = await lintDigitalRequest({ protocol: made.protocol, data }, { origin: ORIGIN, now: NOW })
  return [...new Set(found.map((fault) => fault.split(':')[0]))].sort(byNumber).join(' ')
}

function byNumber(one = '', other = ''): number {
  return Number(one.slice(1)) - Number(other.slice(1))
}

async function goodInput() {
  return {
    generation: await createGeneration(),
    origin: ORIGIN,
    responseMode: 'direct_post.jwt',
    query: QUERY,
    formats: { 'dc+sd-jwt': plainFormat() },
    now: NOW,
    expiresAt: NOW + 600,
  } as const
}

async function make(protocol: string): Promise<Made> {
  const requests = await buildDcApiRequests(await goodInput(), verifier.identities.x509_hash)
  const { data } = requests.find((request) => request.protocol === protocol) as DigitalRequest
  if (typeof data.request !== 'string') {
    return { protocol, claims: structuredClone(data), header: undefined, beside: {} }
  }
  const header = { ...decodeProtectedHeader(data.request) }
  return { protocol, claims: decodeJwt(data.request), header, beside: {} }
}

describe('the linter of multi-signed requests', () => {
  type Multi = { payload: string; signatures: { protected: string; signature: string; header?: object }[] }
  const faultsOf = async (plant: (data: Multi & Loose) => void) => {
    const other = await createVerifier()
    const identity = { ...verifier.identities.x509_hash, further: [other.identities.x509_hash] }
    const [request] = await buildDcApiRequests(await goodInput(), identity)
    const data = structuredClone(request?.data) as unknown as Multi & Loose
    plant(data)
    const entry = { protocol: 'openid4vp-v1-multisigned', data }
    const found = await lintDigitalRequest(entry, { origin: ORIGIN, now: NOW })
    return [...new Set(found.map((fault) => fault.split(':')[0]))].sort(byNumber).join(' ')
  }

  it('finds nothing in a good request', async () => {
    expect(await faultsOf(() => undefined)).toBe('')
  })

  it.each<readonly [rule: string, name: string, plant: (data: Multi & Loose) => void]>([
    ['R62', 'one signature', ({ signatures }) => signatures.pop()],
    ['R62', 'a member beside the JWS', (data) => (data.request = 'a.b.c')],
    ['R62', 'an unprotected header', ({ signatures }) => (signatures[0]!.header = { client_id: 'x' })],
    ['R62', 'one identity twice', ({ signatures }) => (signatures[1] = signatures[0]!)],
    ['R9', 'a bad signature', ({ signatures: [one, two] }) => (two!.signature = one!.signature)],
  ])('reports the rule %s for %s', async (rule, _, plant) => {
    expect(await faultsOf(plant)).toBe(rule)
  })
})
