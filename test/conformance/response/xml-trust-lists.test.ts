// api/trust: trusted lists in XML over HTTP. The publishers are on loopback, and the relying party is in test
// mode.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseCall } from '../../../scripts/admin/call.mjs'
import { XML } from '../../../src/trust/xml/xml-limits.ts'
import { type IssuerPki, type Minted, mintIssuerPki } from '../../support/certificates/certificates.ts'
import { mintListSigner } from '../../support/certificates/trust-lists.ts'
import {
  AGE_LIST_TYPE,
  DEPRECATED,
  EAA_Q,
  GRANTED,
  PAA,
  RECOGNIZED,
  signXmlList,
  type XmlListOptions,
  xmlList,
} from '../../support/certificates/xml-lists.ts'
import { AGE, ageOf } from '../../support/people/person.ts'
import { type Receiver, startReceiver } from '../../support/service/receiver.ts'
import { expectStatus, type RelyingParty } from '../../support/service/service.ts'
import { begin, relyingPartyOf, useOwnStage } from '../../support/service/stage.ts'

const LOTL_TYPE = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists'

const stage = useOwnStage()
let publisher: Receiver
let national: Receiver
let signer: Minted
let stateSigner: Minted
let pki: IssuerPki

beforeAll(async () => {
  ;[publisher, national, signer, stateSigner, pki] = await Promise.all([
    startReceiver(),
    startReceiver(),
    mintListSigner(),
    mintListSigner(),
    mintIssuerPki(),
  ])
})
afterAll(() => Promise.all([publisher?.close(), national?.close()]))
beforeEach(() => publish())

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const TIMES = { issued: day(-1), nextUpdate: day(30) }
const issuer = (type: string, status?: string) => ({
  type,
  certificates: [pki.root.x5c],
  since: day(-2),
  ...(status !== undefined && { status }),
})

/** Publishes the age verification list with one issuer. */
function publish(status = RECOGNIZED, options: XmlListOptions = {}) {
  const services = [issuer(PAA, status)]
  const list = xmlList({ type: AGE_LIST_TYPE, territory: 'EU', services, ...TIMES, ...options })
  publisher.answer({ body: signXmlList(list, signer) })
}

const operator = (method: string, path: string, body?: unknown) =>
  stage.rp.call(method, `/v1/admin/trust_lists${path}`, { token: stage.service.server.adminToken, body })

const ageList = (name: string, changes: object = {}) => ({
  name,
  kind: 'etsi_tl',
  livemode: false,
  url: publisher.url,
  signers: [{ x509_certificate_pem: signer.pem }],
  schemes: 'eu_age_verification',
  assurance_level: 'substantial',
  ...changes,
})
const keep = async (body: object) => expectStatus(await operator('POST', '', body), 201)
const refresh = async (name: string) => expectStatus(await operator('POST', `/${name}/refresh`), 200)
/** The codes of the warnings of `/readyz`. */
async function warningCodes(): Promise<readonly string[]> {
  const body = await expectStatus(await stage.service.fetch('/readyz'), 200)
  return (body as { warnings: { code: string }[] }).warnings.map(({ code }) => code)
}
const subscriberOf = (name: string): Promise<RelyingParty> =>
  relyingPartyOf(stage, { trust_anchors: [], anchor_sets: [name] })

async function present(rp: RelyingParty, policy?: object) {
  const { session, request } = await begin(stage, policy, { rp })
  const answer = await stage.service.wallet.present(
    request,
    await ageOf(stage.person, request, {
      issuer: { alg: 'ES256', privateJwk: pki.leaf.privateJwk as never },
      x5c: [pki.leaf.x5c, pki.intermediate.x5c],
      claims: { iss: undefined },
    }),
  )
  return { answer, session: await rp.poll(session.verification_id) }
}

