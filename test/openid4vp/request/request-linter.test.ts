// The linter checks every request in any test. These tests check the linter: it accepts good input, and names
// the rule of each planted fault.

import { CompactSign } from 'jose'
import { describe, expect, it } from 'vitest'
import { PROTOCOLS } from '../../../src/openid4vp/protocols/index.ts'
import { buildAuthorizationRequestUri } from '../../../src/openid4vp/request/authorization-request.ts'
import {
  createRequestLinter,
  type ObservedRequest,
  type Violation,
} from '../../support/linters/request-linter.ts'
import type { Loose } from '../../support/linters/request-rules.ts'
import {
  createGeneration,
  createVerifier,
  NOW,
  plainFormat,
  QUERY,
  REQUEST_URI,
  RESPONSE_URI,
} from '../fixtures.ts'

let verifier = await createVerifier()
// One leaf in some hundreds is the same text in base64 and base64url.
while (!/[+/]/.test(verifier.leaf)) verifier = await createVerifier()

/** A request taken apart: a fault changes one thing in it before it is signed. */
type Draft = {
  claims: Loose
  header: Loose
  uri: string
  http: { status: number; headers: Headers }
  walletNonce: string | undefined
}

type Fault = readonly [rule: string, name: string, plant: (draft: Draft) => unknown]

/** Text of an object that a credential of this query may confirm. */
const transaction = (id: string) =>
  Buffer.from(JSON.stringify({ type: 'urn:x', credential_ids: [id] })).toString('base64url')

const ATTESTED = { format: 'registration_cert', data: 'x' }

