// A list of lists with 29 national lists, published on loopback and refreshed under faults by the running
// service. Each state has two issuers: `old` is in its first issue, `next` in the second. So each
// presentation shows which issue is trusted.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type IssuerPki, type Minted, mintIssuerPki } from '../../support/certificates/certificates.ts'
import { mintListSigner } from '../../support/certificates/trust-lists.ts'
import {
  EAA_Q,
  signXmlList,
  type XmlListOptions,
  type XmlPointer,
  xmlList,
} from '../../support/certificates/xml-lists.ts'
import { ageOf, certified } from '../../support/people/person.ts'
import { type Receiver, type ScriptedResponse, startReceiver } from '../../support/service/receiver.ts'
import { expectStatus, type RelyingParty } from '../../support/service/service.ts'
import { begin, relyingPartyOf, useOwnStage } from '../../support/service/stage.ts'

const LOTL_TYPE = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists'
const JOURNAL = 'https://eur-lex.europa.eu/eli/C/2026/1/oj'
const NAME = 'eu'

type Issue = 'old' | 'next'
type State = { readonly signer: Minted; readonly issuers: Readonly<Record<Issue, IssuerPki>> }
type View = {
  readonly sequence: number
  readonly anchors: number
  readonly learned_signers: readonly string[]
  readonly last_attempt: { readonly fault: string | null }
  readonly lists: readonly { readonly territory: string; readonly fault: string | null }[]
}

const stage = useOwnStage()
let commission: Minted
let successor: Minted
let states: ReadonlyMap<string, State>
let publisher: Receiver
/** The response of each path. */
const web = new Map<string, ScriptedResponse>()

const TERRITORIES = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ', ...'ABC'].map(
  (letter, i) => letter + (i < 26 ? 'A' : 'B'),
)
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const TIMES = { issued: day(-1), nextUpdate: day(30) }
const pathOf = (territory: string) => `/tl-${territory}.xml`
const address = (path: string) => `http://127.0.0.1:${publisher.port}${path}`
const stateOf = (territory: string): State => {
  const state = states.get(territory)
  if (state === undefined) throw new Error(`no state ${territory}`)
  return state
}

beforeAll(async () => {
  ;[commission, successor, publisher] = await Promise.all([
    mintListSigner(),
    mintListSigner(),
    startReceiver(),
  ])
  const minted = TERRITORIES.map(async (territory): Promise<[string, State]> => {
    const issuer = (name: Issue) => mintIssuerPki({ root: { subject: `C=${territory},CN=${name}` } })
    return [
      territory,
      { signer: await mintListSigner(), issuers: { old: await issuer('old'), next: await issuer('next') } },
    ]
  })
  states = new Map(await Promise.all(minted))
  publisher.answer(({ path }) => web.get(path) ?? { status: 404 })
  web.set('/eu-lotl.xml', { body: listOfLists() })
  for (const territory of TERRITORIES) web.set(pathOf(territory), { body: national(territory, 'old') })
})
afterAll(() => publisher?.close())

/** An issue of a national list: number 7 has the old issuer, number 8 the next one. */
function national(territory: string, issue: Issue, options: XmlListOptions = {}, by?: Minted) {
  const { signer, issuers } = stateOf(territory)
  const services = [{ certificates: [issuers[issue].root.x5c], since: day(-2) }]
  const sequence = issue === 'old' ? 7 : 8
  return signXmlList(xmlList({ territory, sequence, services, ...TIMES, ...options }), by ?? signer)
}

const self = (...signers: readonly Minted[]): XmlPointer => ({
  location: address('/eu-lotl.xml'),
  territory: 'EU',
  type: LOTL_TYPE,
  certificates: signers.map(({ x5c }) => x5c),
})

function listOfLists(options: XmlListOptions = {}, by = commission) {
  const pointers = TERRITORIES.map((territory) => ({
    location: address(pathOf(territory)),
    territory,
    certificates: [stateOf(territory).signer.x5c],
  }))
  const own = { type: LOTL_TYPE, territory: 'EU', sequence: 400, uris: [JOURNAL], ...TIMES }
  return signXmlList(xmlList({ ...own, pointers: [self(by), ...pointers], ...options }), by)
}

async function operator(method: string, path: string, body?: unknown): Promise<View> {
  const token = stage.service.server.adminToken
  const answer = await stage.rp.call(method, `/v1/admin/trust_lists${path}`, { token, body })
  return (await expectStatus(answer, method === 'POST' && path === '' ? 201 : 200)) as View
}
const refresh = () => operator('POST', `/${NAME}/refresh`)
const view = () => operator('GET', `/${NAME}`)
/** The lists of some territories as the operator sees them, in the order of the pointers. */
const listed = ({ lists }: View, territories: readonly string[]) =>
  lists.filter(({ territory }) => territories.includes(territory))

