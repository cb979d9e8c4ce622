// ETSI TS 119 472-2 §5.3: the registration certificate in `requestInfo` of an ISO request. The wallet is a
// strict fake of EUDI's reader. It refuses each hostile change, and reads the good request after it.

import { encode } from 'cborg'
import { decodeJwt, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { openEnvelope, verifyContainer } from '../../../packages/evidence/src/evidence.ts'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { answerAnnexC } from '../../support/people/annex-c-person.ts'
import {
  type AnnexCRequest,
  type ReceivedAnnexC,
  receiveAnnexC,
  requestHashOf,
} from '../../support/people/annex-c-wallet.ts'
import { makeMdocPerson } from '../../support/people/mdoc-person.ts'
import { fetchEvidence, newKeeper } from '../../support/service/evidence.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'
import { readRegistration } from '../../support/wallets/eu/registered-request.ts'
import { identityOf } from '../../support/wallets/good-request.ts'

const stage = useStage()
const SHOP = 'https://shop.example'
const ID = 'NTRNL-12345678'
const person = await makeMdocPerson()
const [access, registrarCa] = await Promise.all([mintRoot(), mintRoot({ subject: 'CN=Registrar' })])
const leaf = await mintLeaf(access, { subject: `CN=Shop,2.5.4.97=${ID}` })
const registrar = await mintLeaf(registrarCa)
const readerOf = (subject: string) => mintLeaf(access, { subject, extendedKeyUsage: ['1.0.18013.5.1.6'] })
const [reader, unnamed] = await Promise.all([`CN=Reader,2.5.4.97=${ID}`, 'CN=Reader'].map(readerOf))

const AGE = {
  format: 'mso_mdoc',
  meta: { doctype_value: 'eu.europa.ec.av.1' },
  claim: [{ path: ['eu.europa.ec.av.1', 'age_over_18'] }],
}
const STATUS = { status_list: { idx: 1, uri: 'https://registrar.example/status' } }
const certify = (claims: object) =>
  new SignJWT({ sub: ID, credentials: [AGE], status: STATUS, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt', x5c: [registrar.x5c] })
    .sign(registrar.keys.privateKey)
const CERTIFICATE = await certify({})
const CWT = Buffer.from(
  encode([
    encode(
      new Map<number, unknown>([
        [1, -7],
        [16, 'rc-wrp+cwt'],
      ]),
    ),
    new Map(),
    encode({ sub: ID }),
    new Uint8Array(64),
  ]),
).toString('base64url')

const ALONE = { ...OVER_18, protocol: 'iso-18013-7-c' }
const wallet = { platform: 'android', registrarCa: registrarCa.pem, now: Date.now() / 1000 } as const

function shop({
  certificate = CERTIFICATE,
  domain = 'shop.example',
  by = reader,
  uses = undefined as readonly object[] | undefined,
  settings = {},
} = {}): Promise<RelyingParty> {
  const registration = { certificate, dataset: { identifier: ID } }
  const reader_certificates = [{ ...identityOf(by!), domains: [domain] }]
  const verifier = { ...identityOf(leaf), registration, reader_certificates, ...(uses && { uses }) }
  return relyingPartyOf(stage, { origins: [SHOP], trust_anchors: [person.anchor()], verifier, ...settings })
}

async function ask(rp: RelyingParty, creation: object = ALONE) {
  const created = await rp.create(creation)
  const id = created.verification_id
  const asked = await rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: {} })
  const { digital } = (await expectStatus(asked, 200)) as { digital: { requests: AnnexCRequest[] } }
  const entry = digital.requests.find(({ protocol }) => protocol === 'org-iso-mdoc')
  if (entry === undefined) throw new Error('no org-iso-mdoc')
  const { warnings } = created as unknown as { warnings: readonly { code: string; pointer: string }[] }
  return { id, warnings, entry, request: receiveAnnexC(entry, SHOP) }
}

const respond = async (rp: RelyingParty, id: string, request: ReceivedAnnexC) =>
  rp.call('POST', `/v1/verify/${id}/dc-api`, { body: await answerAnnexC(person, request) })

describe('a request of org-iso-mdoc of a registered relying party', () => {
  it('has its registration certificate under reader authentication, and the response verifies', async () => {
    const rp = await shop()
    const { id, request, warnings } = await ask(rp)
    const read = { registered: { sub: ID }, failure: null, beyond: [] }
    expect(await readRegistration(request, wallet)).toMatchObject(read)
    expect(await readRegistration(request, { ...wallet, platform: 'ios' })).toMatchObject(read)
    expect(warnings).toEqual([])
    expect(await expectStatus(await respond(rp, id, request), 200)).toMatchObject({ status: 'verified' })
  })

  it('has the certificate of the intended use that the creation named, and no other', async () => {
    const other = await certify({ purpose: [{ lang: 'en', value: 'Delivery' }] })
    const uses = [{ intended_use: 'delivery', certificate: other, dataset: { identifier: ID } }]
    const rp = await shop({ uses })
    const sent = async (members: object) => {
      const { registrations } = (await ask(rp, { ...ALONE, ...members })).request
      return new Set(registrations.map((one) => Buffer.from(one).toString()))
    }
    expect(await sent({ intended_use: 'delivery' })).toEqual(new Set([other]))
    expect(await sent({})).toEqual(new Set([CERTIFICATE]))
  })

  it('makes the wallet report the same unregistered element that a warning named in the response to the create request', async () => {
    const { request, warnings } = await ask(await shop(), { ...ALONE, scope: ['age_over_18', 'age_over_21'] })
    expect(await readRegistration(request, wallet)).toMatchObject({ beyond: ['age_over_21'] })
    expect(warnings.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(['not_registered /scope/1'])
  })

  it('has no registration certificate if the page has no reader authentication, and the response verifies', async () => {
    const rp = await shop({ domain: 'elsewhere.example' })
    const { id, request } = await ask(rp)
    expect([request.readers, request.registrations]).toEqual([[], []])
    expect(await expectStatus(await respond(rp, id, request), 200)).toMatchObject({ status: 'verified' })
  })

  it('contains a registration certificate in CWT form as a byte string, a form that the wallet on iOS cannot read', async () => {
    const { request } = await ask(await shop({ certificate: CWT }))
    expect(Buffer.from(request.registrations[0] ?? []).toString('base64url')).toBe(CWT)
    expect(await readRegistration(request, { ...wallet, platform: 'ios' })).toMatchObject({
      failure: 'MALFORMED',
    })
  })

  it('has its hash in the receipt: the wallet computes the same hash, even after the registration was removed', async () => {
    const rp = await shop()
    const { id, request, entry } = await ask(rp)
    await expectStatus(await rp.call('PATCH', '/v1/relying_party', { body: { verifier: null } }), 200)
    await expectStatus(await respond(rp, id, request), 200)
    const receipt = await (await rp.call('GET', `/v1/verify/${id}/receipt`)).text()
    expect(decodeJwt(receipt).request_hash).toBe(requestHashOf(entry, SHOP))
  })
})

it('evidence of a request with a registration certificate is confirmed by the offline verifier, which reads this certificate in the request', async () => {
  const keeper = await newKeeper(stage.service, (settings) => shop({ settings }))
  const { id, request } = await ask(keeper.rp, { ...ALONE, evidence: true })
  await expectStatus(await respond(keeper.rp, id, request), 200)
  const { envelope } = await fetchEvidence(keeper, id)
  const { zip } = await openEnvelope(JSON.stringify(envelope), [keeper.recipient.privateJwk])
  const { checks } = (await verifyContainer(zip)).report
  expect(checks.find((check) => check.id === 'request_hash')).toMatchObject({ result: 'pass' })
  expect(checks.filter(({ result }) => result === 'fail')).toEqual([])
})

describe('the strict wallet', () => {
  const good = async () => (await ask(await shop())).request
  type Change = (request: ReceivedAnnexC) => object
  const HOSTILE: readonly (readonly [string, Change, string, 'android' | 'ios'])[] = [
    ['no reader authentication', () => ({ readers: [] }), 'NOT_BOUND_TO_REQUESTER', 'android'],
    ['a reader without the identifier', () => ({ readers: ['CN=Reader'] }), 'NOT_BOUND_TO_REQUESTER', 'ios'],
    [
      'a changed signature',
      ({ documents }) => ({
        registrations: documents.map(() => Buffer.from(`${CERTIFICATE.slice(0, -4)}AAAA`)),
      }),
      'INVALID_SIGNATURE',
      'android',
    ],
    [
      'a document without a copy',
      ({ documents: [one] }) => ({ documents: [one, one] }),
      'NOT_REPEATED',
      'ios',
    ],
  ]

  it.each(HOSTILE)(
    'ignores a registration with %s, and accepts the good request after it',
    async (_, change, failure, platform) => {
      const request = await good()
      const hostile = { ...request, ...change(request) } as ReceivedAnnexC
      expect(await readRegistration(hostile, { ...wallet, platform })).toMatchObject({ failure })
      expect(await readRegistration(request, { ...wallet, platform })).toMatchObject({ failure: null })
    },
  )

  it('refuses a request with two different copies of the registration', async () => {
    const request = await good()
    const { documents, registrations } = request
    const two = {
      documents: [...documents, ...documents],
      registrations: [...registrations, Buffer.from('a')],
    }
    await expect(readRegistration({ ...request, ...two }, wallet)).rejects.toThrow('differ')
  })

  it('ignores a registration without a status', async () => {
    const { request } = await ask(await shop({ certificate: await certify({ status: undefined }) }))
    expect(await readRegistration(request, wallet)).toMatchObject({ failure: 'STATUS_MISSING' })
  })
})

it('the settings warn of a registration that no reader certificate names, and the wallet ignores this registration', async () => {
  const rp = await shop({ by: unnamed })
  const { request } = await ask(rp)
  expect(await readRegistration(request, wallet)).toMatchObject({ failure: 'NOT_BOUND_TO_REQUESTER' })
  const warnings = async (one: RelyingParty) =>
    (
      (await expectStatus(await one.call('GET', '/v1/relying_party'), 200)) as {
        warnings: { code: string }[]
      }
    ).warnings
  const code = 'registration_other_subject'
  expect(await warnings(rp)).toMatchObject([{ code, pointer: '/verifier/reader_certificates' }])
  expect(await warnings(await shop())).toEqual([])
})
