// api/trust: trust lists of the operator over HTTP. The publisher is on loopback, and the relying party is
// in test mode.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyContainer } from '../../../packages/evidence/src/evidence.ts'
import { type IssuerPki, type Minted, mintIssuerPki } from '../../support/certificates/certificates.ts'
import {
  type LoteOptions,
  MDL,
  mintListPki,
  mintListSigner,
  PID_ISSUANCE,
  signLote,
  signVical,
  timeOf,
} from '../../support/certificates/trust-lists.ts'
import { makeMdocPerson, mdocOf } from '../../support/people/mdoc-person.ts'
import { AGE, ageOf, queryFor } from '../../support/people/person.ts'
import { fetchWithMaterials, newKeeper, openChecks } from '../../support/service/evidence.ts'
import { type Receiver, startReceiver } from '../../support/service/receiver.ts'
import { expectStatus, type RelyingParty } from '../../support/service/service.ts'
import { begin, relyingPartyOf, useOwnStage } from '../../support/service/stage.ts'
import { WAIT } from '../../support/wait.ts'

const stage = useOwnStage()
let publisher: Receiver
let signer: Minted
let pki: IssuerPki

beforeAll(async () => {
  ;[publisher, signer, pki] = await Promise.all([startReceiver(), mintListSigner(), mintIssuerPki()])
})
afterAll(() => publisher?.close())

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

async function publish(options: LoteOptions = {}) {
  const services = [{ certificates: [pki.root.x5c] }]
  const times = { issued: day(-1), nextUpdate: day(30) }
  const body = await signLote(signer, { services, ...times, ...options })
  publisher.answer({ headers: { etag: `"${String(options.sequence ?? 7)}"` }, body })
}

const operator = (method: string, path: string, body?: unknown) =>
  stage.rp.call(method, `/v1/admin/trust_lists${path}`, { token: stage.service.server.adminToken, body })

const listNamed = (name: string, changes: object = {}) => ({
  name,
  kind: 'etsi_lote',
  livemode: false,
  url: publisher.url,
  signers: [{ x509_certificate_pem: signer.pem }],
  services: [{ type: PID_ISSUANCE, credential_types: ['age_attestation'], assurance_level: 'high' }],
  ...changes,
})

const keep = async (name: string, changes: object = {}) =>
  expectStatus(await operator('POST', '', listNamed(name, changes)), 201)

const subscriberOf = (name: string): Promise<RelyingParty> =>
  relyingPartyOf(stage, { trust_anchors: [], anchor_sets: [name] })

/** Presents a credential whose issuer's certificates lead to `issuer`'s root. */
async function present(rp: RelyingParty, { leaf, intermediate } = pki, policy?: object) {
  const { session, request } = await begin(stage, policy, { rp })
  const answer = await stage.service.wallet.present(
    request,
    await ageOf(stage.person, request, {
      issuer: { alg: 'ES256', privateJwk: leaf.privateJwk as never },
      x5c: [leaf.x5c, intermediate.x5c],
      claims: { iss: undefined },
    }),
  )
  return { answer, session: await rp.poll(session.verification_id), id: session.verification_id }
}

it('api/trust: the service accepts an issuer on a list; result and receipt have the name and the sequence number of the list', async () => {
  await publish()
  expect(await keep('good')).toMatchObject({
    name: 'good',
    kind: 'etsi_lote',
    sequence: 7,
    anchors: 1,
    left_out: 0,
    last_attempt: { fault: null },
  })
  const rp = await subscriberOf('good')
  const { answer, session, id } = await present(rp)
  expect(answer.status).toBe(200)
  const list = { name: 'good', sequence: 7, trust_as_of: expect.stringMatching(/^20.*Z$/) }
  expect(session).toMatchObject({
    status: 'verified',
    assurance_level: 'high',
    trust_lists: [list],
    assurance_derivation: [
      { step: 'anchor', anchor: 'CN=Test Root CA,O=Test Trust,C=DE', list, level: 'high' },
      { step: 'holder_binding' },
      { step: 'status' },
    ],
  })
  const receipt = await rp.call('GET', `/v1/verify/${id}/receipt`)
  const [, payload = ''] = (await receipt.text()).split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { trust_lists: unknown }
  expect(claims.trust_lists).toEqual(session.trust_lists)
})