/** A relying party that trusts the list alone. Each has its own limit of creations. */
const subscriber = (): Promise<RelyingParty> =>
  relyingPartyOf(stage, { trust_anchors: [], anchor_sets: [NAME] })

/** Presents an attestation of a state's issuer. Returns the status of the response, and of the session. */
async function present(rp: RelyingParty, territory: string, issue: Issue) {
  const { session, request } = await begin(stage, undefined, { rp })
  const credential = await ageOf(stage.person, request, certified(stateOf(territory).issuers[issue]))
  const answer = await stage.service.wallet.present(request, credential)
  const { status, attempts } = await rp.poll(session.verification_id)
  return status === 'verified' ? status : (attempts[0]?.reason.code ?? `${answer.status}`)
}

const [SILENT = '', ...OTHERS] = TERRITORIES
/** Faults that leave the last good copy, each of one state. A body is of the next issue. */
const FAULTS: readonly (readonly [fault: string, spoil: (territory: string) => ScriptedResponse])[] = [
  ['unavailable', () => ({ status: 404 })],
  ['rolled_back', (territory) => ({ body: national(territory, 'next', { sequence: 6 }) })],
  ['rolled_back', (territory) => ({ body: national(territory, 'next', { sequence: 7 }) })],
  ['untrusted_signer', (territory) => ({ body: national(territory, 'next', {}, stateOf(SILENT).signer) })],
  ['unavailable', () => ({ status: 302, headers: { location: address('/moved.xml') } })],
  ['too_large', (territory) => ({ body: Buffer.concat([national(territory, 'next'), PADDING]) })],
  ['wrong_list', (territory) => ({ body: national(territory, 'next', { territory: 'XX' }) })],
  ['malformed', (territory) => ({ body: Buffer.concat([national(territory, 'next'), Buffer.from('<a/>')]) })],
]
const PADDING = Buffer.alloc(9 * 1024 * 1024, ' ')
const spoiled = OTHERS.slice(0, FAULTS.length)
const [EXPIRED = '', CLOSED = '', ...sound] = OTHERS.slice(FAULTS.length)
const sampled = sound.slice(0, 2)

it('the service trusts the issuers of 29 national lists, and no issuer that only a later issue of a list names', async () => {
  const created = await operator('POST', '', {
    name: NAME,
    kind: 'eu_lotl',
    livemode: false,
    url: address('/eu-lotl.xml'),
    signers: [{ x509_certificate_pem: commission.pem }],
    territories: 'all',
    oj_url: JOURNAL,
    services: [{ type: EAA_Q, credential_types: ['age_attestation'], assurance_level: 'high' }],
  })
  expect(created).toMatchObject({ sequence: 400, anchors: 29, last_attempt: { fault: null } })
  expect(listed(created, TERRITORIES)).toMatchObject(
    TERRITORIES.map((territory) => ({ territory, sequence: 7, anchors: 1, fault: null })),
  )
  const rp = await subscriber()
  for (const territory of [SILENT, ...sampled]) {
    expect(await present(rp, territory, 'old')).toBe('verified')
    expect(await present(rp, territory, 'next')).toBe('untrusted_issuer')
  }
})

it('while one national list does not respond, the service verifies, renews good lists, and keeps the last good copies of bad lists', async () => {
  web.set('/moved.xml', { body: national(spoiled[4] ?? '', 'next') })
  web.set(pathOf(SILENT), { act: 'hang' })
  for (const [i, territory] of spoiled.entries())
    web.set(pathOf(territory), FAULTS[i]?.[1](territory) ?? { status: 500 })
  const renewed = [EXPIRED, CLOSED, ...sound]
  for (const territory of renewed) web.set(pathOf(territory), { body: national(territory, 'next') })

  const rp = await subscriber()
  const known = publisher.requests.length
  let isOver = false
  const refreshing = refresh().finally(() => {
    isOver = true
  })
  const isAsked = () => publisher.requests.slice(known).some(({ path }) => path === pathOf(SILENT))
  await expect.poll(isAsked).toBe(true)
  expect(await present(rp, SILENT, 'old')).toBe('verified')
  expect(isOver).toBe(false)
  const isRenewed = async () => {
    const lists = listed(await view(), renewed)
    return lists.every((list) => (list as { sequence?: number }).sequence === 8)
  }
  await expect.poll(async () => isOver || (await isRenewed())).toBe(true)
  expect(isOver).toBe(false)

  const refreshed = await refreshing
  expect(refreshed).toMatchObject({ sequence: 400, anchors: 29, last_attempt: { fault: null } })
  expect(listed(refreshed, [SILENT, ...spoiled])).toMatchObject(
    ['unavailable', ...FAULTS.map(([fault]) => fault)].map((fault) => ({ sequence: 7, anchors: 1, fault })),
  )
  for (const territory of [SILENT, ...spoiled]) {
    expect([territory, await present(rp, territory, 'old')]).toEqual([territory, 'verified'])
    expect([territory, await present(rp, territory, 'next')]).toEqual([territory, 'untrusted_issuer'])
  }
  const other = await subscriber()
  for (const territory of sampled) {
    expect([territory, await present(other, territory, 'next')]).toEqual([territory, 'verified'])
    expect([territory, await present(other, territory, 'old')]).toEqual([territory, 'untrusted_issuer'])
  }
})

