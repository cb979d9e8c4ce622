// A wallet of the Multipaz SDK on the JVM, behind the virtual browser: it answers requests of ISO/IEC TS
// 18013-7 Annex C and of OpenID4VP, signed and unsigned, and refuses hostile changes. `npm run proof --
// clients multipaz` installs it, and sets MULTIPAZ_FOLDER and JAVA.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { browserFamilies, digitalRequests } from '../../../packages/client/src/browser.ts'
import { BROWSER_MODES, type BrowserMode } from '../../support/browser/virtual-browser.ts'
import { mintIssuerPki, mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { fullDate, issueMdoc, MDOC_SIGNER, type NameSpaces } from '../../support/people/mdoc.ts'
import {
  expectStatus,
  openService,
  type RelyingParty,
  SERVICE_VARIABLES,
} from '../../support/service/service.ts'
import { sharedServer } from '../../support/service/shared-services.ts'
import { BROWSER_QUESTIONS } from '../../support/wallets/browser-results.ts'
import type { DigitalRequest } from '../../support/wallets/fake-wallet.ts'
import { identityOf } from '../../support/wallets/good-request.ts'

const { MULTIPAZ_FOLDER: FOLDER, JAVA = 'java' } = process.env
const SHOP = 'https://shop.example'
const ISO = 'org-iso-mdoc'
const PERSON = { given_name: 'Erika', family_name: 'Mustermann', age_over_18: true }
const DATES = { issue_date: fullDate('2025-01-01'), expiry_date: fullDate('2035-01-01') }
const DOCUMENTS: Readonly<Record<string, NameSpaces>> = {
  'org.iso.18013.5.1.mDL': { 'org.iso.18013.5.1': { ...PERSON, ...DATES } },
  'eu.europa.ec.eudi.pid.1': { 'eu.europa.ec.eudi.pid.1': { ...PERSON, ...DATES } },
  'eu.europa.ec.av.1': { 'eu.europa.ec.av.1': { age_over_18: true } },
}
type Message = Readonly<Record<string, unknown>>

describe.skipIf(FOLDER === undefined)('a wallet of the Multipaz SDK', () => {
  let wallet: ChildProcess
  let lines: AsyncIterator<string>
  let signed: RelyingParty
  let unsigned: RelyingParty

  async function tell(message: Message): Promise<Message> {
    wallet.stdin?.write(`${JSON.stringify(message)}\n`)
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('the wallet ended')
      if (value.startsWith('WALLET ')) return JSON.parse(value.slice(7))
    }
  }

  beforeAll(async () => {
    const classPath = [join(FOLDER!, 'classes'), join(FOLDER!, 'packages', '*')].join(':')
    wallet = spawn(JAVA, ['-cp', classPath, 'WalletKt'], { stdio: ['pipe', 'pipe', 'inherit'] })
    lines = createInterface({ input: wallet.stdout! })[Symbol.asyncIterator]()
    const pki = await mintIssuerPki({ leaf: { extendedKeyUsage: [MDOC_SIGNER] } })
    for (const [docType, nameSpaces] of Object.entries(DOCUMENTS)) {
      const device = await tell({ docType })
      const issued = await issueMdoc({ pki, docType, nameSpaces, device })
      await tell({ issued: Buffer.from(issued.encode()).toString('base64url') })
    }
    const service = openService(await sharedServer(SERVICE_VARIABLES))
    const [root, second] = await Promise.all([mintRoot(), mintRoot({ subject: 'CN=Other' })])
    const [leaf, other] = await Promise.all([mintLeaf(root), mintLeaf(second)])
    const reader = await mintLeaf(root, { subject: 'CN=Shop', extendedKeyUsage: ['1.0.18013.5.1.6'] })
    const anchor = { name: 'Test IACA', credential_types: ['age_attestation', 'pid', 'mdl'] }
    const trust_anchors = [{ ...anchor, assurance_level: 'substantial', x509_ca_pem: pki.root.pem }]
    const reader_certificates = [{ ...identityOf(reader), domains: ['shop.example'] }]
    const verifier = { ...identityOf(leaf), further: [identityOf(other)], reader_certificates }
    unsigned = await service.relyingParty({ origins: [SHOP], trust_anchors })
    signed = await service.relyingParty({ origins: [SHOP], trust_anchors, verifier })
  })
  afterEach(() => vi.unstubAllGlobals())
  afterAll(async () => {
    wallet?.stdin?.end()
    if (wallet !== undefined && wallet.exitCode === null) await once(wallet, 'exit')
  })

  /** The requests of a new session that this browser passes to wallets when each button is pressed. */
  async function passedBy(mode: BrowserMode, rp: RelyingParty, creation: object) {
    const { verification_id: id } = await rp.create(creation)
    const asked = await rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: {} })
    const { digital } = (await expectStatus(asked, 200)) as { digital: { requests: DigitalRequest[] } }
    const isAllowed = (one: string) => BROWSER_MODES[mode].allows.some((allowed) => allowed === one)
    vi.stubGlobal('DigitalCredential', { userAgentAllowsProtocol: isAllowed })
    vi.stubGlobal('matchMedia', () => ({ matches: true }))
    const requests = browserFamilies(digital.requests).flatMap((family) => [
      ...BROWSER_MODES[mode].passes(digitalRequests(digital.requests, { family })),
    ]) as readonly DigitalRequest[]
    return { id, requests }
  }

  /** The status of the session after the wallet answered; its refusal if it did not. */
  async function exchange(rp: RelyingParty, id: string, request: DigitalRequest, origin = SHOP) {
    const credential = await tell({ ...request, origin })
    if ('refused' in credential) return String(credential.refused)
    const sent = await rp.call('POST', `/v1/verify/${id}/dc-api`, { body: credential })
    const body = (await sent.json()) as { status?: string; code?: string }
    return sent.status === 200 ? body.status : body.code
  }

  const partyOf = (kind: string) => (kind === 'signed' ? signed : unsigned)
  const KINDS = ['signed', 'unsigned'] as const

  it.each(KINDS.flatMap((kind) => BROWSER_QUESTIONS.map((question) => ({ ...question, kind }))))(
    'answers a $kind request of Annex C for $name, in each browser that forwards the request, if Multipaz is installed',
    async ({ kind, creation }) => {
      for (const mode of ['all four', 'mdoc takes precedence', 'Annex C alone'] as const) {
        const { id, requests } = await passedBy(mode, partyOf(kind), creation)
        const request = requests.find(({ protocol }) => protocol === ISO)!
        expect([mode, await exchange(partyOf(kind), id, request)]).toEqual([mode, 'verified'])
      }
    },
  )

  it.each([
    ['signed', 'openid4vp-v1-multisigned'],
    ['signed', 'openid4vp-v1-signed'],
    ['unsigned', 'openid4vp-v1-signed'],
    ['unsigned', 'openid4vp-v1-unsigned'],
  ])(
    'answers a relying party that has %s Annex C requests if it requests by the protocol %s, if Multipaz is installed',
    async (kind, wanted) => {
      for (const { creation } of BROWSER_QUESTIONS) {
        const { id, requests } = await passedBy('OpenID4VP alone', partyOf(kind), creation)
        const request = requests.find(({ protocol }) => protocol === wanted)!
        expect(await exchange(partyOf(kind), id, request)).toBe('verified')
      }
    },
  )

  const LICENCE = BROWSER_QUESTIONS.find(({ name }) => name === 'mDL')!.creation

  it('refuses a request whose reader signature was changed, and then answers the good request, if Multipaz is installed', async () => {
    const { id, requests } = await passedBy('Annex C alone', signed, LICENCE)
    const good = requests.find(({ protocol }) => protocol === ISO)!
    const bytes = Buffer.from(String(good.data.deviceRequest), 'base64url')
    // The signature is the last text of bytes with 64 bytes.
    bytes[bytes.lastIndexOf(Buffer.from([0x58, 0x40])) + 10]! ^= 1
    const bad = { ...good, data: { ...good.data, deviceRequest: bytes.toString('base64url') } }
    expect(await exchange(signed, id, bad)).toContain('SignatureVerificationException')
    expect(await exchange(signed, id, good)).toBe('verified')
  })

  it('refuses a multi-signed request with one changed signature, and then answers the good request, if Multipaz is installed', async () => {
    const { id, requests } = await passedBy('OpenID4VP alone', signed, LICENCE)
    const good = requests.find(({ protocol }) => protocol === 'openid4vp-v1-multisigned')!
    const [first, last] = good.data.signatures as readonly { signature: string }[]
    const signature = Buffer.from(last!.signature, 'base64url')
    signature[10]! ^= 1
    const signatures = [first, { ...last, signature: signature.toString('base64url') }]
    expect(await exchange(signed, id, { ...good, data: { ...good.data, signatures } })).toContain(
      'SignatureVerificationException',
    )
    expect(await exchange(signed, id, good)).toBe('verified')
  })

  it.each(KINDS)(
    'a %s request is refused by the wallet or the service if another page sends it, and verifies if the right page sends it, if Multipaz is installed',
    async (kind) => {
      const { id, requests } = await passedBy('Annex C alone', partyOf(kind), LICENCE)
      const request = requests.find(({ protocol }) => protocol === ISO)!
      const end = await exchange(partyOf(kind), id, request, 'https://evil.example')
      expect(end).toMatch(kind === 'signed' ? /^SignatureVerificationException/ : /^presentation_refused$/)
      expect(await exchange(partyOf(kind), id, request)).toBe('verified')
    },
  )
})