it.each([
  ['and accepts the URL of the list', '', 200],
  ['and refuses the URL of another list', '/other', 400],
])(
  'OpenID4VP 1.0 §6.1.1.2: the service evaluates trusted_authorities of type etsi_tl %s',
  async (_, path, status) => {
    await publish()
    const name = `asked-for-${status}`
    await keep(name)
    const rp = await subscriberOf(name)
    const trusted_authorities = [{ type: 'etsi_tl', values: [publisher.url + path] }]
    const meta = { vct_values: [AGE] }
    const query = {
      id: 'age',
      format: 'dc+sd-jwt',
      meta,
      claims: [{ path: ['age_over_18'] }],
      trusted_authorities,
    }
    const { answer, session } = await present(rp, pki, { dcql_query: { credentials: [query] } })
    expect(answer.status).toBe(status)
    expect(session.status).toBe(status === 200 ? 'verified' : 'pending')
  },
)

it('api/trust: the service verifies a driving licence whose issuer is in a VICAL, if an authority certified the signer of the VICAL', async () => {
  const [person, scheme] = await Promise.all([makeMdocPerson(), mintListPki()])
  const { leaf, intermediate, root } = scheme
  publisher.answer({
    body: signVical(leaf, {
      chain: [leaf.der, intermediate.der, root.der],
      entries: [{ certificate: person.pki.root.der }],
      date: timeOf(day(-1).replace(/\.\d+/, '')),
      nextUpdate: timeOf(day(1).replace(/\.\d+/, '')),
    }),
  })
  const services = [{ type: MDL, credential_types: ['mdl'], assurance_level: 'high' }]
  const signers = [{ x509_ca_pem: root.pem }]
  expect(await keep('vical', { kind: 'vical', signers, services })).toMatchObject({ sequence: 7, anchors: 1 })
  const rp = await subscriberOf('vical')
  const policy = { credential_types: ['mdl'], scope: ['age_over_18'] }
  const { session, request } = await begin(stage, policy, { rp })
  const presented = await mdocOf(person, MDL, { 'org.iso.18013.5.1': { age_over_18: true } }, request)
  await stage.service.wallet.present(request, { [queryFor(request, MDL)]: [presented] })
  expect(await rp.poll(session.verification_id)).toMatchObject({
    status: 'verified',
    credential_type: 'mdl',
    assurance_level: 'high',
    trust_lists: [{ name: 'vical', sequence: 7 }],
  })
})

it('api/trust: the service refuses an issuer that is on no list, or only on a list that the relying party does not use', async () => {
  await publish()
  await keep('narrow')
  const rp = await subscriberOf('narrow')
  const other = await mintIssuerPki({ root: { subject: 'C=DE,O=Another Trust,CN=Root' } })
  for (const { answer, session } of [await present(rp, other), await present(stage.rp)]) {
    expect(answer.status).toBe(400)
    expect(session).toMatchObject({ status: 'pending', attempts: [{ reason: { code: 'untrusted_issuer' } }] })
  }
})

it('api/trust: the service returns 503 while a list that may contain the issuer is unavailable', async () => {
  publisher.answer({ status: 500 })
  expect(await keep('late')).toMatchObject({
    usable_until: expect.anything(),
    last_attempt: { fault: 'unavailable' },
  })
  const rp = await subscriberOf('late')
  const { answer, session } = await present(rp)
  await expectStatus(answer, 503)
  expect(session).toMatchObject({
    status: 'pending',
    attempts: [{ reason: { code: 'trust_list_unavailable', retryable: true } }],
  })
  expect(await expectStatus(await stage.service.fetch('/readyz'), 200)).toMatchObject({
    status: 'ready',
    warnings: expect.arrayContaining([{ code: 'trust_list_stale', trust_lists: 1 }]),
  })
  const own = { ...stage.authority.anchor() }
  const both = await relyingPartyOf(stage, { trust_anchors: [own], anchor_sets: ['late'] })
  const { session: began, request } = await begin(stage, undefined, { rp: both })
  await stage.service.wallet.present(request, await ageOf(stage.person, request))
  expect((await both.poll(began.verification_id)).status).toBe('verified')
})

