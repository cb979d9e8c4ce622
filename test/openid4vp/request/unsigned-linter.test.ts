// The linter checks every request by value in any test. These tests check the linter: it accepts good input,
// and names the rule of each planted fault.

import { describe, expect, it } from 'vitest'
import { PROTOCOLS } from '../../../src/openid4vp/protocols/index.ts'
import { buildAuthorizationRequestUri } from '../../../src/openid4vp/request/authorization-request.ts'
import { redirectUriClientId } from '../../../src/openid4vp/request/client-identifier.ts'
import { unsignedParameters } from '../../../src/openid4vp/request/request-object.ts'
import type { Loose } from '../../support/linters/request-rules.ts'
import { createByValueLinter } from '../../support/linters/unsigned-rules.ts'
import { createGeneration, NOW, plainFormat, QUERY, RESPONSE_URI } from '../fixtures.ts'

type Fault = readonly [rules: string, name: string, plant: (parameters: Loose) => unknown]

const FAULTS: readonly Fault[] = [
  ['R16', 'another client_id', (made) => (made.client_id = 'redirect_uri:https://verifier.example/other')],
  ['R16', 'a prefix of signed requests', (made) => (made.client_id = 'x509_san_dns:verifier.example')],
  ['R16', 'no prefix', (made) => (made.client_id = RESPONSE_URI)],
  ['R16', 'another response_uri', (made) => (made.response_uri += '/')],
  ['R16', 'a signed Request Object', (made) => (made.request = 'e30.e30.e30')],
  ['R16', 'a request_uri', (made) => (made.request_uri = 'https://verifier.example/r/1')],
  ['R16', 'a request_uri_method', (made) => (made.request_uri_method = 'get')],
  ['R16', 'a JWT claim', (made) => (made.aud = 'https://self-issued.me/v2')],
  ['R16 R26 R27', 'no client_metadata', (made) => delete made.client_metadata],
  ['R26', 'metadata without a format', (made) => (made.client_metadata.vp_formats_supported = {})],
  ['R27', 'no encryption key', (made) => delete made.client_metadata.jwks],
  ['R16 R4', 'no response_uri', (made) => delete made.response_uri],
  ['R16 R4', 'a redirect_uri', (made) => (made.redirect_uri = RESPONSE_URI)],
  ['R7', 'no state', (made) => delete made.state],
  ['R1', 'a short nonce', (made) => (made.nonce = 'short')],
  ['R26 R31 R32 R5', 'a query that is no JSON', (made) => (made.dcql_query = '{')],
  ['R16', 'more characters than a QR code can hold', (made) => (made.state = 's'.repeat(2953))],
]

describe('a request by value', () => {
  it('breaks no rule of the linter if it is unchanged', async () => {
    expect(await check(() => undefined)).toBe('')
  })

  it.each(FAULTS)('breaks the rule %s if it has %s', async (rules, _, plant) => {
    expect(await check(plant)).toBe(rules)
  })

  it('breaks the rule R16 if a parameter is repeated, and the rule R1 if its nonce is reused', async () => {
    const lint = createByValueLinter()
    const uri = await uriOf(() => undefined)
    expect(await rulesOf(lint({ uri: `${uri}&state=other`, now: NOW }))).toContain('R16')
    const { searchParams } = new URL(uri)
    const other = uri.replace(`state=${searchParams.get('state')}`, `state=${'s'.repeat(22)}`)
    expect(await rulesOf(lint({ uri: other, now: NOW }))).toBe('R1')
  })
})

async function check(plant: Fault[2]): Promise<string> {
  return rulesOf(createByValueLinter()({ uri: await uriOf(plant), now: NOW }))
}

async function rulesOf(violations: ReturnType<ReturnType<typeof createByValueLinter>>): Promise<string> {
  return [...new Set((await violations).map(({ rule }) => rule))].toSorted().join(' ')
}

async function uriOf(plant: Fault[2]): Promise<string> {
  const claims = PROTOCOLS['openid4vp-1.0'].buildRequestObject({
    clientId: redirectUriClientId(RESPONSE_URI),
    responseUri: RESPONSE_URI,
    responseMode: 'direct_post.jwt',
    query: QUERY,
    language: 'dcql',
    formats: { 'dc+sd-jwt': plainFormat() },
    generation: await createGeneration(),
    walletNonce: undefined,
    now: NOW,
    expiresAt: NOW + 600,
  })
  const parameters: Loose = structuredClone(unsignedParameters(claims))
  plant(parameters)
  return buildAuthorizationRequestUri({ parameters })
}
