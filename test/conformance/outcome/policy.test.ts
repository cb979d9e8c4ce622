// api/creation, api/result and api/trust: proof of a scope, assurance level of a response, and trusted
// issuers.

import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { type KeyPair, makeKey, type SigningKey } from '../../support/people/issuer.ts'
import { makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import { AGE, PID, presentationOf, queryFor, type Telling } from '../../support/people/person.ts'
import type { RelyingParty } from '../../support/service/service.ts'
import { begin, eventOf, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()

const VCT_OF: Readonly<Record<string, string>> = {
  age_attestation: AGE,
  pid: PID,
  membership: 'https://club.example/card',
}

/** Responds to a policy with the named credentials, each changed as given. Resolves to the poll. */
async function outcomeOf(
  policy: object,
  credentials: Readonly<Record<string, Telling>>,
  rp: RelyingParty = stage.rp,
) {
  const { session, request } = await begin(stage, policy, { rp })
  const answers: Record<string, string[]> = {}
  for (const [type, telling] of Object.entries(credentials)) {
    const vct = VCT_OF[type] ?? ''
    answers[queryFor(request, vct)] = [await presentationOf(stage.person, vct, request, telling)]
  }
  await stage.service.wallet.present(request, answers)
  return rp.poll(session.verification_id)
}

const NAMES = { credential_types: ['pid'], scope: ['given_name', 'family_name'] }

it('api/result: the service shows each requested scope as true in `checks` if its value is proven', async () => {
  const poll = await outcomeOf(NAMES, { pid: {} })
  expect([poll.status, poll.checks]).toEqual(['verified', { given_name: true, family_name: true }])
})

it('api/result: a claim with an empty value proves nothing', async () => {
  const poll = await outcomeOf(NAMES, { pid: { claims: { given_name: '' } } })
  expect([poll.status, poll.reason?.code]).toEqual(['rejected', 'predicate_false'])
  expect(poll.checks).toEqual({ given_name: false, family_name: true })
})

const DERIVED = { credential_types: ['pid'], scope: ['age_over_18'], allow_derived: true }
const birthYearsAgo = (years: number, days = 0) => {
  const today = new Date()
  const born = new Date(
    Date.UTC(today.getUTCFullYear() - years, today.getUTCMonth(), today.getUTCDate() + days),
  )
  return born.toISOString().slice(0, 10)
}

// Two days on either side, so that midnight and 29 February may pass during the test.
it.each([
  ['a birthdate more than 18 years ago', { birthdate: birthYearsAgo(18, -2) }, 'verified'],
  ['a birthdate less than 18 years ago', { birthdate: birthYearsAgo(18, 2) }, 'rejected'],
  [
    'an old birthdate and age_over_18 = false',
    { birthdate: '1963-08-12', age_equal_or_over: { 18: false } },
    'rejected',
  ],
  ['age_over_18 = true', { age_equal_or_over: { 18: true } }, 'verified'],
])('api/result: with allow_derived, the service decides age_over_18 from %s', async (_, claims, status) => {
  const poll = await outcomeOf(DERIVED, { pid: { claims } })
  expect([poll.status, poll.checks]).toEqual([status, { age_over_18: status === 'verified' }])
})

it('api/result: without allow_derived, a birthdate does not prove age_over_18', async () => {
  const poll = await outcomeOf({ ...DERIVED, allow_derived: false }, { pid: {} })
  expect([poll.status, poll.attempts.map(({ reason }) => reason.code)]).toEqual([
    'pending',
    ['query_not_satisfied'],
  ])
})

const EITHER = { credential_types: ['age_attestation', 'pid'], scope: ['age_over_18'] }
const OLD_ENOUGH = { claims: { age_equal_or_over: { 18: true } } }

it('api/creation: with credential_match any, a credential of any one requested type is enough', async () => {
  for (const [id, telling] of [
    ['age_attestation', {}],
    ['pid', OLD_ENOUGH],
  ] as const) {
    const poll = await outcomeOf(EITHER, { [id]: telling })
    expect([poll.status, poll.credential_type]).toEqual(['verified', id])
  }
})

it('api/creation: with credential_match all, every type is required, and each credential must prove the scope', async () => {
  const all = { ...EITHER, credential_match: 'all' }
  const both = await outcomeOf(all, { age_attestation: {}, pid: OLD_ENOUGH })
  expect([both.status, both.credentials.map(({ credential_type }) => credential_type)]).toEqual([
    'verified',
    ['age_attestation', 'pid'],
  ])
  const one = await outcomeOf(all, { age_attestation: {} })
  expect([one.status, one.attempts.map(({ reason }) => reason.code)]).toEqual([
    'pending',
    ['query_not_satisfied'],
  ])
  const no = { claims: { age_equal_or_over: { 18: false } } }
  const split = await outcomeOf(all, { age_attestation: {}, pid: no })
  expect([split.status, split.checks]).toEqual(['rejected', { age_over_18: false }])
})

it('api/result: the result has the assurance_level of the trust anchor, and assurance_derivation shows each step to this level', async () => {
  const poll = await outcomeOf({ ...NAMES, required_assurance_level: 'substantial' }, { pid: {} })
  expect(poll).toMatchObject({
    status: 'verified',
    assurance_level: 'substantial',
    credentials: [{ assurance_level: 'substantial', issuer: 'https://issuer.example' }],
    assurance_derivation: [
      { step: 'anchor', anchor: 'Test issuer', level: 'substantial' },
      { step: 'holder_binding', level: 'substantial' },
      { step: 'status', status: 'not_present', as_of: null, level: 'substantial' },
    ],
  })
})

it.each([
  ['low', 'low'],
  ['high', 'substantial'],
  ['platinum', 'low'],
])(
  'api/result: under an anchor of level substantial, a credential that states the level %s gets the level %s',
  async (said, level) => {
    const poll = await outcomeOf(NAMES, { pid: { claims: { assurance_level: said } } })
    expect([poll.status, poll.assurance_level]).toEqual(['verified', level])
  },
)

it('api/trust: an anchor for the exact type has priority; an anchor for "*" applies only to types that the relying party added', async () => {
  const membership = {
    type: 'membership',
    formats: {
      'dc+sd-jwt': { meta: { vct_values: [VCT_OF.membership] }, scopes: { tier: ['tier'] } },
    },
  }
  const star = stage.authority.anchor({ name: 'Any', credential_types: ['*'], assurance_level: 'high' })
  const asked = { credential_types: ['membership'], scope: ['tier'] }
  const card = { claims: { tier: 'gold' } }
  const starred = await relyingPartyOf(stage, { credential_types: [membership], trust_anchors: [star] })
  const own = await outcomeOf(asked, { membership: card }, starred)
  expect([own.status, own.assurance_level, own.checks]).toEqual(['verified', 'high', { tier: true }])
  const builtIn = await outcomeOf(NAMES, { pid: {} }, starred)
  expect([builtIn.status, builtIn.attempts[0]?.reason.code]).toEqual(['pending', 'untrusted_issuer'])
  const exact = stage.authority.anchor({ credential_types: ['membership'], assurance_level: 'low' })
  const both = await relyingPartyOf(stage, { credential_types: [membership], trust_anchors: [star, exact] })
  expect((await outcomeOf(asked, { membership: card }, both)).assurance_level).toBe('low')
})

const pki = await mintIssuerPki()
const expired = await mintIssuerPki({
  root: { keys: pki.root.keys },
  leaf: { notAfter: new Date('2025-01-01T00:00:00Z') },
})
const unknown = await mintIssuerPki({ root: { subject: 'CN=Another root' } })
const certified = ({ leaf, intermediate }: typeof pki): Telling => ({
  issuer: { alg: 'ES256', privateJwk: leaf.privateJwk as SigningKey['privateJwk'] },
  x5c: [leaf.x5c, intermediate.x5c],
  claims: { iss: undefined },
})

it.each([
  ['a certificate chain to the anchored authority: verified', pki, 'verified', undefined],
  ['an expired certificate: refused', expired, 'pending', 'certificate_expired'],
  ['a certificate chain to another authority: refused', unknown, 'pending', 'untrusted_issuer'],
])('api/outcome, api/trust: the service evaluates an issuer with %s', async (_, chain, status, reason) => {
  const { name, credential_types, assurance_level } = stage.authority.anchor()
  const anchor = { name, credential_types, assurance_level, x509_ca_pem: pki.root.pem }
  const rp = await relyingPartyOf(stage, { trust_anchors: [anchor] })
  const { session, request } = await begin(stage, undefined, { rp })
  expect((await respondWithAge(stage, request, certified(chain))).status).toBe(
    status === 'verified' ? 200 : 400,
  )
  const poll = await rp.poll(session.verification_id)
  expect([poll.status, poll.attempts[0]?.reason.code]).toEqual([status, reason])
})

describe('api/result: same_holder_key', () => {
  const ALL = { ...EITHER, credential_match: 'all', formats: ['dc+sd-jwt'] }
  const STRICT = { ...ALL, require_same_holder_key: true }
  const one = { age_attestation: {}, pid: OLD_ENOUGH }

  /** The PID is bound to the key of another holder, who presents it. */
  const withAnother = async (holder: KeyPair) => ({
    age_attestation: {},
    pid: {
      ...OLD_ENOUGH,
      holder,
      change: ({ payload }: { payload: Record<string, unknown> }) => {
        payload.cnf = { jwk: holder.publicJwk }
      },
    },
  })

  it('is true for credentials with one key, with and without the option `require_same_holder_key`', async () => {
    for (const policy of [ALL, STRICT]) {
      const poll = await outcomeOf(policy, one)
      expect(poll).toMatchObject({ status: 'verified', same_holder_key: true })
    }
  })

  it('is false for credentials with two keys; the response verifies unless the policy requires one key', async () => {
    const two = await withAnother(await makeKey())
    expect(await outcomeOf(ALL, two)).toMatchObject({
      status: 'verified',
      same_holder_key: false,
      require_same_holder_key: false,
    })
    expect(await outcomeOf(STRICT, two)).toMatchObject({
      status: 'rejected',
      reason: { code: 'holder_key_mismatch', retryable: false },
      same_holder_key: false,
      require_same_holder_key: true,
      checks: { age_over_18: true },
    })
  })

  it('is in the event and in the receipt; `require_same_holder_key: true` changes the policy hash, and false does not', async () => {
    const hashes: unknown[] = []
    for (const policy of [ALL, { ...ALL, require_same_holder_key: false }, STRICT]) {
      const id = String((await outcomeOf(policy, one)).verification_id)
      expect((await eventOf(stage, id)).event).toMatchObject({ same_holder_key: true })
      const receipt = decodeJwt(await (await stage.rp.call('GET', `/v1/verify/${id}/receipt`)).text())
      expect(receipt).toMatchObject({ same_holder_key: true })
      expect(JSON.stringify(receipt)).not.toContain(stage.person.key.publicJwk.x)
      hashes.push(receipt.policy_hash)
    }
    expect([hashes[0] === hashes[1], hashes[0] === hashes[2]]).toEqual([true, false])
  })

  it('is false for an mdoc and an SD-JWT VC of two devices, and true if both have the same key', async () => {
    const mdocPerson = await makeMdocPerson()
    const rp = await relyingPartyOf(stage, {
      trust_anchors: [stage.authority.anchor({ credential_types: ['pid'] }), mdocPerson.anchor()],
    })
    const device = { ...mdocPerson, device: stage.person.key.privateJwk }
    for (const [holder, same_holder_key] of [
      [mdocPerson, false],
      [device, true],
    ] as const) {
      const policy = { ...EITHER, credential_match: 'all' }
      const { session, request } = await begin(stage, policy, { rp })
      const pid = await presentationOf(stage.person, PID, request, OLD_ENOUGH)
      const age = await mdocAgeOf(holder, request)
      await stage.service.wallet.present(request, { [queryFor(request, PID)]: [pid], ...age })
      const poll = await rp.poll(session.verification_id)
      expect(poll).toMatchObject({ status: 'verified', same_holder_key })
    }
  })
})
