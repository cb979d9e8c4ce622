// Inputs of the caller: each wrong member throws an `InputError` with its pointer.

import { describe, expect, it } from 'vitest'
import {
  createRequest,
  InputError,
  openid4vp,
  readTrustList,
  sdJwtVc,
  signRequest,
  verifierOf,
  verifyResponse,
} from '../../packages/verify/src/index.ts'
import { mintKeys } from '../support/certificates/certificates.ts'
import { receiveAnnexC } from '../support/people/annex-c-wallet.ts'
import { AGE_POLICY, ORIGIN, REQUEST_URI, RESPONSE_URI, signingJwk, VERIFIER } from './stage.ts'

/** Returns the pointers and codes of the faults; fails if nothing is thrown. */
async function faultsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    for (const { message } of error.faults) expect(message).toMatch(/\w/)
    return error.faults.map(({ pointer, code }) => `${pointer} ${code}`)
  }
  throw new Error('nothing was thrown')
}

const GOOD = { policy: AGE_POLICY, verifier: VERIFIER, responseUri: RESPONSE_URI, requestUri: REQUEST_URI }
const DIGITAL = { policy: AGE_POLICY, origin: ORIGIN }
const stranger = signingJwk(await crypto.subtle.exportKey('jwk', (await mintKeys('P-256')).privateKey))
const DCQL = {
  credentials: [
    {
      id: 'a',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['given_name'] }],
    },
  ],
}

