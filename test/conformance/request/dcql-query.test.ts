// api/creation, api/outcome and api/protocols: a relying party's own dcql_query, from validation to outcome
// (OpenID4VP 1.0 §6, §7, §8.6).

import { compactDecrypt, decodeJwt, exportJWK, generateKeyPair } from 'jose'
import { expect, it } from 'vitest'
import { AGE, PID, presentationOf, type Telling } from '../../support/people/person.ts'
import { expectStatus, type RelyingParty } from '../../support/service/service.ts'
import { begin, eventOf, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()

const SD_JWT = 'dc+sd-jwt'
const ADULT = {
  id: 'adult',
  format: SD_JWT,
  meta: { vct_values: [AGE] },
  claims: [{ path: ['age_over_18'] }],
}
const NAME = {
  id: 'name',
  format: SD_JWT,
  meta: { vct_values: [PID] },
  claims: [{ path: ['given_name'] }, { path: ['sex'], values: [1, 2] }],
}
const MEMBERSHIP = 'https://club.example/card'

type DcqlQuery = { readonly credentials: readonly object[]; readonly credential_sets?: readonly object[] }
/** Presentations for each query, by vct. Several for one query are several presentations. */
type Answers = Readonly<Record<string, readonly (readonly [vct: string, telling?: Telling])[]>>

async function responseTo(
  dcql_query: DcqlQuery,
  presented: Answers,
  rest: object = {},
  rp: RelyingParty = stage.rp,
) {
  const { session, request } = await begin(stage, { dcql_query, ...rest }, { rp })
  const presentations: Record<string, string[]> = {}
  for (const [id, credentials] of Object.entries(presented)) {
    presentations[id] = []
    for (const [vct, telling] of credentials) {
      presentations[id].push(await presentationOf(stage.person, vct, request, telling))
    }
  }
  const answer = await stage.service.wallet.present(request, presentations)
  return { id: session.verification_id, answer, poll: await rp.poll(session.verification_id) }
}

const claims = (values: Record<string, unknown>): Telling => ({ claims: values })
const unbound = (telling: Telling = {}): Telling => ({
  ...telling,
  change: (parts) => {
    parts.kb = undefined
  },
})

it('api/creation: the service sends a dcql_query to the wallet unchanged, and shows it in the create response and the poll response', async () => {
  const dcql_query = { credentials: [ADULT, NAME] }
  const metadata = { order: '1' }
  const { session, request } = await begin(stage, { dcql_query, metadata, retry_of: 'v_before' })
  expect(request.payload.dcql_query).toEqual(dcql_query)
  expect(session.wallet_request.dcql_query).toEqual(dcql_query)
  expect(await stage.rp.poll(session.verification_id)).toMatchObject({
    dcql_query,
    credential_types: null,
    scope: null,
    credential_match: null,
    formats: null,
    allow_derived: false,
    required_assurance_level: 'low',
    metadata,
    retry_of: 'v_before',
  })
})

it('api/request: a session with a dcql_query has an empty presentation definition', async () => {
  const session = await stage.rp.create({ dcql_query: { credentials: [ADULT] } })
  const view = await stage.rp.call('GET', `/v1/verify/${session.verification_id}/openid4vp`)
  const { authorization_request } = (await expectStatus(view, 200)) as {
    authorization_request: { presentation_definition: object }
  }
  expect(authorization_request.presentation_definition).toEqual({
    id: `pd_${session.verification_id}`,
    input_descriptors: [],
  })
})

it('api/creation: the member dcql_query of the session is null if the create request has no dcql_query', async () => {
  const session = await stage.rp.create()
  expect((await stage.rp.poll(session.verification_id)).dcql_query).toBeNull()
})

it('api/creation: a repeated Idempotency-Key returns the first session for the same query, and 409 for a different query', async () => {
  const headers = { 'idempotency-key': 'dcql 1' }
  const body = { dcql_query: { credentials: [ADULT] } }
  const first = await stage.rp.create(body, headers)
  expect((await stage.rp.create(body, headers)).verification_id).toBe(first.verification_id)
  const other = { dcql_query: { credentials: [{ ...ADULT, id: 'other' }] } }
  expect((await stage.rp.call('POST', '/v1/verify', { body: other, headers })).status).toBe(409)
})

it('api/result: each check has the name <query id>.<path>, and the event and the poll response have the same outcome', async () => {
  const { id, poll } = await responseTo({ credentials: [ADULT, NAME] }, { adult: [[AGE]], name: [[PID]] })
  const outcome = {
    status: 'verified',
    checks: { 'adult.age_over_18': true, 'name.given_name': true, 'name.sex': true },
    assurance_level: 'substantial',
    credential_type: 'age_attestation',
    format: SD_JWT,
    reason: null,
    credentials: [
      { id: 'adult', credential_type: 'age_attestation', checks: { 'adult.age_over_18': true } },
      { id: 'name', credential_type: 'pid', checks: { 'name.given_name': true, 'name.sex': true } },
    ],
  }
  expect(poll).toMatchObject(outcome)
  expect((await eventOf(stage, id)).event).toMatchObject(outcome)
})

it.each<[why: string, asked: DcqlQuery, presented: Answers, reason: string, checks: Record<string, boolean>]>(
  [
    [
      'a value is outside values',
      { credentials: [NAME] },
      { name: [[PID, claims({ sex: 9 })]] },
      'value_mismatch',
      { 'name.given_name': true, 'name.sex': false },
    ],
    [
      'a value has another type',
      { credentials: [NAME] },
      { name: [[PID, claims({ sex: '2' })]] },
      'value_mismatch',
      { 'name.given_name': true, 'name.sex': false },
    ],
    [
      'a boolean claim of the type is not true',
      { credentials: [ADULT] },
      { adult: [[AGE, claims({ age_over_18: 'true' })]] },
      'predicate_false',
      { 'adult.age_over_18': false },
    ],
    [
      'one of two credentials does not satisfy its query',
      { credentials: [ADULT, NAME] },
      { adult: [[AGE, claims({ age_over_18: false })]], name: [[PID]] },
      'predicate_false',
      { 'adult.age_over_18': false, 'name.given_name': true, 'name.sex': true },
    ],
  ],
)(
  'api/result: a response ends the session as rejected if %s',
  async (_, asked, presented, reason, checks) => {
    const { answer, poll } = await responseTo(asked, presented)
    expect([answer.status, poll.status, poll.reason?.code, poll.checks]).toEqual([
      200,
      'rejected',
      reason,
      checks,
    ])
  },
)

it.each<[why: string, asked: DcqlQuery, presented: Answers, reason: string]>([
  [
    'a claim is missing',
    { credentials: [NAME] },
    { name: [[PID, claims({ sex: undefined })]] },
    'query_not_satisfied',
  ],
  ['a credential is missing', { credentials: [ADULT, NAME] }, { name: [[PID]] }, 'query_not_satisfied'],
  [
    'the credential is of another type',
    { credentials: [ADULT] },
    { adult: [[PID, claims({ age_over_18: true })]] },
    'query_not_satisfied',
  ],
  ['the query is unknown', { credentials: [ADULT] }, { other: [[AGE]] }, 'unknown_credential_query'],
  [
    'there are two credentials without multiple',
    { credentials: [ADULT] },
    { adult: [[AGE], [AGE]] },
    'wrong_presentation_count',
  ],
  [
    'holder binding is missing',
    { credentials: [ADULT] },
    { adult: [[AGE, unbound()]] },
    'holder_binding_missing',
  ],
  [
    'the issuer is not below a trusted authority',
    { credentials: [{ ...ADULT, trusted_authorities: [{ type: 'aki', values: ['YWtp'] }] }] },
    { adult: [[AGE]] },
    'query_not_satisfied',
  ],
])(
  'OpenID4VP 1.0 §8.6: a session stays pending and records an attempt if %s',
  async (_, asked, presented, reason) => {
    const { answer, poll } = await responseTo(asked, presented)
    expect(answer.status).toBe(400)
    expect([poll.status, poll.attempts.map((attempt) => attempt.reason.code)]).toEqual(['pending', [reason]])
  },
)

it.each<[age: unknown, status: string, checks: Record<string, boolean>]>([
  [true, 'verified', { 'age.age_over_18': true, 'age.age_over_21': false }],
  [false, 'rejected', { 'age.age_over_18': false, 'age.age_over_21': false }],
])(
  '§6.4.1: a response with one of two claim sets is enough, and the value %s of age_over_18 decides whether the session is verified',
  async (age_over_18, status, checks) => {
    const query = {
      ...ADULT,
      id: 'age',
      claims: [
        { id: 'a', path: ['age_over_21'] },
        { id: 'b', path: ['age_over_18'] },
      ],
      claim_sets: [['a'], ['b']],
    }
    const presented = { age: [[AGE, claims({ age_over_18, age_over_21: undefined })]] } as const
    const { poll } = await responseTo({ credentials: [query] }, presented)
    expect([poll.status, poll.checks]).toEqual([status, checks])
  },
)

const EITHER = { credentials: [ADULT, NAME], credential_sets: [{ options: [['adult'], ['name']] }] }
const PERHAPS = {
  credentials: [ADULT, NAME],
  credential_sets: [{ options: [['adult']] }, { options: [['name']], required: false }],
}

it.each<[why: string, asked: DcqlQuery, presented: Answers, status: string, used: string[]]>([
  ['the credential of one option: verified', EITHER, { name: [[PID]] }, 'verified', ['name']],
  ['both options: verified with the first', EITHER, { adult: [[AGE]], name: [[PID]] }, 'verified', ['adult']],
  [
    'a first option that does not satisfy the policy: verified with the second',
    EITHER,
    { adult: [[AGE, claims({ age_over_18: false })]], name: [[PID]] },
    'verified',
    ['name'],
  ],
  ['the required set: verified', PERHAPS, { adult: [[AGE]] }, 'verified', ['adult']],
  [
    'the required and the optional set: verified with both',
    PERHAPS,
    { adult: [[AGE]], name: [[PID]] },
    'verified',
    ['adult', 'name'],
  ],
  [
    'an optional set that does not satisfy the policy: verified with the required set',
    PERHAPS,
    { adult: [[AGE]], name: [[PID, claims({ sex: 9 })]] },
    'verified',
    ['adult'],
  ],
  ['only the optional set: pending', PERHAPS, { name: [[PID]] }, 'pending', []],
])(
  '§6.4.2: the service evaluates credential_sets for a response with %s',
  async (_, asked, presented, status, used) => {
    const { poll } = await responseTo(asked, presented)
    expect([poll.status, poll.credentials.map(({ id }) => id)]).toEqual([status, used])
  },
)

const SEVERAL = { credentials: [{ ...NAME, multiple: true }] }

it('§6.1: the service uses every credential that satisfies a query with `multiple`, and returns each with its own claims', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256' })
  const presented = {
    name: [[PID], [PID, claims({ sex: 9 })], [PID, claims({ given_name: 'Max' })]],
  } as const
  const { poll } = await responseTo(SEVERAL, presented, { claims_encryption_jwk: await exportJWK(publicKey) })
  expect([poll.status, poll.checks]).toEqual(['verified', { 'name.given_name': true, 'name.sex': true }])
  expect(poll.credentials.map(({ id }) => id)).toEqual(['name', 'name'])
  const { plaintext } = await compactDecrypt(poll.encrypted_claims ?? '', privateKey)
  const { credentials } = decodeJwt(new TextDecoder().decode(plaintext)) as { credentials: object[] }
  expect(credentials).toMatchObject([
    { id: 'name', claims: { 'name.given_name': 'Erika', 'name.sex': 2 } },
    { id: 'name', claims: { 'name.given_name': 'Max', 'name.sex': 2 } },
  ])
  // Disclosed, but not requested.
  expect(JSON.stringify(credentials)).not.toMatch(/Mustermann|1963/)
})