const FAULTS: readonly Fault[] = [
  ['R1', 'a nonce of 15 characters', ({ claims }) => (claims.nonce = 'a'.repeat(15))],
  ['R1', 'a nonce of 44 characters', ({ claims }) => (claims.nonce = 'a'.repeat(44))],
  ['R1', 'a nonce with a slash', ({ claims }) => (claims.nonce = `${'a'.repeat(31)}/`)],
  ['R2', 'another response_type', ({ claims }) => (claims.response_type = 'vp_token id_token')],
  ['R3 R27', 'no response_mode', ({ claims }) => delete claims.response_mode],
  ['R4', 'no response_uri', ({ claims }) => delete claims.response_uri],
  ['R4', 'a response_uri with a fragment', ({ claims }) => (claims.response_uri += '#')],
  [
    'R4',
    'an http response_uri',
    ({ claims }) => (claims.response_uri = RESPONSE_URI.replace('https', 'http')),
  ],
  ['R4', 'a redirect_uri', ({ claims }) => (claims.redirect_uri = RESPONSE_URI)],
  ['R5', 'a scope beside the query', ({ claims }) => (claims.scope = 'pid')],
  ['R5 R26 R31 R32', 'a query in a string', ({ claims }) => (claims.dcql_query = JSON.stringify(QUERY))],
  ['R6', 'a presentation_definition', ({ claims }) => (claims.presentation_definition = {})],
  ['R6', 'a client_id_scheme', ({ claims }) => (claims.client_id_scheme = 'x509_hash')],
  [
    'R6',
    'transaction_data that the caller did not request',
    ({ claims }) => (claims.transaction_data = [transaction('age')]),
  ],
  ['R7', 'no state', ({ claims }) => delete claims.state],
  ['R7', 'a guessable state', ({ claims }) => (claims.state = '1234')],
  ['R8', 'no aud', ({ claims }) => delete claims.aud],
  ['R9', 'no typ', ({ header }) => delete header.typ],
  ['R9 R17', 'another iss', ({ claims }) => (claims.iss = 'https://verifier.example')],
  ['R17', 'a kid without iss', ({ header }) => (header.kid = 'key')],
  [
    'R17',
    'another kid beside iss',
    ({ header, claims }) => {
      header.kid = 'key'
      claims.iss = claims.client_id
    },
  ],
  ['R9', 'sub', ({ claims }) => (claims.sub = claims.client_id)],
  ['R9', 'request_uri_method in the Request Object', ({ claims }) => (claims.request_uri_method = 'post')],
  ['R10', 'no iat', ({ claims }) => delete claims.iat],
  ['R10', 'an iat in the future', ({ claims }) => (claims.iat = NOW + 301)],
  ['R10', 'an exp that has passed', ({ claims }) => (claims.exp = NOW)],
  [
    'R11',
    'another client_id in the URI',
    (draft) => (draft.uri = draft.uri.replace('x509_hash:', 'x509_hash:x')),
  ],
  ['R12', 'an http request_uri', (draft) => (draft.uri = draft.uri.replace('https:', 'http:'))],
  ['R12', 'status 201', ({ http }) => (http.status = 201)],
  ['R12', 'another media type', ({ http }) => http.headers.set('content-type', 'application/jwt')],
  ['R12', 'a response that may be cached', ({ http }) => http.headers.delete('cache-control')],
  ['R13', 'a method in upper case', (draft) => (draft.uri = draft.uri.replace('=post', '=POST'))],
  ['R13', 'a wallet_nonce that no wallet sent', ({ claims }) => (claims.wallet_nonce = 'n')],
  ['R13', 'a wallet_nonce that is not echoed', (draft) => (draft.walletNonce = 'n')],
  ['R15', 'a nonce in the URI', (draft) => (draft.uri += '&nonce=n')],
  ['R15', 'a parameter twice', (draft) => (draft.uri += '&request_uri_method=post')],
  ['R11 R17', 'a client_id without a prefix', ({ claims }) => (claims.client_id = 'verifier.example')],
  [
    'R11 R18',
    'the hash of another certificate',
    ({ claims }) => (claims.client_id = `x509_hash:${'A'.repeat(43)}`),
  ],
  [
    'R11 R17',
    'a DNS name that is not the leaf’s',
    ({ claims }) => (claims.client_id = 'x509_san_dns:other.example'),
  ],
  ['R19', 'x5c in base64url', ({ header }) => (header.x5c = header.x5c.map(toBase64url))],
  [
    'R19',
    'the anchor in x5c',
    ({ header }) => header.x5c.push(verifier.ca.replace(/-----[A-Z ]+-----|\s/g, '')),
  ],
  ['R9 R17 R18 R19 R29', 'no x5c', ({ header }) => delete header.x5c],
  [
    'R17',
    'an iat in the header without a registration certificate',
    ({ header, claims }) => (header.iat = claims.iat),
  ],
  [
    'R17',
    'a registration certificate without an iat in the header',
    ({ claims }) => (claims.verifier_info = [ATTESTED]),
  ],
  ['E1 R17', 'an empty verifier_info', ({ claims }) => (claims.verifier_info = [])],
  ['E1 R17', 'two attestations of one format', ({ claims }) => (claims.verifier_info = [ATTESTED, ATTESTED])],
  [
    'E1 R17',
    'an attestation for only some credentials',
    ({ claims }) => (claims.verifier_info = [{ ...ATTESTED, credential_ids: ['pid'] }]),
  ],
  ['R26', 'a format left out', ({ claims }) => (claims.client_metadata.vp_formats_supported = {})],
  ['R26', 'an empty algorithm list', ({ claims }) => (formatOf(claims)['kb-jwt_alg_values'] = [])],
  ['R26', 'members of another version', ({ claims }) => (formatOf(claims).alg_values = ['ES256'])],
  ['R27', 'a key without kid', ({ claims }) => delete keyOf(claims).kid],
  ['R27', 'a key without use', ({ claims }) => delete keyOf(claims).use],
  ['R27', 'a private key', ({ claims }) => (keyOf(claims).d = 'AA')],
  ['R27', 'a first key for another algorithm', ({ claims }) => (keyOf(claims).alg = 'ECDH-ES+A128KW')],
  [
    'R27',
    'A256GCM left out',
    ({ claims }) => claims.client_metadata.encrypted_response_enc_values_supported.pop(),
  ],
  ['R27', 'encryption metadata for a plain response', ({ claims }) => (claims.response_mode = 'direct_post')],
  ['R28', 'a client_name', ({ claims }) => (claims.client_metadata.client_name = 'Verifier')],
  [
    'R29',
    'the signing key as encryption key',
    ({ claims }) => Object.assign(keyOf(claims), signingPublicKey()),
  ],
  ['R31', 'a query without meta', ({ claims }) => delete claims.dcql_query.credentials[0].meta],
  ['R31', 'an id with a dot', ({ claims }) => (claims.dcql_query.credentials[0].id = 'a.b')],
  [
    'R31',
    'a path twice',
    ({ claims }) => claims.dcql_query.credentials[0].claims.push({ path: ['age_over_18'] }),
  ],
  [
    'R31',
    'a set that names no query',
    ({ claims }) => (claims.dcql_query.credential_sets = [{ options: [['x']] }]),
  ],
  [
    'R32',
    'a query for iss in an SD-JWT VC',
    ({ claims }) => claims.dcql_query.credentials[0].claims.push({ path: ['iss'] }),
  ],
]