describe('createRequest', () => {
  it.each<[string, unknown]>([
    [' invalid_input', undefined],
    [' invalid_input', []],
    ['/polcy invalid_input', { ...GOOD, polcy: 1 }],
    ['/policy invalid_input', { ...GOOD, policy: undefined }],
    ['/policy/scopes invalid_input', { ...GOOD, policy: { ...AGE_POLICY, scopes: [] } }],
    ['/policy/scope invalid_input', { ...GOOD, policy: { ...AGE_POLICY, scope: [] } }],
    ['/policy/scope invalid_input', { ...GOOD, policy: { credential_types: ['pid'] } }],
    ['/policy/scope/0 unsupported_scope', { ...GOOD, policy: { ...AGE_POLICY, scope: ['shoe_size'] } }],
    [
      '/policy/credential_types/0 unsupported_credential_type',
      { ...GOOD, policy: { ...AGE_POLICY, credential_types: ['x'] } },
    ],
    ['/policy/scope/0 scope_not_carried', { ...GOOD, policy: { ...AGE_POLICY, scope: ['family_name'] } }],
    ['/policy/formats/0 invalid_request', { ...GOOD, policy: { ...AGE_POLICY, formats: ['ldp_vc'] } }],
    ['/policy/credential_types invalid_input', { ...GOOD, policy: { ...AGE_POLICY, preset: 'age_over_18' } }],
    [
      '/policy/dcql_query/credentials invalid_input',
      { ...GOOD, policy: { dcql_query: { credentials: [] } } },
    ],
    [
      '/policy/required_assurance_level invalid_input',
      { ...GOOD, policy: { ...AGE_POLICY, required_assurance_level: 'top' } },
    ],
    ['/protocol invalid_input', { ...GOOD, protocol: 'openid4vp-draft18' }],
    ['/protocol not_in_protocol', { ...GOOD, protocol: 'iso-18013-7-c' }],
    ['/responseMode invalid_input', { ...GOOD, responseMode: 'fragment' }],
    ['/responseMode not_in_protocol', { ...GOOD, protocol: 'haip-1.0', responseMode: 'direct_post' }],
    ['/expiresIn invalid_input', { ...GOOD, expiresIn: 59 }],
    ['/expiresIn invalid_input', { ...GOOD, expiresIn: 86_401 }],
    ['/now invalid_input', { ...GOOD, now: new Date('x') }],
    ['/now invalid_input', { ...GOOD, now: 1 }],
    ['/responseUri invalid_input', { ...GOOD, responseUri: 'verifier.example' }],
    ['/responseUri invalid_input', { ...GOOD, responseUri: 'http://verifier.example/r' }],
    ['/responseUri invalid_input', { ...GOOD, responseUri: undefined }],
    ['/responseUri invalid_input', { ...GOOD, origin: ORIGIN }],
    ['/requestUri invalid_input', { ...GOOD, requestUri: undefined }],
    ['/requestUri invalid_input', { ...GOOD, verifier: undefined }],
    ['/requestUri invalid_input', { ...DIGITAL, requestUri: REQUEST_URI }],
    ['/requestUriMethod invalid_input', { ...GOOD, requestUriMethod: 'put' }],
    ['/link invalid_input', { ...GOOD, link: 'no scheme' }],
    ['/link invalid_input', { ...DIGITAL, link: 'mdoc-openid4vp' }],
    ['/origin invalid_input', { ...DIGITAL, origin: `${ORIGIN}/path` }],
    ['/readers invalid_input', { ...DIGITAL, readers: [] }],
    ['/readers invalid_input', { ...GOOD, readers: [VERIFIER] }],
    [
      '/readers/0/client_id_prefix invalid_input',
      { ...DIGITAL, readers: [{ ...VERIFIER, client_id_prefix: 'x509_hash' }] },
    ],
    [
      '/verifier/signing_jwk invalid_input',
      { ...GOOD, verifier: { ...VERIFIER, signing_jwk: { ...VERIFIER.signing_jwk, d: stranger.d } } },
    ],
    [
      '/verifier/certificate_chain_pem invalid_input',
      { ...GOOD, verifier: { ...VERIFIER, signing_jwk: stranger } },
    ],
    [
      '/verifier/certificate_chain_pem invalid_input',
      { ...GOOD, verifier: { ...VERIFIER, certificate_chain_pem: 'x' } },
    ],
    [
      '/verifier/client_id_prefix not_in_protocol',
      { ...GOOD, protocol: 'haip-1.0', verifier: { ...VERIFIER, client_id_prefix: 'x509_san_dns' } },
    ],
    [
      '/verifier/certificate_chain_pem invalid_input',
      {
        ...GOOD,
        responseUri: 'https://other.example/r',
        verifier: { ...VERIFIER, client_id_prefix: 'x509_san_dns' },
      },
    ],
    ['/verifier not_in_protocol', { policy: AGE_POLICY, responseUri: RESPONSE_URI, protocol: 'haip-1.0' }],
    ['/verifier not_in_protocol', { ...DIGITAL, protocol: 'iso-18013-7-c', verifier: VERIFIER }],
    [
      '/policy/required_assurance_level low_level_only',
      { policy: { ...AGE_POLICY, required_assurance_level: 'high' }, responseUri: RESPONSE_URI },
    ],
    ['/credentialTypes/0 invalid_input', { ...GOOD, credentialTypes: [{ name: 'membership' }] }],
    ['/credentialTypes invalid_input', { ...GOOD, credentialTypes: {} }],
  ])('throws %s for a wrong member (%#)', async (fault, input) => {
    const [first] = await faultsOf(() => createRequest(input as never))
    expect(first).toBe(fault)
  })

  it('accepts a type that is not built in, a DCQL query and a preset', async () => {
    const formats = { 'dc+sd-jwt': { identifiers: ['urn:club:1'], scopes: { member: { path: ['member'] } } } }
    const own = { credential_types: ['membership'], scope: ['member'] }
    const inputs = [
      { ...GOOD, credentialTypes: [{ name: 'membership', formats }], policy: own },
      { ...GOOD, policy: { dcql_query: DCQL } },
      { ...GOOD, policy: { preset: 'age_over_18' as const } },
    ]
    for (const input of inputs) expect((await createRequest(input)).uri).toMatch(/^openid4vp:\/\/\?/)
  })

  it('offers org-iso-mdoc only if mdocs alone can satisfy the policy', async () => {
    const protocols = async (formats: readonly ('dc+sd-jwt' | 'mso_mdoc')[]) => {
      const { digital } = await createRequest({ ...DIGITAL, policy: { ...AGE_POLICY, formats } })
      return digital.requests.map(({ protocol }) => protocol)
    }
    expect(await protocols(['dc+sd-jwt'])).toEqual(['openid4vp-v1-unsigned'])
    expect(await protocols(['mso_mdoc'])).toEqual(['openid4vp-v1-unsigned', 'org-iso-mdoc'])
  })

  it('makes a new nonce, state and key for each request', async () => {
    const stored = await Promise.all([createRequest(GOOD), createRequest(GOOD)])
    const [a, b] = stored.map(({ request }) => JSON.parse(request).openid4vp)
    for (const member of ['nonce', 'state', 'kid']) expect(a[member]).not.toBe(b[member])
    expect(a.key.d).not.toBe(b.key.d)
  })
})