it('api/trust: the service keeps its copy of a list if the fetched list is unavailable, too large or older, and replaces the copy if the fetched list is newer', async () => {
  await publish({ sequence: 7 })
  await keep('moving')
  const refresh = async () => expectStatus(await operator('POST', '/moving/refresh'), 200)
  await publish({ sequence: 6 })
  expect(await refresh()).toMatchObject({ sequence: 7, last_attempt: { fault: 'rolled_back' } })
  publisher.answer({ act: 'reset' })
  expect(await refresh()).toMatchObject({ sequence: 7, last_attempt: { fault: 'unavailable' } })
  publisher.answer({ body: new Uint8Array(10 * 1024 * 1024) })
  expect(await refresh()).toMatchObject({ sequence: 7, last_attempt: { fault: 'too_large' } })
  expect((await present(await subscriberOf('moving'))).session.status).toBe('verified')
  await publish({ sequence: 8 })
  expect(await refresh()).toMatchObject({ sequence: 8, last_attempt: { fault: null } })
  publisher.answer(({ headers }) => ({ status: headers['if-none-match'] === '"8"' ? 304 : 500 }))
  expect(await refresh()).toMatchObject({ sequence: 8, last_attempt: { fault: null } })
})

it('api/trust: a list is shown as it was created, its name cannot be used twice, and it gets 404 after its deletion', async () => {
  await publish()
  const made = await keep('short')
  const shown = await expectStatus(await operator('GET', '/short'), 200)
  expect(shown).toEqual(made)
  expect(shown).toMatchObject({
    ...listNamed('short'),
    list_type: null,
    refresh_seconds: 3600,
    stale_after_seconds: 86_400,
  })
  expect(await expectStatus(await operator('POST', '', listNamed('short')), 400)).toMatchObject({
    errors: [{ pointer: '/name' }],
  })
  expect(await expectStatus(await operator('GET', ''), 200)).toMatchObject({
    trust_lists: expect.arrayContaining([{ name: 'short', livemode: false }]),
  })
  expect((await operator('DELETE', '/short')).status).toBe(204)
  for (const [method, path] of [
    ['GET', '/short'],
    ['DELETE', '/short'],
    ['POST', '/short/refresh'],
    ['GET', '/..'],
  ] as const) {
    expect((await operator(method, path)).status).toBe(404)
  }
})

it.each([
  ['an invalid name', { name: 'EU PID' }, '/name'],
  ['a URL that is not public', { livemode: true }, '/url'],
  ['no signer', { signers: [] }, '/signers'],
  ['an invalid signer', { signers: [{ x509_ca_pem: 'x' }] }, '/signers/0/x509_ca_pem'],
  [
    'a type that relying parties add',
    { services: [{ type: 'x', credential_types: ['membership'], assurance_level: 'low' }] },
    '/services/0/credential_types/0',
  ],
  [
    'the credential type "*"',
    { services: [{ type: 'x', credential_types: ['*'], assurance_level: 'low' }] },
    '/services/0/credential_types/0',
  ],
  ['the kind xml', { kind: 'xml' }, '/kind'],
  ['an unknown member', { retries: 3 }, '/retries'],
])('api/trust: the service refuses a list with %s and names the member', async (_, changes, pointer) => {
  const refused = await expectStatus(await operator('POST', '', listNamed('odd', changes)), 400)
  expect(refused).toMatchObject({ errors: [{ pointer }] })
})

it('api/evidence: the evidence of the first verification names the list that contains the issuer, and the offline verifier checks the list', async () => {
  await publish()
  await keep('kept')
  const fetches = publisher.requests.length
  const keeper = await newKeeper(
    stage.service,
    (given) => relyingPartyOf(stage, { trust_anchors: [], anchor_sets: ['kept'], ...given }),
    { for: 'all' },
  )
  // The settings alone make the service fetch the list again, before any verification.
  await expect.poll(() => publisher.requests.length, WAIT).toBe(fetches + 1)
  await expectStatus(await operator('POST', '/kept/refresh'), 200)
  const { named, whole, bare } = await fetchWithMaterials(keeper, (await present(keeper.rp)).id)
  expect(named).toMatchObject([{ media_type: 'application/jose' }])
  const { report } = await verifyContainer(whole)
  expect(openChecks(report)).toEqual([])
  expect(report.checks.find(({ id }) => id === 'trust_list')?.result).toBe('pass')
  expect(openChecks((await verifyContainer(bare)).report)).toEqual([
    'file: the material is missing: add it with `evidence open --materials`',
    'trust_list: not_in_evidence',
  ])
})
