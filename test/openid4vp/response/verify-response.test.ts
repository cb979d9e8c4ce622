import { describe, expect, it } from 'vitest'
import type { Context, RequestBinding } from '../../../src/formats/verification/format.ts'
import type { CredentialQuery, DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import { type TracedCheck, verifyPresentations } from '../../../src/openid4vp/response/verify-response.ts'
import { parseVpToken } from '../../../src/openid4vp/response/vp-token.ts'
import { err } from '../../../src/result.ts'
import { CREDENTIAL, NOW, plain, plainFormat, QUERY, RESPONSE_URI } from '../fixtures.ts'

const EXPECTED = {
  nonce: 'n',
  audience: 'x509_san_dns:verifier.example',
  requestedAt: NOW,
  handover: { kind: 'redirect', responseUri: RESPONSE_URI, encryptionKey: null },
} as const
const CONTEXT: Omit<Context, 'trace'> = {
  now: NOW,
  anchors: [],
  typeOf: () => undefined,
  fetchResource: async () => err('forbidden'),
}
const AGE = QUERY.credentials[0]!
const FORGED = plain({ rejection: { reason: 'invalid_issuer_signature' } })
const REPLAYED = plain({ rejection: { reason: 'nonce_mismatch' } })

describe('the response to a query for one credential', () => {
  it('is verified if its presentation is verified', async () => {
    expect(await verify({ age: [plain({})] })).toEqual({
      ok: true,
      value: [{ queryId: 'age', credential: CREDENTIAL, valueMismatches: [] }],
    })
  })

  it('is refused with the reason for which its presentation is invalid', async () => {
    expect(await verify({ age: [REPLAYED] })).toEqual({
      ok: false,
      error: { reason: 'nonce_mismatch', queryId: 'age' },
    })
  })

  it('is refused for a credential of a type that was not requested', async () => {
    const presentation = plain({ typeIdentifier: 'urn:eudi:pid:1' })
    expect(await verify({ age: [presentation] })).toEqual({
      ok: false,
      error: { reason: 'query_not_satisfied', queryId: 'age' },
    })
  })

  it('is refused if a claim is missing', async () => {
    expect(await verify({ age: [plain({ claims: {} })] })).toEqual({
      ok: false,
      error: { reason: 'query_not_satisfied', queryId: 'age' },
    })
  })

  it('is refused if it has no presentation', async () => {
    expect(await verify({})).toEqual({ ok: false, error: { reason: 'query_not_satisfied' } })
  })

  it('is refused for an unknown query in the VP Token before any presentation is verified', async () => {
    const asked: RequestBinding[] = []
    const result = await verify({ age: [plain({})], other: [plain({})] }, QUERY, asked)
    expect(result).toEqual({ ok: false, error: { reason: 'unknown_credential_query' } })
    expect(asked).toEqual([])
  })

  it('is verified even if its credential is expired and a value is not in `values`, because the policy decides on both', async () => {
    const query = { credentials: [{ ...AGE, claims: [{ path: ['age_over_18'], values: [true] }] }] }
    const expired = plain({ claims: { age_over_18: false }, reasons: ['credential_expired'] })
    expect(await verify({ age: [expired] }, query)).toMatchObject({
      ok: true,
      value: [{ valueMismatches: [['age_over_18']], credential: { reasons: ['credential_expired'] } }],
    })
  })

  it('is refused for its invalid signature, even if a value is also not in `values`', async () => {
    const query = { credentials: [{ ...AGE, claims: [{ path: ['age_over_18'], values: [true] }] }] }
    const forged = plain({
      claims: { age_over_18: false },
      rejection: { reason: 'invalid_issuer_signature' },
    })
    expect(await verify({ age: [forged] }, query)).toMatchObject({
      ok: false,
      error: { reason: 'invalid_issuer_signature' },
    })
  })

  it('is checked with the nonce of our request, and with the types and the holder binding that the query requires', async () => {
    const asked: RequestBinding[] = []
    await verify({ age: [plain({})] }, QUERY, asked)
    await verify(
      { age: [plain({})] },
      { credentials: [{ ...AGE, require_cryptographic_holder_binding: false }] },
      asked,
    )
    const types = ['urn:eu.europa.ec.av:1']
    expect(asked).toEqual([
      { ...EXPECTED, holderBinding: true, types },
      { ...EXPECTED, holderBinding: false, types },
    ])
  })

  it('is refused for a credential without holder binding if the query requires holder binding', async () => {
    expect(await verify({ age: [plain({ holderBound: false })] })).toMatchObject({
      error: { reason: 'query_not_satisfied' },
    })
  })
})

describe('the response to a query for several credentials', () => {
  const other: CredentialQuery = { ...AGE, id: 'other' }
  const all: DcqlQuery = { credentials: [AGE, other] }
  const either: DcqlQuery = { ...all, credential_sets: [{ options: [['age'], ['other']] }] }
  const optional: DcqlQuery = {
    ...all,
    credential_sets: [{ options: [['age']] }, { options: [['other']], required: false }],
  }

  it('gives its credentials in the order of the query', async () => {
    const result = await verify({ other: [plain({})], age: [plain({})] }, all)
    expect(result.ok && result.value.map(({ queryId }) => queryId)).toEqual(['age', 'other'])
  })

  it('needs every credential if the query has no credential sets', async () => {
    expect(await verify({ age: [plain({})] }, all)).toEqual({
      ok: false,
      error: { reason: 'query_not_satisfied' },
    })
    expect(await verify({ age: [plain({})], other: [FORGED] }, all)).toEqual({
      ok: false,
      error: { reason: 'invalid_issuer_signature', queryId: 'other' },
    })
  })

  it('is verified without its invalid presentation if the other presentations satisfy the credential sets', async () => {
    for (const query of [either, optional]) {
      const result = await verify({ age: [plain({})], other: [FORGED] }, query)
      expect(result.ok && result.value.map(({ queryId }) => queryId)).toEqual(['age'])
    }
  })

  it('is refused with the reason of its first invalid presentation if no option is satisfied', async () => {
    expect(await verify({ age: [REPLAYED], other: [FORGED] }, either)).toEqual({
      ok: false,
      error: { reason: 'nonce_mismatch', queryId: 'age' },
    })
  })

  it('is refused if it has optional credentials only', async () => {
    expect(await verify({ other: [plain({})] }, optional)).toEqual({
      ok: false,
      error: { reason: 'query_not_satisfied' },
    })
  })

  it('is refused if no presentation is valid, even if all credential sets are optional', async () => {
    const query = { ...all, credential_sets: [{ options: [['age']], required: false }] }
    expect(await verify({}, query)).toMatchObject({ error: { reason: 'query_not_satisfied' } })
    expect(await verify({ age: [FORGED] }, query)).toMatchObject({
      error: { reason: 'invalid_issuer_signature' },
    })
  })

  it('keeps only the valid presentations if one query has several presentations', async () => {
    const query = { credentials: [{ ...AGE, multiple: true }] }
    const result = await verify(
      { age: [FORGED, plain({ issuer: 'second' }), plain({ issuer: 'third' })] },
      query,
    )
    expect(result.ok && result.value.map(({ credential }) => credential.issuer)).toEqual(['second', 'third'])
  })

  it('may contain the same credential for two credential queries', async () => {
    expect(await verify({ age: [plain({})], other: [plain({})] }, all)).toMatchObject({ ok: true })
  })
})

it('the trace has each check with the clause of the presentation’s own format', async () => {
  const traced: TracedCheck[] = []
  await verifyPresentations({
    groups: [{ query: AGE, presentations: [plain({})] }],
    query: QUERY,
    formats: { 'dc+sd-jwt': plainFormat() },
    expected: EXPECTED,
    context: CONTEXT,
    trace: (check) => traced.push(check),
  })
  expect(traced).toEqual([{ id: 'structure', clause: 'a clause of this format', result: 'pass' }])
})

it('the verification throws for a query in an unregistered format, because no policy can contain such a query', async () => {
  const query = { credentials: [{ ...AGE, format: 'toString' }] }
  await expect(verify({ age: [plain({})] }, query)).rejects.toThrow('not registered')
})

async function verify(
  vpToken: Record<string, string[]>,
  query: DcqlQuery = QUERY,
  asked: RequestBinding[] = [],
) {
  const formats = { 'dc+sd-jwt': plainFormat(asked) }
  const trace = () => undefined
  const groups = parseVpToken({ vpToken, hasJsonValues: true }, query)
  if (!groups.ok) return groups
  const input = { groups: groups.value, query, formats, trace }
  return verifyPresentations({ ...input, expected: EXPECTED, context: CONTEXT })
}