type DidError = readonly [rule: string, name: string, plant: (header: Loose, document: Loose) => unknown]

const DID_FAULTS: readonly DidError[] = [
  ['R9 R20 R29', 'a kid that its document does not name', (header) => (header.kid += 'x')],
  ['R9 R17 R20 R29', 'no kid', (header) => delete header.kid],
  ['R17', 'x5c beside kid', (header) => (header.x5c = [verifier.leaf])],
  ['R20', 'a document of another DID', (_, document) => (document.id += '.other')],
  ['R20', 'a key that is not for authentication', (_, document) => (document.authentication = [])],
  [
    'R20',
    'a private key in its document',
    (_, document) => (document.verificationMethod[0].publicKeyJwk.d = 'AA'),
  ],
]

type AttestationError = readonly [name: string, claims: object, header: object]

const ATTESTATION_ERRORS: readonly AttestationError[] = [
  ['another typ', {}, { typ: 'JWT' }],
  ['another client', { sub: 'other.example' }, {}],
  ['no issuer', { iss: undefined }, {}],
  ['an exp that has passed', { exp: NOW }, {}],
  ['an nbf in the future', { nbf: NOW + 1 }, {}],
  ['other addresses', { redirect_uris: [`${RESPONSE_URI}x`] }, {}],
]

describe('the request linter', () => {
  it('finds nothing in a good request', async () => {
    expect(await rulesBroken(() => undefined)).toBe('')
  })

  it.each(FAULTS)('reports the rule %s for %s', async (rule, _name, plant) => {
    expect(await rulesBroken(plant)).toBe(rule)
  })

  it.each(DID_FAULTS)('reports the rules %s for a DID with %s', async (rule, _name, plant) => {
    expect(await didRulesBroken(() => undefined)).toBe('')
    expect(await didRulesBroken(plant)).toBe(rule)
  })

  it.each(ATTESTATION_ERRORS)(
    'reports the rule R21 for an attestation with %s',
    async (_, claims, header) => {
      expect(await attestedRulesBroken({ redirect_uris: [RESPONSE_URI] })).toBe('')
      expect(await attestedRulesBroken(claims, header)).toBe('R21')
    },
  )

  it('reports the rule R9 if the cnf of the attestation has another key', async () => {
    const { privateJwk: jwk } = await createGeneration()
    expect(await attestedRulesBroken({ cnf: { jwk: { ...jwk, d: undefined } } })).toBe('R9')
  })

  it('reports the rule R9 for a signature by another key', async () => {
    const other = await createVerifier()
    expect(await rulesBroken(() => undefined, other.identities.x509_hash.signingJwk)).toBe('R9')
  })

  it('reports the rule R30 if two requests have the same key, and R1 if two requests have the same nonce', async () => {
    const lint = createRequestLinter()
    const generation = await createGeneration()
    const again = await createGeneration()
    expect(await lint(await observe(await draft(generation)))).toEqual([])
    expect(await lint(await observe(await draft(generation)))).toEqual([])
    const sameKey = await lint(await observe(await draft({ ...generation, nonce: again.nonce })))
    const sameNonce = await lint(await observe(await draft({ ...again, nonce: generation.nonce })))
    expect(sameKey.map(({ rule }) => rule)).toEqual(['R30'])
    expect(sameNonce.map(({ rule }) => rule)).toEqual(['R1'])
  })
})