describe('signRequest', () => {
  it('adds wallet_nonce to the request, and changes no other parameter except iat and exp', async () => {
    const { request, uri, requestObject } = await createRequest({ ...GOOD, requestUriMethod: 'post' })
    expect(uri).toContain('request_uri_method=post')
    const claimsOf = (jws: string) => JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString())
    const again = claimsOf(await signRequest({ request, verifier: VERIFIER, walletNonce: 'abc/+=' }))
    const { iat: _, exp: __, wallet_nonce, ...others } = again
    const { iat: ___, exp: ____, ...first } = claimsOf(requestObject ?? '')
    expect([wallet_nonce, others]).toEqual(['abc/+=', first])
  })

  it.each<[string, object]>([
    ['/wallet_nonce invalid_input', { wallet_nonce: 'a' }],
    ['/walletNonce invalid_input', { walletNonce: 'ä' }],
    ['/walletNonce invalid_input', { walletNonce: 'a'.repeat(513) }],
    ['/verifier invalid_input', { verifier: { ...VERIFIER, client_id_prefix: 'x509_san_dns' } }],
    ['/request invalid_input', { request: '{}' }],
  ])('throws %s (%#)', async (fault, changes) => {
    const { request } = await createRequest(GOOD)
    expect(await faultsOf(() => signRequest({ request, verifier: VERIFIER, ...changes }))).toEqual([fault])
  })

  it('throws for a request that is not signed', async () => {
    for (const input of [DIGITAL, { policy: AGE_POLICY, responseUri: RESPONSE_URI }]) {
      const { request } = await createRequest(input as typeof DIGITAL)
      expect(await faultsOf(() => signRequest({ request, verifier: VERIFIER }))).toEqual([
        '/request invalid_input',
      ])
    }
  })
})

describe('verifyResponse', () => {
  const anchor = {
    name: 'A',
    credential_types: ['pid'],
    assurance_level: 'low',
    did: 'did:web:issuer.example',
  }

  it.each<[string, object]>([
    ['/certificateRevokation invalid_input', { certificateRevokation: 'require' }],
    ['/request invalid_input', { request: undefined }],
    ['/request invalid_input', { request: 'x' }],
    ['/request invalid_input', { request: '{"version":2}' }],
    ['/request invalid_input', { request: `${' '.repeat(256 * 1024)}{"version":1}` }],
    ['/anchors invalid_input', { anchors: undefined }],
    ['/anchors invalid_input', { anchors: Array.from({ length: 1001 }, () => anchor) }],
    ['/anchors/0/nme invalid_input', { anchors: [{ ...anchor, nme: 1 }] }],
    ['/anchors/0 invalid_input', { anchors: [{ ...anchor, did: undefined }] }],
    [
      '/anchors/0/credential_types invalid_input',
      { anchors: [{ name: 'x', usableUntil: null, anchors: [anchor] }] },
    ],
    ['/now invalid_input', { now: 'today' }],
    ['/timeout invalid_input', { timeout: 0 }],
    ['/statusUnavailable invalid_input', { statusUnavailable: 'ignore' }],
    ['/certificateRevocation invalid_input', { certificateRevocation: 'on' }],
    ['/fetch invalid_input', { fetch: 1 }],
  ])('throws %s for a wrong member (%#)', async (fault, changes) => {
    const { request } = await createRequest(GOOD)
    const input = { request, response: 'state=1', anchors: [anchor], ...changes }
    const [first] = await faultsOf(() => verifyResponse(input as never))
    expect(first).toBe(fault)
  })
})

describe('verifierOf', () => {
  const { createRequest: create, verifyResponse: check } = verifierOf({
    formats: [sdJwtVc],
    protocols: [openid4vp],
  })

  it.each<[string, object]>([
    ['/protocol invalid_input', { protocol: 'haip-1.0' }],
    ['/policy/formats/0 invalid_request', { policy: { ...AGE_POLICY, formats: ['mso_mdoc'] } }],
    ['/policy/dcql_query invalid_input', { policy: { dcql_query: DCQL } }],
  ])(
    'makes a verifier that throws %s for a format or protocol that was not passed to verifierOf',
    async (fault, changes) => {
      expect(await faultsOf(() => create({ ...GOOD, ...changes }))).toEqual([fault])
    },
  )

  it('makes a verifier that throws for certificateRevocation require, and for a stored request with another protocol', async () => {
    const anchors: readonly never[] = []
    const { request } = await create(GOOD)
    expect(
      await faultsOf(() => check({ request, response: '', anchors, certificateRevocation: 'require' })),
    ).toEqual(['/certificateRevocation invalid_input'])
    const other = await createRequest({ ...GOOD, protocol: 'haip-1.0' })
    expect(await faultsOf(() => check({ request: other.request, response: '', anchors }))).toEqual([
      '/protocol invalid_input',
    ])
  })

  it('makes a verifier that requests only the formats that were passed to verifierOf', async () => {
    const { request } = await create(GOOD)
    const { policy } = JSON.parse(request) as { policy: { query: { credentials: { format: string }[] } } }
    expect(policy.query.credentials.map(({ format }) => format)).toEqual(['dc+sd-jwt'])
  })
})