it('api/trust: an issuer on the EU age verification list has the level that the operator set, and is untrusted after its status in the list has changed', async () => {
  expect(await keep(ageList('age'))).toMatchObject({
    kind: 'etsi_tl',
    schemes: 'eu_age_verification',
    assurance_level: 'substantial',
    sequence: 7,
    anchors: 1,
    left_out: 0,
    last_attempt: { fault: null },
  })
  const rp = await subscriberOf('age')
  const { answer, session } = await present(rp)
  expect(answer.status).toBe(200)
  const list = { name: 'age', sequence: 7, trust_as_of: expect.stringMatching(/^20.*Z$/) }
  expect(session).toMatchObject({
    status: 'verified',
    assurance_level: 'substantial',
    trust_lists: [list],
    assurance_derivation: [
      { step: 'anchor', list, service: { type: PAA, status: RECOGNIZED }, level: 'substantial' },
      { step: 'holder_binding' },
      { step: 'status' },
    ],
  })

  publish(DEPRECATED, { sequence: 8 })
  expect(await refresh('age')).toMatchObject({ sequence: 8, anchors: 0, last_attempt: { fault: null } })
  const refused = await present(rp)
  expect(refused.answer.status).toBe(400)
  expect(refused.session).toMatchObject({
    status: 'pending',
    attempts: [{ reason: { code: 'untrusted_issuer' } }],
  })
  expect(await expectStatus(await stage.service.fetch('/readyz'), 200)).toMatchObject({
    warnings: expect.arrayContaining([{ code: 'trust_list_empty', trust_lists: 1 }]),
  })
})

