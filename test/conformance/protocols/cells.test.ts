// api/request, api/protocols: every cell of protocol × channel × format × response × Client Identifier ×
// request method, end to end. The wallet is a foreign wallet, and another project's library creates the
// credentials. A response with one flaw is refused before the good one, and the judge gets both. Impossible
// cells are refused, each by its clause.

import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openEnvelope, verifyContainer } from '../../../packages/evidence/src/evidence.ts'
import { openBrowser } from '../../support/browser/browser.ts'
import { mintIssuerPki, mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { compareWithJudge } from '../../support/judge/compared.ts'
import type { Asked } from '../../support/judge/judge.ts'
import { askedOf } from '../../support/judge/responses.ts'
import type { DigitalRequest } from '../../support/linters/dc-api-linter.ts'
import { type AnnexCTelling, deviceResponseFor } from '../../support/people/annex-c-person.ts'
import { receiveAnnexC, sealAnnexC } from '../../support/people/annex-c-wallet.ts'
import { makeAttester } from '../../support/people/attester.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { makeKey } from '../../support/people/issuer.ts'
import { JWT_VC_AGE, jwtVcOf, makeJwtVcPerson } from '../../support/people/jwt-vc-person.ts'
import { annexCTranscriptOf } from '../../support/people/mdoc.ts'
import { MDOC_AGE, makeDevice, makeMdocPerson, mdocOf } from '../../support/people/mdoc-person.ts'
import { AGE, certified, presentationOf, queryFor } from '../../support/people/person.ts'
import { createWallet, type ReceivedRequest } from '../../support/people/wallet.ts'
import { CELLS, type Cell, impossible, POSSIBLE, REFUSED } from '../../support/service/cells.ts'
import { fetchEvidence, type Keeper, newKeeper } from '../../support/service/evidence.ts'
import {
  type CreatedSession,
  expectStatus,
  OVER_18,
  type RelyingParty,
} from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const ORIGIN = 'https://shop.example'
const [pki, mdocPerson, jwtVcPerson] = await Promise.all([
  mintIssuerPki(),
  makeMdocPerson(),
  makeJwtVcPerson(),
])

const [root, attester] = await Promise.all([mintRoot(), makeAttester()])

let rp: RelyingParty
let keeper: Keeper
let anchors: readonly object[]

/**
 * Creates a relying party with an identity of each kind that trusts the issuers of all three formats. The
 * SD-JWT VC is trusted by certificate (HAIP §6.1.1).
 */
async function useRelyingParty(): Promise<void> {
  const { jwks: _, issuer: _issuer, ...anchor } = stage.authority.anchor()
  const byCertificate = { ...anchor, x509_ca_pem: pki.root.pem }
  anchors = [byCertificate, mdocPerson.anchor(), jwtVcPerson.anchor()]
  const leaf = await mintLeaf(root, { altNames: [{ type: 'dns', value: 'verifier.example' }] })
  const { kty, crv, x, y, d } = leaf.privateJwk
  const signing_jwk = { kty, crv, x, y, d }
  const attestation_jwt = await attester.attest(signing_jwk)
  const verifier = { signing_jwk, certificate_chain_pem: leaf.pem, attestation_jwt }
  const settings = { trust_anchors: anchors, origins: [ORIGIN], verifier }
  keeper = await newKeeper(stage.service, (given) => relyingPartyOf(stage, { ...settings, ...given }), {
    for: 'all',
    outcomes: ['verified', 'rejected'],
  })
  rp = keeper.rp
}

/** Trust of the wallets, after a redirect or in a browser. */
function trust() {
  return { fetch: stage.service.fetch, verifierCa: root.pem, attestationIssuer: attester }
}

/** Returns the creation that leads to this cell. */
function creationOf({ protocol, format, response, clientId, method }: Cell): object {
  const creation = { ...OVER_18, protocol, formats: [format] }
  if (protocol === 'iso-18013-7-c') return creation
  const request_options = {
    response_mode: responseModeOf({ response }),
    ...(['url', 'origin', 'none'].includes(clientId) ? {} : { client_id_prefix: clientId }),
    ...(method === 'none' ? {} : { request_uri_method: method }),
  }
  return { ...creation, request_options }
}

function responseModeOf({ response }: Pick<Cell, 'response'>): string {
  return response === 'encrypted' ? 'direct_post.jwt' : 'direct_post'
}

/** Each is one thing that is wrong in a response. */
const FLAWS = ['nonce', 'audience', 'holder', 'issuer'] as const
type Flaw = (typeof FLAWS)[number]

const stranger = await makeKey()
const strangeDevice = makeDevice()
const { leaf } = mdocPerson.pki
const forgedPki = { ...mdocPerson.pki, leaf: { ...leaf, privateJwk: strangeDevice as JsonWebKey } }
const OTHER = { nonce: 'f'.repeat(32), audience: 'x509_hash:AAAA', origin: 'https://other.example' }

/** The value of the one claim that is asked. */
let isAdult = true

type Present = (request: ReceivedRequest, origin?: string, flaw?: Flaw) => Promise<string>

/**
 * For each format, the type identifier in a request, and a presentation. With an origin it is for a page's
 * browser.
 */
const FORMATS: Readonly<Record<Cell['format'], { readonly type: string; readonly present: Present }>> = {
  'dc+sd-jwt': {
    type: AGE,
    present: (request, origin, flaw) =>
      presentationOf(stage.person, AGE, request, {
        ...certified(pki),
        claims: { iss: undefined, age_over_18: isAdult },
        ...(origin !== undefined && { audience: `origin:${origin}` }),
        ...(flaw === 'nonce' && { nonce: OTHER.nonce }),
        ...(flaw === 'audience' && { audience: OTHER.audience }),
        ...((flaw === 'holder' || flaw === 'issuer') && { [flaw]: stranger }),
      }),
  },
  mso_mdoc: {
    type: MDOC_AGE,
    present: (request, origin, flaw) =>
      mdocOf(mdocPerson, MDOC_AGE, { [MDOC_AGE]: { age_over_18: isAdult } }, request, {
        ...(origin !== undefined && { origin: flaw === 'audience' ? OTHER.origin : origin }),
        ...(flaw === 'nonce' && { answering: { nonce: OTHER.nonce } }),
        ...(flaw === 'audience' && { answering: { client_id: OTHER.audience } }),
        ...(flaw === 'holder' && { holder: strangeDevice }),
        ...(flaw === 'issuer' && { pki: forgedPki }),
      }),
  },
  jwt_vc_json: {
    type: JWT_VC_AGE,
    present: (request, origin, flaw) => {
      const presentation = {
        ...(origin !== undefined && { aud: `origin:${origin}` }),
        ...(flaw === 'nonce' && { nonce: OTHER.nonce }),
        ...(flaw === 'audience' && { aud: OTHER.audience }),
      }
      const signer = (flaw === 'holder' || flaw === 'issuer') && { [flaw]: stranger }
      return jwtVcOf(jwtVcPerson, JWT_VC_AGE, { age_over_18: isAdult }, request, { presentation, ...signer })
    },
  },
}

/** Presentations of the cell, in order: the first has a flaw. */
const sent: { readonly presentation: string; readonly asked: Asked }[] = []

/** Makes a presentation for a request, and keeps it for the judge. */
async function presentFor({ format }: Cell, request: ReceivedRequest, origin?: string, flaw?: Flaw) {
  const presentation = await FORMATS[format].present(request, origin, flaw)
  sent.push({ presentation, asked: askedOf({ request, anchors, ...(origin !== undefined && { origin }) }) })
  return presentation
}

async function presentations(cell: Cell, request: ReceivedRequest, origin?: string, flaw?: Flaw) {
  const { type } = FORMATS[cell.format]
  return { [queryFor(request, type)]: [await presentFor(cell, request, origin, flaw)] }
}

/** The flaw of a cell's refused response. Cells take turns, except those of Annex C. */
function flawOf(cell: Cell): Flaw {
  return cell.channel === 'dc_api org-iso-mdoc'
    ? 'holder'
    : (FLAWS[CELLS.indexOf(cell) % FLAWS.length] as Flaw)
}

/** The reason of the refusal. The device of an mdoc signs nonce and audience with all else. */
function reasonFor(cell: Cell): string {
  const flaw = flawOf(cell)
  if (flaw === 'issuer') return 'invalid_issuer_signature'
  return flaw === 'holder' || cell.format === 'mso_mdoc' ? 'invalid_holder_signature' : `${flaw}_mismatch`
}

async function respondToUri(uri: string, cell: Cell): Promise<string> {
  const wallet = createWallet(trust())
  const request = await wallet.receive(uri, { protocol: cell.protocol })
  const { client_id, client_id_scheme = client_id, response_mode } = request.payload as Loose
  expect([client_id_scheme.split(':')[0], response_mode]).toEqual([cell.clientId, responseModeOf(cell)])
  const flawed = await presentations(cell, request, undefined, flawOf(cell))
  await expectStatus(await wallet.present(request, flawed), 400)
  const answer = await wallet.present(request, await presentations(cell, request))
  return ((await expectStatus(answer, 200)) as { redirect_uri: string }).redirect_uri
}

type Channel = (session: CreatedSession, cell: Cell) => Promise<unknown>

const CHANNELS: Readonly<Record<Cell['channel'], Channel>> = {
  qr: async ({ verification_id, wallet_request }, cell) => {
    await expectStatus(await rp.call('GET', `/v1/verify/${verification_id}/openid4vp`), 200)
    await respondToUri(wallet_request.uri, cell)
  },
  link: async (session, cell) => {
    const browser = openBrowser(stage.service)
    const redirectUri = await respondToUri(await browser.link(session), cell)
    await expectStatus(await browser.completeReturn(redirectUri), 200)
  },
  by_value: respondByValue,
  'dc_api signed': respondInBrowser,
  'dc_api unsigned': respondInBrowser,
  'dc_api org-iso-mdoc': respondAnnexC,
}

const DESIGNATIONS = { 'dc+sd-jwt': { format: 'vc+sd-jwt' }, jwt_vc_json: { format: 'jwt_vp_json' } }
const NESTED = { path_nested: { format: 'jwt_vc_json', path: '$.vp.verifiableCredential[0]' } }

/** Plays a lenient wallet that gets the relying party's view from a bridge. */
async function respondByValue({ verification_id }: CreatedSession, cell: Cell): Promise<void> {
  const { format } = cell
  const view = await expectStatus(await rp.call('GET', `/v1/verify/${verification_id}/openid4vp`), 200)
  const { client_id, nonce, redirect_uri, presentation_definition } = (view as Loose).authorization_request
  const request = { payload: { client_id, nonce, response_uri: redirect_uri, client_metadata: {} } } as never
  const [descriptor] = presentation_definition.input_descriptors
  const map = {
    id: descriptor.id,
    path: '$',
    ...DESIGNATIONS[format as keyof typeof DESIGNATIONS],
    ...(format === 'jwt_vc_json' && NESTED),
  }
  const submission = { id: 's', definition_id: presentation_definition.id, descriptor_map: [map] }
  const post = async (flaw?: Flaw) => {
    const vp_token = await presentFor(cell, request, undefined, flaw)
    const body = new URLSearchParams({ vp_token, presentation_submission: JSON.stringify(submission) })
    return stage.service.fetch(redirect_uri, { method: 'POST', body })
  }
  await expectStatus(await post(flawOf(cell)), 400)
  await expectStatus(await post(), 200)
}

/** Plays the browser of a person on a page of the relying party. */
async function respondInBrowser({ verification_id }: CreatedSession, cell: Cell): Promise<void> {
  const post = (path: string, body: object) =>
    rp.call('POST', `/v1/verify/${verification_id}${path}`, { body })
  const asked = (await expectStatus(await post('/dc-api/request', {}), 200)) as Loose
  const protocol = `openid4vp-v1-${cell.channel.split(' ')[1]}`
  const offered = asked.digital.requests.find((one: DigitalRequest) => one.protocol === protocol)
  if (offered === undefined) throw new Error(`HTTP 400: ${protocol} is not offered`)
  const browser = { origin: ORIGIN, ...trust() }
  const request = await receiveDigital(offered, browser)
  const flawed = await presentations(cell, request, ORIGIN, flawOf(cell))
  await expectStatus(await post('/dc-api', await respondDigital(request, flawed, browser)), 400)
  const answer = await respondDigital(request, await presentations(cell, request, ORIGIN), browser)
  expect(answer.data).toHaveProperty(cell.response === 'encrypted' ? 'response' : 'vp_token')
  await expectStatus(await post('/dc-api', answer), 200)
}

/** Plays the browser of a person whose wallet supports `org-iso-mdoc` only. */
async function respondAnnexC({ verification_id }: CreatedSession): Promise<void> {
  const post = (path: string, body: object) =>
    rp.call('POST', `/v1/verify/${verification_id}${path}`, { body })
  const asked = (await expectStatus(await post('/dc-api/request', {}), 200)) as Loose
  const offered = asked.digital.requests.find((one: DigitalRequest) => one.protocol === 'org-iso-mdoc')
  if (offered === undefined) throw new Error('HTTP 400: org-iso-mdoc is not offered')
  const request = receiveAnnexC(offered, ORIGIN)
  const answer = async (telling: AnnexCTelling) => {
    const response = deviceResponseFor(mdocPerson, request, telling)
    const transcript = async () => annexCTranscriptOf(request.transcript)
    const payload = { nonce: '', client_id: '' } as ReceivedRequest['payload'] // in the transcript
    const asked = askedOf({ request: { payload } as ReceivedRequest, anchors })
    const presentation = Buffer.from(response).toString('base64url')
    sent.push({ presentation, asked: { ...asked, transcript } })
    return post('/dc-api', await sealAnnexC(request, response))
  }
  await expectStatus(await answer({ holder: strangeDevice }), 400)
  await expectStatus(await answer({ values: { age_over_18: isAdult } }), 200)
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any member
type Loose = any

describe('api/protocols: the service verifies the response of a foreign wallet', () => {
  beforeAll(useRelyingParty)

  it.each(POSSIBLE)(
    '$protocol by $channel, format $format, $response response, client identifier $clientId, request method $method',
    async (cell) => {
      sent.length = 0
      const session = await rp.create(creationOf(cell))
      await CHANNELS[cell.channel](session, cell)
      const poll = await rp.poll(session.verification_id)
      expect(poll).toMatchObject({
        status: 'verified',
        protocol: cell.channel === 'dc_api org-iso-mdoc' ? 'iso-18013-7-c' : cell.protocol,
        channel: cell.clientId === 'redirect_uri' ? 'by_value' : cell.channel.split(' ')[0],
        format: cell.format,
        checks: { age_over_18: true },
      })
      expect(poll.request_options).toMatchObject(Object(creationOf(cell)).request_options ?? {})
      expect(poll.attempts.map(({ reason }) => reason.code)).toEqual([reasonFor(cell)])
      const [flawed, good, ...others] = sent
      expect(others).toEqual([])
      await compareWithJudge(cell.format, flawed?.presentation, flawed!.asked, reasonFor(cell))
      await compareWithJudge(cell.format, good?.presentation, good!.asked, 'accepted')
      await expectEvidence(cell, session.verification_id, good?.presentation ?? '')
    },
  )
})

/** One cell of each format and channel whose response can end the session as rejected. */
const REJECTED = [
  ...new Map(
    POSSIBLE.filter(({ channel, clientId }) => channel !== 'by_value' && clientId !== 'redirect_uri').map(
      (cell) => [`${cell.format} ${cell.channel}`, cell],
    ),
  ).values(),
]

describe('api/evidence: the evidence of a rejected response', () => {
  beforeAll(useRelyingParty)
  afterEach(() => {
    isAdult = true
  })

  it.each(REJECTED)('is accepted by the offline verifier: $format by $channel', async (cell) => {
    sent.length = 0
    isAdult = false
    const session = await rp.create(creationOf(cell))
    await CHANNELS[cell.channel](session, cell)
    expect(await rp.poll(session.verification_id)).toMatchObject({
      status: 'rejected',
      reason: { code: 'predicate_false' },
    })
    await expectEvidence(cell, session.verification_id, sent.at(-1)?.presentation ?? '')
  })

  it('is tested for every format', () => {
    expect(new Set(REJECTED.map(({ format }) => format))).toEqual(new Set(CELLS.map(({ format }) => format)))
  })
})

/** Limit of the container of an age check, in bytes. */
const CONTAINER_BYTES = 60_000

/** api/evidence: the sealed container has the presentation as it was sent, and the request. */
async function expectEvidence(
  { format, channel, response, clientId }: Cell,
  id: string,
  presentation: string,
) {
  const { files, envelope } = await fetchEvidence(keeper, id)
  const { zip } = await openEnvelope(JSON.stringify(envelope), [keeper.recipient.privateJwk])
  const receipt = await (await rp.call('GET', `/v1/verify/${id}/receipt`)).text()
  const { report } = await verifyContainer(zip, { receipt })
  expect(report.checks.filter(({ result }) => result === 'fail')).toEqual([])
  const signed = report.checks.find(({ id: check }) => check === 'request_signature')
  if (clientId === 'decentralized_identifier') expect(signed?.result).toBe('pass')
  const names = Object.keys(files)
  const isText = format !== 'mso_mdoc'
  const bytes = isText ? Buffer.from(presentation) : Buffer.from(presentation, 'base64url')
  const [found, ...others] = names.filter((name) => /^response\/.*-1\./.test(name))
  expect(others).toEqual([])
  expect(Buffer.from(files[found ?? ''] ?? [])).toEqual(bytes)
  const isByValue = channel === 'by_value' || clientId === 'redirect_uri' || clientId === 'origin'
  expect(names.filter((name) => /^request\/(?!session)/.test(name)).sort()).toEqual(
    channel === 'dc_api org-iso-mdoc'
      ? ['request/device-request.cbor', 'request/encryption-info.cbor']
      : [expect.stringMatching(isByValue ? /request(-object\.jwt|\.json)$/ : /request-object\.jwt$/)],
  )
  expect(names.includes('request/session-transcript.cbor')).toBe(!isText)
  expect(names.includes('response/encrypted.bin')).toBe(response === 'encrypted')
  expect(zip.length).toBeLessThan(CONTAINER_BYTES)
}

/** Returns `true` if an impossible cell is refused at its creation or at the start of its channel. */
async function isRefused(cell: Cell): Promise<boolean> {
  const created = await rp.call('POST', '/v1/verify', { body: creationOf(cell) })
  if (created.status === 422) return true
  const session = (await expectStatus(created, 201)) as CreatedSession
  await expect(CHANNELS[cell.channel](session, cell)).rejects.toThrow(/HTTP 4(?!29)\d\d/)
  return (await rp.poll(session.verification_id)).status === 'pending'
}

const CLAUSES = [...Map.groupBy(REFUSED, (cell) => String(impossible(cell)))]

describe('api/protocols: the service refuses impossible combinations', () => {
  it.each(CLAUSES)('%s', async (_, cells) => {
    for (const [index, cell] of cells.entries()) {
      // A new relying party in time, since an API key has a limit of creations.
      if (index % 50 === 0) await useRelyingParty()
      expect([cell, await isRefused(cell)]).toEqual([cell, true])
    }
  })
})

it('189 combinations are possible, as docs/proof.md says', () => {
  expect(POSSIBLE).toHaveLength(189)
})