it('§6.1: the service rejects a response to a query with multiple if no credential satisfies it', async () => {
  const presented = {
    name: [
      [PID, claims({ sex: 9 })],
      [PID, claims({ sex: 0 })],
    ],
  } as const
  const { poll } = await responseTo(SEVERAL, presented)
  expect([poll.status, poll.reason?.code, poll.credentials.length]).toEqual(['rejected', 'value_mismatch', 2])
})

it('§8.6: the service accepts one credential for several queries', async () => {
  const { poll } = await responseTo(
    { credentials: [NAME, { ...NAME, id: 'again', claims: [{ path: ['family_name'] }] }] },
    { name: [[PID]], again: [[PID]] },
  )
  expect([poll.status, poll.checks]).toEqual([
    'verified',
    { 'name.given_name': true, 'name.sex': true, 'again.family_name': true },
  ])
})

it('§7.1: the service resolves claim paths through arrays, and names the checks by these paths', async () => {
  const paths = [
    ['nationalities', null],
    ['nationalities', 1],
    ['address', 'locality'],
  ]
  const query = { ...NAME, claims: paths.map((path) => ({ path })) }
  const presented = claims({ nationalities: ['DE', 'FR'], address: { locality: 'Bonn' } })
  const { poll } = await responseTo({ credentials: [query] }, { name: [[PID, presented]] })
  expect([poll.status, poll.checks]).toEqual([
    'verified',
    { 'name.nationalities[*]': true, 'name.nationalities[1]': true, 'name.address.locality': true },
  ])
})