it('the service trusts no issuer of a national list whose newest signed issue is closed or expired', async () => {
  const issued = { sequence: 9 }
  web.set(pathOf(CLOSED), { body: national(CLOSED, 'next', { ...issued, nextUpdate: null }) })
  web.set(pathOf(SILENT), { body: national(SILENT, 'next') })
  const rp = await subscriber()
  expect(listed(await refresh(), [SILENT, CLOSED])).toMatchObject([
    { sequence: 8, anchors: 1, fault: null },
    { sequence: 9, anchors: 0, fault: 'closed' },
  ])
  expect(await present(rp, CLOSED, 'next')).toBe('untrusted_issuer')
  web.set(pathOf(EXPIRED), { body: national(EXPIRED, 'next', { ...issued, nextUpdate: day(-0.5) }) })
  expect(listed(await refresh(), [EXPIRED])).toMatchObject([{ anchors: 0, fault: 'expired' }])
  // This issue does not say who is not trusted, so the list is unavailable.
  expect(await present(rp, EXPIRED, 'next')).toBe('trust_list_unavailable')
  expect(await present(rp, SILENT, 'next')).toBe('verified')
  web.set(pathOf(EXPIRED), { body: national(EXPIRED, 'next', { sequence: 10 }) })
  expect(listed(await refresh(), [EXPIRED])).toMatchObject([{ sequence: 10, anchors: 1, fault: null }])
  expect(await present(rp, EXPIRED, 'next')).toBe('verified')
})

it('the service keeps every national list if the list of lists is unavailable or invalid, and accepts a new signer only from a signed pivot list', async () => {
  const rp = await subscriber()
  const stranger = stateOf(SILENT).signer
  const faults: readonly (readonly [string, ScriptedResponse])[] = [
    ['unavailable', { status: 404 }],
    ['unavailable', { act: 'reset' }],
    ['unavailable', { status: 302, headers: { location: address('/eu-lotl-2.xml') } }],
    ['rolled_back', { body: listOfLists({ sequence: 399 }) }],
    ['untrusted_signer', { body: listOfLists({ sequence: 401 }, stranger) }],
    ['too_large', { body: Buffer.concat([listOfLists({ sequence: 401 }), PADDING]) }],
  ]
  web.set('/eu-lotl-2.xml', { body: listOfLists({ sequence: 401 }) })
  for (const [fault, response] of faults) {
    web.set('/eu-lotl.xml', response)
    expect(await refresh()).toMatchObject({ sequence: 400, anchors: 28, last_attempt: { fault } })
  }
  expect(await present(rp, sampled[0] ?? '', 'next')).toBe('verified')

  const pivot = '/eu-lotl-pivot-300.xml'
  const rotated = listOfLists({ sequence: 401, uris: [address(pivot), JOURNAL] }, successor)
  web.set('/eu-lotl.xml', { body: rotated })
  const refused = {
    sequence: 400,
    anchors: 28,
    learned_signers: [],
    last_attempt: { fault: 'untrusted_signer' },
  }
  expect(await refresh()).toMatchObject(refused)
  const past = { sequence: 300, issued: day(-400), nextUpdate: day(-230), pointers: [self(successor)] }
  web.set(pivot, { body: listOfLists(past, stranger) })
  expect(await refresh()).toMatchObject(refused)
  web.set(pivot, { body: listOfLists(past) })
  const learned = await refresh()
  expect(learned).toMatchObject({ sequence: 401, anchors: 28, last_attempt: { fault: null } })
  expect(learned.learned_signers).toHaveLength(1)
  expect(await present(rp, sampled[0] ?? '', 'next')).toBe('verified')
})

it('the service trusts the last good copies after it was killed, while no publisher responds', async () => {
  web.clear()
  await stage.service.server.kill9()
  await stage.service.server.restart()
  expect(await refresh()).toMatchObject({ anchors: 28, last_attempt: { fault: 'unavailable' } })
  const rp = await subscriber()
  expect(await present(rp, SILENT, 'next')).toBe('verified')
  expect(await present(rp, spoiled[0] ?? '', 'old')).toBe('verified')
  expect(await present(rp, SILENT, 'old')).toBe('untrusted_issuer')
})
