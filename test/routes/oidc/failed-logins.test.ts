// api/logins: presentations that are verified and cannot log anyone in. The client gets the reason.

import { beforeAll, describe, expect, it } from 'vitest'
import { poll, type Setting, setUp } from '../../session/driver.ts'
import { ADULT_POLICY, answer, begin, finish, newClient, type TestClient } from './login-world.ts'

let setting: Setting

beforeAll(async () => {
  setting = await setUp()
})

describe('a verified presentation', () => {
  const { name, request_options } = ADULT_POLICY
  const credential = {
    id: 'age_attestation',
    format: 'dc+sd-jwt',
    meta: { vct_values: ['urn:eu.europa.ec.av:1'] },
    claims: [
      { id: 'number', path: ['document_number'] },
      { id: 'large', path: ['portrait'] },
      { id: 'age', path: ['age_over_18'] },
    ],
    claim_sets: [['number', 'large'], ['number', 'age'], ['age']],
  }
  let client: TestClient
  let bound: TestClient

  const clientOf = (required_session_binding: string) =>
    newClient(setting, {
      policies: [
        { name, request_options, required_session_binding, dcql_query: { credentials: [credential] } },
      ],
      subject: { type: 'pairwise', claims: ['document_number'] },
    })

  beforeAll(async () => {
    client = await clientOf('page')
    bound = await clientOf('relying_party')
  })

  /** Logs a person in. Returns what the client gets, and the end of the verification. */
  async function endOf(claims: object, parameters: object = {}, at = client) {
    const browser = await answer(setting, await begin(at, parameters), { age_over_18: true, ...claims })
    const parsed = Object.fromEntries(await finish(at, browser))
    const { status, reason } = await poll(setting, browser.id)
    return { status, reason: reason?.code, parsed }
  }

  const NUMBER = { document_number: 'X1' }

  it('logs a person in if it has the claims from which the subject is made', async () => {
    const { status, parsed } = await endOf(NUMBER)
    expect([status, Object.keys(parsed)]).toEqual(['verified', ['code', 'state', 'iss']])
  })

  it.each<[string, object, object]>([
    ['subject_claim_missing', {}, {}],
    ['subject_claim_missing', { document_number: '' }, {}],
    ['subject_mismatch', NUMBER, { claims: JSON.stringify({ id_token: { sub: { value: 'another' } } }) }],
    ['claims_too_large', { ...NUMBER, portrait: 'x'.repeat(200_000) }, {}],
  ])(
    'does not log the person in if the claims do not fit: the client gets %s',
    async (error_description, claims, parameters) => {
      const parsed = { error: 'access_denied', error_description, state: 's', iss: client.issuer }
      expect(await endOf(claims, parameters)).toEqual({ status: 'verified', parsed })
    },
  )

  it.each<[string, string, object, object]>([
    ['subject_claim_missing', 'query_not_satisfied', {}, {}],
    ['subject_mismatch', 'value_mismatch', NUMBER, { claims: { id_token: { sub: { value: 'another' } } } }],
    ['claims_too_large', 'limit_exceeded', { ...NUMBER, portrait: 'x'.repeat(200_000) }, {}],
    [
      'assurance_level_too_low',
      'assurance_level_too_low',
      NUMBER,
      { claims: { id_token: { acr: { essential: true, value: 'urn:wallet-verifier:assurance:high' } } } },
    ],
  ])(
    'does not log the person in under a policy with the session binding `relying_party`: the client gets %s, and the session expires with the reason %s',
    async (failure, reason, claims, sent) => {
      const parameters = Object.entries(sent).map(([name, value]) => [name, JSON.stringify(value)])
      const { parsed, ...end } = await endOf(claims, Object.fromEntries(parameters), bound)
      expect(end).toEqual({ status: 'expired', reason })
      expect(parsed).toMatchObject({ error_description: failure, iss: bound.issuer })
    },
  )
})