it('api/trust: the older type identifiers of the age verification list are accepted, and a list of another type is refused', async () => {
  const older = 'http://ec.europa.eu/tools/lotl/av/TrstSvc'
  publish(RECOGNIZED, {
    type: `${older}/TrustedList/TSLType/AVTL`,
    services: [issuer(`${older}/Svctype/PAA`)],
  })
  expect(await keep(ageList('older'))).toMatchObject({ anchors: 1, last_attempt: { fault: null } })
  publish(RECOGNIZED, { type: 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric' })
  expect(await keep(ageList('other'))).toMatchObject({ anchors: 0, last_attempt: { fault: 'wrong_list' } })
  expect(await warningCodes()).toContain('trust_list_refused')
})

it.each([
  ['accepts the URL of the list', '', 200],
  ['refuses the URL of another list', '/other', 400],
])(
  'OpenID4VP 1.0 §6.1.1.2: the service evaluates trusted_authorities of type etsi_tl for a list in XML, and %s',
  async (_, path, status) => {
    await keep(ageList(`asked-${status}`))
    const rp = await subscriberOf(`asked-${status}`)
    const query = {
      id: 'age',
      format: 'dc+sd-jwt',
      meta: { vct_values: [AGE] },
      claims: [{ path: ['age_over_18'] }],
      trusted_authorities: [{ type: 'etsi_tl', values: [publisher.url + path] }],
    }
    const { answer } = await present(rp, { dcql_query: { credentials: [query] } })
    expect(answer.status).toBe(status)
  },
)

it('api/trust: a list of 8 MiB is accepted, and a list with one byte more is not', async () => {
  const text = xmlList({
    type: AGE_LIST_TYPE,
    territory: 'EU',
    services: [issuer(PAA, RECOGNIZED)],
    ...TIMES,
  })
  const padded = (bytes: number) => {
    const content = (whole: string) =>
      whole.replace('</SchemeInformation>', `$&${' '.repeat(bytes - signXmlList(text, signer).length)}`)
    return signXmlList(text, signer, { content })
  }
  publisher.answer({ body: padded(XML.bytes) })
  expect(await keep(ageList('large'))).toMatchObject({
    sequence: 7,
    anchors: 1,
    last_attempt: { fault: null },
  })
  publisher.answer({ body: padded(XML.bytes + 1) })
  expect(await refresh('large')).toMatchObject({ sequence: 7, last_attempt: { fault: 'too_large' } })
})

it('api/trust: an issuer is accepted if a list of lists names its national list, and the result names the territory', async () => {
  const services = [issuer(EAA_Q)]
  national.answer({ body: signXmlList(xmlList({ territory: 'HU', services, ...TIMES }), stateSigner) })
  const pointers = [
    { location: publisher.url, territory: 'EU', type: LOTL_TYPE, certificates: [signer.x5c] },
    { location: national.url, territory: 'HU', certificates: [stateSigner.x5c] },
  ]
  const lotl = xmlList({ type: LOTL_TYPE, territory: 'EU', sequence: 390, pointers, ...TIMES })
  publisher.answer({ body: signXmlList(lotl, signer) })
  const grant = { type: EAA_Q, credential_types: ['age_attestation'], assurance_level: 'high' }
  const { schemes: _, assurance_level: __, ...source } = ageList('qeaa')
  const kept = await keep({ ...source, kind: 'eu_lotl', territories: ['HU', 'SE'], services: [grant] })
  expect(kept).toMatchObject({
    kind: 'eu_lotl',
    territories: ['HU', 'SE'],
    oj_url: null,
    sequence: 390,
    anchors: 1,
    pinned_signers_announced: true,
    learned_signers: [],
    lists: [
      {
        territory: 'HU',
        url: national.url,
        sequence: 7,
        next_update: expect.stringMatching(/Z$/),
        anchors: 1,
        fault: null,
      },
    ],
  })
  const { answer, session } = await present(await subscriberOf('qeaa'))
  expect(answer.status).toBe(200)
  expect(session).toMatchObject({
    assurance_level: 'high',
    trust_lists: [{ name: 'qeaa', territory: 'HU', sequence: 7 }],
  })
  expect(await warningCodes()).not.toContain('trust_list_signers_change')
  expect((await operator('DELETE', '/qeaa')).status).toBe(204)
  const signers = [signer, stateSigner].map(({ pem }) => ({ x509_certificate_pem: pem }))
  const other = {
    ...source,
    name: 'rotate',
    kind: 'eu_lotl',
    territories: ['SE'],
    services: [grant],
    signers,
  }
  expect(await keep(other)).toMatchObject({ pinned_signers_announced: false })
  expect(await warningCodes()).toContain('trust_list_signers_change')
})

it.each([
  ['eu_qualified_attestations', 'EAA/Q'],
  ['eu_public_body_attestations', 'EAA/Pub-EAA'],
])(
  'api/trust: the scheme %s gives issuers of one service type the types and level of the operator, alone and in a list of lists',
  async (schemes, service) => {
    const type = `http://uri.etsi.org/TrstSvc/Svctype/${service}`
    const terms = { schemes, assurance_level: 'substantial', credential_types: ['age_attestation'] }
    const list = xmlList({ territory: 'DE', services: [issuer(type)], ...TIMES })
    publisher.answer({ body: signXmlList(list, signer) })
    const name = schemes.replace('eu_', 'alone_')
    const statuses = [GRANTED, `${GRANTED.slice(0, -'granted'.length)}recognisedatnationallevel`]
    const { schemes: _, ...grant } = { ...terms, type, statuses }
    expect(await keep(ageList(name, terms))).toMatchObject({ ...terms, services: [grant], anchors: 1 })
    const { answer, session } = await present(await subscriberOf(name))
    expect([answer.status, session]).toMatchObject([200, { assurance_level: 'substantial' }])
    publisher.answer({ body: signXmlList(xmlList({ ...TIMES, type: AGE_LIST_TYPE }), signer) })
    expect(await refresh(name)).toMatchObject({ last_attempt: { fault: 'wrong_list' } })

    national.answer({ body: signXmlList(list, stateSigner) })
    const pointers = [{ location: national.url, territory: 'DE', certificates: [stateSigner.x5c] }]
    const lotl = xmlList({ type: LOTL_TYPE, territory: 'EU', pointers, ...TIMES })
    publisher.answer({ body: signXmlList(lotl, signer) })
    const changes = { ...terms, kind: 'eu_lotl', territories: ['DE'] }
    const followed = await keep(ageList(schemes.replace('eu_', 'followed_'), changes))
    expect(followed).toMatchObject({ ...terms, services: [grant], anchors: 1 })
  },
)

describe('docs/eu-lists.md', () => {
  /** The documented commands with this beginning, parsed as `npm run admin` does. */
  const documented = (beginning: string) => {
    const guide = readFileSync('docs/eu-lists.md', 'utf8').replaceAll(/ \\\n +/g, ' ')
    const commands = [...guide.matchAll(/^npm run admin -- (.+)$/gm)].map(([, command = '']) => command)
    const signers = JSON.stringify([{ x509_certificate_pem: signer.pem }])
    return commands
      .filter((command) => command.startsWith(beginning))
      .map((command) => {
        const call = parseCall(command.split(' '), () => signers)
        if (!('method' in call)) throw new Error(command)
        return call as { method: string; path: string; body: { name: string } }
      })
  }

  it('has commands that add the age verification list and the list of lists, and that let a relying party use both', async () => {
    const [age, lotl, ...others] = documented('trust-lists create')
    expect([age?.body.name, lotl?.body.name, others]).toEqual(['eu_age', 'eu_qeaa', []])
    const create = (call: typeof age) => keep({ ...call?.body, livemode: false, url: publisher.url })
    expect(await create(age)).toMatchObject({ anchors: 1, assurance_level: 'low' })
    const list = xmlList({ territory: 'HU', services: [issuer(EAA_Q)], ...TIMES })
    national.answer({ body: signXmlList(list, stateSigner) })
    const pointers = [{ location: national.url, territory: 'HU', certificates: [stateSigner.x5c] }]
    const body = signXmlList(xmlList({ type: LOTL_TYPE, territory: 'EU', pointers, ...TIMES }), signer)
    publisher.answer({ body })
    const terms = { credential_types: ['pid'], assurance_level: 'substantial' }
    expect(await create(lotl)).toMatchObject({ ...terms, anchors: 1, lists: [{ territory: 'HU' }] })

    const rp = await relyingPartyOf(stage)
    const updates = documented('relying-parties update')
    expect(updates.map((call) => 'anchor_sets' in call.body && call.body.anchor_sets)).toEqual([
      ['eu_age'],
      ['eu_qeaa'],
    ])
    for (const { method, body: settings } of updates) {
      const path = `/v1/admin/relying_parties/${rp.relying_party_id}`
      const changed = await rp.call(method, path, { token: stage.service.server.adminToken, body: settings })
      expect(await expectStatus(changed, 200)).toMatchObject(settings)
    }
  })
})

const GRANT = { type: EAA_Q, credential_types: ['age_attestation'], assurance_level: 'low' }
const plain = { schemes: undefined, assurance_level: undefined, services: [GRANT] }

it.each([
  [
    'an authority as its signer',
    { signers: [{ x509_ca_pem: 'x' }] },
    '/signers/0/x509_certificate_pem',
    'required',
  ],
  [
    'a signer that is no certificate',
    { signers: [{ x509_certificate_pem: 'x' }] },
    '/signers/0/x509_certificate_pem',
    'invalid_value',
  ],
  ['neither services nor schemes', { ...plain, services: undefined }, '/services', 'required'],
  ['services and schemes', { services: [GRANT] }, '/services', 'invalid_value'],
  ['a level beside services', { ...plain, assurance_level: 'low' }, '/assurance_level', 'invalid_value'],
  ['schemes without a level', { assurance_level: undefined }, '/assurance_level', 'required'],
  ['schemes and list_type', { list_type: 'x' }, '/list_type', 'invalid_value'],
  ['an unknown scheme', { schemes: 'moon' }, '/schemes', 'invalid_value'],
  ['types for a scheme that sets them', { credential_types: ['pid'] }, '/credential_types', 'invalid_value'],
  ['a scheme without its types', { schemes: 'eu_qualified_attestations' }, '/credential_types', 'required'],
  ['types beside services', { ...plain, credential_types: ['pid'] }, '/credential_types', 'invalid_value'],
  ['a territory in small letters', { territory: 'de' }, '/territory', 'invalid_format'],
  [
    'a service of certification authorities',
    { ...plain, services: [{ ...GRANT, type: 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC' }] },
    '/services/0/type',
    'not_an_attestation_service',
  ],
  ['a refresh of 31 days', { refresh_seconds: 31 * 86_400 }, '/refresh_seconds', 'too_big'],
  [
    'nine signers',
    { signers: Array.from({ length: 9 }, () => ({ x509_certificate_pem: 'x' })) },
    '/signers',
    'too_big',
  ],
  ['a URL that is not public', { livemode: true }, '/url', 'invalid_value'],
])('api/trust: the service refuses a list in XML with %s', async (_, changes, pointer, code) => {
  const refused = await expectStatus(await operator('POST', '', ageList('odd', changes)), 400)
  expect(refused).toMatchObject({
    errors: expect.arrayContaining([{ pointer, code, message: expect.any(String) }]),
  })
})

it.each([
  ['no territories', {}, '/territories'],
  ['a refresh of more than a day', { territories: 'all', refresh_seconds: 86_401 }, '/refresh_seconds'],
  ['an oj_url with http', { territories: 'all', oj_url: 'http://eur-lex.europa.eu/oj' }, '/oj_url'],
  ['an oj_url that is not a URL', { territories: 'all', oj_url: 'https://a b' }, '/oj_url'],
  ['a territory twice', { territories: ['HU', 'HU'] }, '/territories'],
  ['schemes', { territories: 'all', schemes: 'eu_age_verification' }, '/schemes'],
])('api/trust: the service refuses a list of lists with %s', async (_, changes, pointer) => {
  const body = { ...ageList('odd', plain), kind: 'eu_lotl', ...changes }
  const refused = await expectStatus(await operator('POST', '', body), 400)
  expect(refused).toMatchObject({ errors: expect.arrayContaining([expect.objectContaining({ pointer })]) })
})