describe('readTrustList', () => {
  const service = { type: 'x', credential_types: ['pid'], assurance_level: 'low' as const }
  const good = { name: 'eu', kind: 'vical' as const, body: new Uint8Array(), services: [service] }
  const signers = [
    {
      x509_certificate_pem: VERIFIER.certificate_chain_pem.slice(
        0,
        VERIFIER.certificate_chain_pem.indexOf('-----END') + 26,
      ),
    },
  ]

  it.each<[string, object]>([
    ['/listtype invalid_input', { listtype: 'x' }],
    ['/name invalid_input', { name: 'A b' }],
    ['/kind invalid_input', { kind: 'xml' }],
    ['/body invalid_input', { body: 'x' }],
    ['/services invalid_input', { services: [] }],
    ['/services/0/typ invalid_input', { services: [{ ...service, typ: 1 }] }],
    ['/signers invalid_input', { signers: [] }],
    ['/signers/0 invalid_input', { signers: [{}] }],
    ['/signers/0 invalid_input', { signers: [{ did: 'did:web:a.example' }] }],
    ['/now invalid_input', { now: new Date('x') }],
  ])('throws %s for a wrong member (%#)', async (fault, changes) => {
    expect((await faultsOf(() => readTrustList({ ...good, signers, ...changes } as never)))[0]).toBe(fault)
  })

  it('returns the reason malformed for a list that cannot be read', async () => {
    expect(await readTrustList({ ...good, signers })).toEqual({ ok: false, reason: 'malformed' })
    expect(await readTrustList({ ...good, kind: 'etsi_tl', signers })).toEqual({
      ok: false,
      reason: 'malformed',
    })
  })

  const schemes = { services: undefined, schemes: 'eu_age_verification', assuranceLevel: 'low' }

  it.each<[string, object]>([
    ['/territories invalid_input', { territories: ['SE'] }],
    ['/name invalid_input', { name: 'A b' }],
    ['/body invalid_input', { body: 'x' }],
    ['/now invalid_input', { now: 1 }],
    ['/signers invalid_input', { signers: Array.from({ length: 9 }, () => signers[0]) }],
    ['/signers/0/x509_certificate_pem invalid_input', { signers: [{ x509_ca_pem: 'x' }] }],
    ['/signers/1/x509_certificate_pem invalid_input', { signers: [signers[0], null] }],
    [
      '/signers/0/x509_certificate_pem invalid_input',
      { signers: [{ x509_certificate_pem: VERIFIER.certificate_chain_pem }] },
    ],
    ['/services invalid_input', { services: undefined }],
    ['/services/0/statuses invalid_input', { services: [{ ...service, statuses: [] }] }],
    [
      '/services/0/type invalid_input',
      { services: [{ ...service, type: 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC' }] },
    ],
    ['/assuranceLevel invalid_input', { assuranceLevel: 'low' }],
    ['/assuranceLevel invalid_input', { ...schemes, assuranceLevel: undefined }],
    ['/assuranceLevel invalid_input', { ...schemes, assuranceLevel: 'top' }],
    ['/schemes invalid_input', { ...schemes, schemes: 'moon' }],
    ['/services invalid_input', { ...schemes, services: [service] }],
    ['/listType invalid_input', { ...schemes, listType: 'x' }],
  ])('throws %s for a wrong member of a list in XML (%#)', async (fault, changes) => {
    const input = { ...good, kind: 'etsi_tl', signers, ...changes }
    expect((await faultsOf(() => readTrustList(input as never)))[0]).toBe(fault)
  })
})

it('a request of org-iso-mdoc without readers is unsigned', async () => {
  const policy = { ...AGE_POLICY, formats: ['mso_mdoc' as const] }
  const { digital } = await createRequest({ policy, protocol: 'iso-18013-7-c', origin: ORIGIN })
  expect(receiveAnnexC(digital.requests[0] as never, ORIGIN)).toMatchObject({ readers: [], allReaders: [] })
})

it.each([undefined, null, 'x', []])(
  'every function throws an InputError if its input is %j',
  async (input) => {
    for (const call of [createRequest, verifyResponse, signRequest, readTrustList])
      expect(await faultsOf(async () => call(input as never))).toEqual([' invalid_input'])
  },
)