const FREE = { credentials: [{ ...ADULT, require_cryptographic_holder_binding: false }] }

it('api/protocols: the service verifies a response without holder binding at level low if the query requires none', async () => {
  const { poll } = await responseTo(FREE, { adult: [[AGE, unbound()]] })
  expect([poll.status, poll.assurance_level]).toEqual(['verified', 'low'])
})

it('api/protocols: age_over_18 = false rejects the session only if the credential is bound to its holder', async () => {
  const child = claims({ age_over_18: false })
  const { answer, poll } = await responseTo(FREE, { adult: [[AGE, unbound(child)]] })
  expect(answer.status).toBe(400)
  expect([poll.status, poll.attempts[0]?.reason.code]).toEqual(['pending', 'predicate_false'])
  const bound = await responseTo(FREE, { adult: [[AGE, child]] })
  expect([bound.poll.status, bound.poll.reason?.code]).toEqual(['rejected', 'predicate_false'])
})

it('api/result: a result from several credentials has their lowest level, and each credential that is not optional must reach the required level', async () => {
  const membership = {
    type: 'membership',
    formats: { [SD_JWT]: { meta: { vct_values: [MEMBERSHIP] }, scopes: { tier: ['tier'] } } },
  }
  const anchors = ['low', 'substantial'].map((assurance_level, i) =>
    stage.authority.anchor({ credential_types: [['membership'], ['pid']][i], assurance_level }),
  )
  const rp = await relyingPartyOf(stage, { credential_types: [membership], trust_anchors: anchors })
  const card = { ...NAME, id: 'card', meta: { vct_values: [MEMBERSHIP] }, claims: [{ path: ['tier'] }] }
  const presented = { name: [[PID]], card: [[MEMBERSHIP, claims({ tier: 'gold' })]] } as const
  const both = await responseTo({ credentials: [NAME, card] }, presented, {}, rp)
  expect([both.poll.status, both.poll.assurance_level]).toEqual(['verified', 'low'])
  const required = { required_assurance_level: 'substantial' }
  const strict = await responseTo({ credentials: [NAME, card] }, presented, required, rp)
  expect([strict.poll.status, strict.poll.reason?.code]).toEqual(['rejected', 'assurance_level_too_low'])
  const optional = [{ options: [['name']] }, { options: [['card']], required: false }]
  const asked = { credentials: [NAME, card], credential_sets: optional }
  const spared = await responseTo(asked, presented, required, rp)
  expect([spared.poll.status, spared.poll.assurance_level, spared.poll.checks]).toEqual([
    'verified',
    'substantial',
    { 'name.given_name': true, 'name.sex': true, 'card.tier': false },
  ])
})

it('api/result: the service describes a query on the page in plain words', async () => {
  const session = await stage.rp.create({ dcql_query: PERHAPS })
  const page = await (await stage.service.fetch(session.session_url)).text()
  for (const words of ['that you are 18 or older', 'given name (if you like)', 'From: proof of age'])
    expect(page).toContain(words)
  expect(page).toContain('If you like, also from: national digital ID')
})
