// api/creation, api/outcome and api/protocols: several credentials of different formats in one response, and
// their trusted authorities.

import '../../support/reflect-metadata.ts'

import * as x509 from '@peculiar/x509'
import { beforeAll, expect, it } from 'vitest'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import type { SigningKey } from '../../support/people/issuer.ts'
import { type MdocPerson, makeMdocPerson, mdocOf } from '../../support/people/mdoc-person.ts'
import { AGE, PID, presentationOf, queryFor } from '../../support/people/person.ts'
import type { Presentations, ReceivedRequest } from '../../support/people/wallet.ts'
import type { RelyingParty } from '../../support/service/service.ts'
import { begin, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const MDL = 'org.iso.18013.5.1.mDL'
const ISO = 'org.iso.18013.5.1'
const LICENCE = { [ISO]: { family_name: 'Mustermann', age_over_18: true, issuing_country: 'DE' } }

let driver: MdocPerson
let rp: RelyingParty
beforeAll(async () => {
  driver = await makeMdocPerson()
  rp = await relyingPartyOf(stage, {
    trust_anchors: [
      stage.authority.anchor(),
      driver.anchor({ credential_types: ['mdl'], assurance_level: 'high' }),
    ],
  })
})

async function outcomeOf(
  policy: object,
  answer: (request: ReceivedRequest) => Promise<Presentations>,
  asker = rp,
) {
  const { session, request } = await begin(stage, policy, { rp: asker })
  await stage.service.wallet.present(request, await answer(request))
  return asker.poll(session.verification_id)
}

const both = async (request: ReceivedRequest, person: string, licence: string): Promise<Presentations> => ({
  [person]: [await presentationOf(stage.person, PID, request)],
  [licence]: [await mdocOf(driver, MDL, LICENCE, request)],
})

it('credential_match all: the service verifies a PID as SD-JWT VC and a licence as mdoc in one response', async () => {
  const policy = { credential_types: ['pid', 'mdl'], scope: ['family_name'], credential_match: 'all' }
  const poll = await outcomeOf(policy, (request) =>
    both(request, queryFor(request, PID), queryFor(request, MDL)),
  )
  expect(poll).toMatchObject({
    status: 'verified',
    checks: { family_name: true },
    assurance_level: 'substantial',
  })
  expect(poll.credentials).toMatchObject([
    { credential_type: 'pid', format: 'dc+sd-jwt', assurance_level: 'substantial' },
    { credential_type: 'mdl', format: 'mso_mdoc', assurance_level: 'high' },
  ])
})

const MIXED = {
  credentials: [
    { id: 'p', format: 'dc+sd-jwt', meta: { vct_values: [PID] }, claims: [{ path: ['family_name'] }] },
    {
      id: 'l',
      format: 'mso_mdoc',
      meta: { doctype_value: MDL },
      claims: [
        { path: [ISO, 'family_name'], intent_to_retain: true },
        { path: [ISO, 'issuing_country'], values: ['DE', 'AT'] },
      ],
    },
  ],
}

it('the service verifies a response to a dcql_query with two formats', async () => {
  const poll = await outcomeOf({ dcql_query: MIXED }, (request) => both(request, 'p', 'l'))
  expect([poll.status, poll.checks]).toEqual([
    'verified',
    { 'p.family_name': true, [`l.${ISO}.family_name`]: true, [`l.${ISO}.issuing_country`]: true },
  ])
})

it('the service rejects a response if the mdoc has a value that the query does not allow', async () => {
  const [person, licence] = MIXED.credentials
  const claims = [{ path: [ISO, 'issuing_country'], values: ['FR'] }]
  const dcql_query = { credentials: [person, { ...licence, claims }] }
  const poll = await outcomeOf({ dcql_query }, (request) => both(request, 'p', 'l'))
  expect([poll.status, poll.reason?.code, poll.checks]).toEqual([
    'rejected',
    'value_mismatch',
    { 'p.family_name': true, [`l.${ISO}.issuing_country`]: false },
  ])
})

const IDENTIFIER = 'c3'.repeat(20)
const certified = await mintIssuerPki({
  leaf: {
    extensions: [
      {
        oid: '2.5.29.35',
        critical: false,
        value: new Uint8Array(new x509.AuthorityKeyIdentifierExtension(IDENTIFIER).value),
      },
    ],
  },
})

it.each<[whose: string, identifier: string, status: string, reason: string | undefined]>([
  ['the credential’s authority: verified', IDENTIFIER, 'verified', undefined],
  ['another authority: refused', 'd4'.repeat(20), 'pending', 'query_not_satisfied'],
])(
  '§6.1.1: the service evaluates trusted_authorities with the key identifier of %s',
  async (_, identifier, status, reason) => {
    const { name, credential_types, assurance_level } = stage.authority.anchor()
    const anchor = { name, credential_types, assurance_level, x509_ca_pem: certified.root.pem }
    const asker = await relyingPartyOf(stage, { trust_anchors: [anchor] })
    const values = [Buffer.from(identifier, 'hex').toString('base64url')]
    const adult = { id: 'adult', format: 'dc+sd-jwt', meta: { vct_values: [AGE] } }
    const dcql_query = { credentials: [{ ...adult, trusted_authorities: [{ type: 'aki', values }] }] }
    const { leaf, intermediate } = certified
    const telling = {
      issuer: { alg: 'ES256', privateJwk: leaf.privateJwk as SigningKey['privateJwk'] },
      x5c: [leaf.x5c, intermediate.x5c],
      claims: { iss: undefined },
    }
    const answer = async (request: ReceivedRequest) => ({
      adult: [await presentationOf(stage.person, AGE, request, telling)],
    })
    const poll = await outcomeOf({ dcql_query }, answer, asker)
    expect([poll.status, poll.attempts[0]?.reason.code, poll.checks]).toEqual([
      status,
      reason,
      status === 'verified' ? {} : null,
    ])
  },
)