async function rulesBroken(plant: (draft: Draft) => unknown, signingJwk?: object): Promise<string> {
  const request = await draft(await createGeneration())
  plant(request)
  const violations = await createRequestLinter()(await observe(request, signingJwk))
  return rulesOf(violations)
}

function rulesOf(violations: readonly Violation[]): string {
  const number = (rule: string) => Number(rule.slice(1))
  return [...new Set(violations.map(({ rule }) => rule))].sort((a, b) => number(a) - number(b)).join(' ')
}

/** The same of a request by DID. */
async function didRulesBroken(plant: DidError[2]): Promise<string> {
  const { clientId, proof } = verifier.identities.decentralized_identifier
  const { claims, ...good } = await draft(await createGeneration())
  const header: Loose = { alg: 'ES256', typ: 'oauth-authz-req+jwt', ...proof }
  const didDocument: Loose = structuredClone(verifier.didDocument)
  plant(header, didDocument)
  const uri = buildAuthorizationRequestUri({ clientId, requestUri: REQUEST_URI, requestUriMethod: 'post' })
  const request = await observe({ ...good, claims: { ...claims, client_id: clientId }, header, uri })
  const violations = await createRequestLinter()({ ...request, didDocument })
  return rulesOf(violations)
}

/** A request with an attestation that has these contents. */
async function attestedRulesBroken(changes: object, jose: object = {}): Promise<string> {
  const { clientId, signingJwk } = verifier.identities.verifier_attestation
  const { claims, ...good } = await draft(await createGeneration())
  const jwt = await verifier.attester.attest(signingJwk, { exp: NOW + 600, ...changes }, jose)
  const header: Loose = { alg: 'ES256', typ: 'oauth-authz-req+jwt', jwt }
  const uri = buildAuthorizationRequestUri({ clientId, requestUri: REQUEST_URI, requestUriMethod: 'post' })
  const request = await observe({ ...good, claims: { ...claims, client_id: clientId }, header, uri })
  return rulesOf(await createRequestLinter()(request))
}

async function draft(generation: Awaited<ReturnType<typeof createGeneration>>): Promise<Draft> {
  const { clientId } = verifier.identities.x509_hash
  const claims = PROTOCOLS['openid4vp-1.0'].buildRequestObject({
    clientId,
    responseUri: RESPONSE_URI,
    responseMode: 'direct_post.jwt',
    query: QUERY,
    language: 'dcql',
    formats: { 'dc+sd-jwt': plainFormat() },
    generation,
    walletNonce: undefined,
    now: NOW,
    expiresAt: NOW + 600,
  })
  const media = { 'content-type': 'application/oauth-authz-req+jwt', 'cache-control': 'no-store' }
  return {
    claims: structuredClone(claims),
    header: { alg: 'ES256', typ: 'oauth-authz-req+jwt', x5c: [verifier.leaf] },
    uri: buildAuthorizationRequestUri({ clientId, requestUri: REQUEST_URI, requestUriMethod: 'post' }),
    http: { status: 200, headers: new Headers(media) },
    walletNonce: undefined,
  }
}

async function observe(
  { claims, header, uri, http, walletNonce }: Draft,
  signingJwk: object = verifier.identities.x509_hash.signingJwk,
): Promise<ObservedRequest> {
  const signer = new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader(header)
  return { uri, requestObject: await signer.sign(signingJwk as Loose), http, walletNonce, now: NOW }
}

function keyOf(claims: Loose): Loose {
  return claims.client_metadata.jwks.keys[0]
}

function formatOf(claims: Loose): Loose {
  return claims.client_metadata.vp_formats_supported['dc+sd-jwt']
}

function signingPublicKey(): object {
  const { x, y } = verifier.identities.x509_hash.signingJwk
  return { x, y }
}

function toBase64url(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_')
}
