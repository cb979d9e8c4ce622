// The linter checks every request of the drafts in any test. These tests check the linter: it accepts good
// input, and names the rule of each planted fault.

import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import type { DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import { PROTOCOLS } from '../../../src/openid4vp/protocols/index.ts'
import { buildAuthorizationRequestUri } from '../../../src/openid4vp/request/authorization-request.ts'
import type { ProtocolId } from '../../../src/openid4vp/request/generation.ts'
import { signRequestObject } from '../../../src/openid4vp/request/request-object.ts'
import { createRequestLinter } from '../../support/linters/request-linter.ts'
import type { Loose } from '../../support/linters/request-rules.ts'
import { createGeneration, createVerifier, NOW, QUERY, REQUEST_URI, RESPONSE_URI } from '../fixtures.ts'

const verifier = await createVerifier()
const BOTH_FORMATS: DcqlQuery = {
  credentials: [
    ...QUERY.credentials,
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
      claims: [{ path: ['org.iso.18013.5.1', 'age_over_18'] }],
    },
  ],
  credential_sets: [{ options: [['age'], ['mdl']] }],
}

type Made = { claims: Loose; uri: string }
type Fault = readonly [rule: string, name: string, plant: (made: Made) => unknown]

const D18: readonly Fault[] = [
  ['D18', 'a DCQL query', ({ claims }) => (claims.dcql_query = QUERY)],
  ['D18', 'no client_id_scheme', ({ claims }) => delete claims.client_id_scheme],
  ['D18', 'another client_id_scheme', ({ claims }) => (claims.client_id_scheme = 'redirect_uri')],
  ['D18', 'a prefix', ({ claims }) => (claims.client_id = `x509_san_dns:${claims.client_id}`)],
  ['D18', 'a wallet_nonce', ({ claims }) => (claims.wallet_nonce = 'n')],
  ['D18', 'a method in the URI', (made) => (made.uri += '&request_uri_method=post')],
  ['D18', 'a format of a later draft', ({ claims }) => (claims.client_metadata.vp_formats['dc+sd-jwt'] = {})],
]

const D24: readonly Fault[] = [
  ['D24', 'both queries', ({ claims }) => (claims.dcql_query = QUERY)],
  ['D24', 'a client_id_scheme', ({ claims }) => (claims.client_id_scheme = 'x509_san_dns')],
  ['D24', 'a client_id without a prefix', ({ claims }) => (claims.client_id = 'verifier.example')],
  ['D24', 'a wallet_nonce that no wallet sent', ({ claims }) => (claims.wallet_nonce = 'n')],
  [
    'D24',
    'a format of an earlier draft',
    ({ claims }) => (claims.client_metadata.vp_formats['vc+sd-jwt'] = {}),
  ],
]

const COMMON: readonly Fault[] = [
  ['R4', 'a redirect_uri', ({ claims }) => (claims.redirect_uri = RESPONSE_URI)],
  ['R8', 'no aud', ({ claims }) => delete claims.aud],
  ['DJ', 'vp_formats_supported', ({ claims }) => (claims.client_metadata.vp_formats_supported = {})],
  ['DJ', 'no algorithm', ({ claims }) => delete claims.client_metadata.authorization_encrypted_response_alg],
  [
    'DJ',
    'another encryption',
    ({ claims }) => (claims.client_metadata.authorization_encrypted_response_enc = 'A128GCM'),
  ],
  ['DJ', 'an mdoc in the clear', ({ claims }) => (claims.response_mode = 'direct_post')],
  ['PE', 'no descriptors', ({ claims }) => (claims.presentation_definition.input_descriptors = [])],
  ['PE', 'a descriptor twice', (made) => repeat(made)],
  ['PE', 'a group that no requirement uses', (made) => (descriptorOf(made).group = ['other'])],
  ['PE', 'a format that is not in vp_formats', (made) => (descriptorOf(made).format = { ldp_vc: {} })],
  ['PE', 'a path that is no JSONPath', (made) => (descriptorOf(made).constraints.fields[0].path = ['vct'])],
  ['PE', 'no limit_disclosure', (made) => delete descriptorOf(made).constraints.limit_disclosure],
]

describe.each([
  ['openid4vp-draft18', [...D18, ...COMMON]],
  ['openid4vp-draft24', [...D24, ...COMMON]],
] as const)('a request of %s', (protocol, faults) => {
  it('breaks no rule of the linter if it is unchanged', async () => {
    expect(await check(protocol, () => undefined)).toEqual([])
  })

  it.each(faults)('breaks the rule %s if it has %s', async (rule, _, plant) => {
    expect(await check(protocol, plant)).toContain(rule)
  })
})

async function check(id: ProtocolId, plant: Fault[2]): Promise<readonly string[]> {
  const protocol = PROTOCOLS[id]
  const identity = verifier.identities.x509_san_dns
  const clientId = protocol.writeClientId(identity.clientId)
  const claims = protocol.buildRequestObject({
    clientId,
    responseUri: RESPONSE_URI,
    responseMode: 'direct_post.jwt',
    query: BOTH_FORMATS,
    language: 'presentation_exchange',
    formats: {},
    generation: await createGeneration(),
    walletNonce: undefined,
    now: NOW,
    expiresAt: NOW + 600,
  })
  const requestUriMethod = protocol.requestUriMethods.includes('post') ? 'post' : undefined
  const uri = buildAuthorizationRequestUri({ clientId, requestUri: REQUEST_URI, requestUriMethod })
  const made: Made = { claims: structuredClone(claims), uri }
  plant(made)
  const requestObject = await signRequestObject(made.claims, identity)
  expect(decodeProtectedHeader(requestObject).typ).toBe('oauth-authz-req+jwt')
  const found = await createRequestLinter()({ uri: made.uri, requestObject, now: NOW, protocol: id })
  return [...new Set(found.map(({ rule }) => rule))]
}

function descriptorOf({ claims }: Made): Loose {
  return claims.presentation_definition.input_descriptors[0]
}

function repeat(made: Made): void {
  made.claims.presentation_definition.input_descriptors.push(descriptorOf(made))
}
