// The offline verifier: every check with one change that it finds.

import { zipSync } from 'fflate'
import { CompactSign, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  openEnvelope,
  type Report,
  readTrust,
  UnreadableError,
  type VerifyOptions,
  verifyContainer,
} from '../../packages/evidence/src/evidence.ts'
import { encodeBase64 } from '../../src/codec/base64url.ts'
import { signJwt } from '../../src/crypto/sign-jwt.ts'
import type { EvidenceInput } from '../../src/evidence/container/input.ts'
import { type SealedContainer, type SealingKey, sealContainer } from '../../src/evidence/container/seal.ts'
import type { Container } from '../../src/evidence/container/write.ts'
import { writeContainer } from '../../src/evidence/container/write.ts'
import { writeZip } from '../../src/evidence/container/zip.ts'
import { buildDidDocument, deriveVerificationMethod } from '../../src/openid4vp/request/verifier-did.ts'
import * as mdl from '../formats/mdoc/good.ts'
import { mintIssuerPki, VALID_FROM, VALID_UNTIL } from '../support/certificates/certificates.ts'
import { makeAttester } from '../support/people/attester.ts'
import { hugeSizeOf, placesIn } from '../support/runner/size.ts'
import { type Authority, makeAuthority } from './authority.ts'
import {
  ageMdl,
  agePid,
  agePidWithStatus,
  containerOf,
  encryptTo,
  MATERIALS,
  makeJwk,
  NOW,
  SERVICE_KEY,
} from './cases.ts'
import { asJwtVc, asSeveral, byValue, overAnnexC, overDcApi } from './channels.ts'
import { complete, completeCase, filesOf, stamp } from './complete.ts'

let authority: Authority
const cases: Record<string, EvidenceInput> = {}
const AT = 1_820_000_000

beforeAll(async () => {
  authority = makeAuthority()
  cases.pid = await agePid()
  cases.status = await agePidWithStatus()
  cases.revoked = await agePidWithStatus(1)
  cases.mdl = await ageMdl()
  cases.overDcApi = await overDcApi()
  cases.overAnnexC = await overAnnexC()
  cases.byValue = await byValue()
  cases.asJwtVc = await asJwtVc()
  cases.asSeveral = await asSeveral()
})

/** Cases of the other channels and formats. */
const CHANNELS = ['overDcApi', 'overAnnexC', 'byValue', 'asJwtVc', 'asSeveral']

const failedOf = ({ checks }: Report) => [
  ...new Set(checks.filter(({ result }) => result === 'fail').map(({ id }) => id)),
]

/** The trust of an auditor who trusts all parties of the cases. */
function trustAll() {
  const { d: _, ...key } = SERVICE_KEY
  return readTrust(
    JSON.stringify({
      issuers: [mdl.PKI.root.pem],
      time_stamping_authorities: [authority.root],
      service_keys: { keys: [key] },
    }),
  )
}

async function verify(zip: Uint8Array, options: VerifyOptions = {}) {
  return (await verifyContainer(zip, { at: AT, ...options })).report
}

describe('good evidence', () => {
  it('good evidence of an mdoc with a time stamp passes every check if the auditor trusts all its keys', async () => {
    const zip = await completeCase(cases.mdl!, authority)
    const report = await verify(zip, { trust: trustAll() })
    expect(report.checks.filter(({ result }) => result !== 'pass')).toEqual([])
    expect(report.result).toBe('passed')
  })

  it.each(['pid', 'status', 'revoked', 'mdl', ...CHANNELS])(
    'good evidence of the case %s is incomplete if the auditor configures no trust, but no check fails',
    async (name) => {
      const zip = await completeCase(cases[name]!, authority)
      const report = await verify(zip)
      expect(failedOf(report)).toEqual([])
      expect(report.result).toBe('incomplete')
    },
  )

  it('good evidence without a time stamp is incomplete even if the auditor trusts all its keys', async () => {
    const report = await verify((await containerOf(cases.mdl!)).zip, { trust: trustAll() })
    expect(report.result).toBe('incomplete')
    const open = report.checks.filter(({ result }) => result !== 'pass').map(({ id }) => id)
    expect(open).toEqual(['time_stamp'])
  })

  it('good evidence fails if its material is missing: the report names the material, and the decision is not checked', async () => {
    const report = await verify((await containerOf(cases.status!)).zip)
    const failed = report.checks.filter(({ result }) => result === 'fail')
    const [digest] = cases.status!.materials.map(({ sha256 }) => sha256)
    expect(failed.map(({ id, file }) => [id, file])).toEqual([['file', `materials/${digest}`]])
    const open = report.checks.filter(({ result }) => result === 'not_in_evidence').map(({ id }) => id)
    expect(open).toEqual(expect.arrayContaining(['presentation', 'decision']))
  })

  it('good evidence of a revoked credential has the decision `rejected`', () => {
    expect(cases.revoked!.decision.decision).toMatchObject({
      status: 'rejected',
      reason: 'credential_revoked',
    })
  })

  it('passes in 2031, when the certificates have expired', async () => {
    const short = makeAuthority({ days: 1 })
    const notAfter = new Date('2028-01-01T00:00:00Z')
    const leaf = { extendedKeyUsage: [mdl.SIGNER_USAGE], notAfter }
    const pki = await mintIssuerPki({ root: { notAfter }, intermediate: { notAfter }, leaf })
    const container = await containerOf({ ...(await ageMdl(undefined, { pki })), time_stamp: true })
    const files = filesOf(complete(container))
    files.delete('mimetype')
    files.set('META-INF/timestamp.tst', stamp(container, short))
    const trusted = { time_stamping_authorities: [short.root], issuers: [pki.root.pem] }
    const trust = { ...trustAll(), ...readTrust(JSON.stringify(trusted)) }
    const report = await verify(writeZip(files), { trust, at: Date.parse('2031-06-01T00:00:00Z') / 1000 })
    expect(report.result).toBe('passed')
    expect(report.checks.find(({ id }) => id === 'time_stamp')?.detail).toContain('certificate ended')
  })

  it('passes its check of the response if the wallet’s JWE has no `kid`', async () => {
    const { groups, session, encrypted } = cases.pid!
    const vp_token = Object.fromEntries(groups.map(({ query, presentations }) => [query.id, presentations]))
    const text = await encryptTo({ vp_token, state: session.state }, {})
    const zip = await completeCase({ ...cases.pid!, encrypted: { ...encrypted!, text } }, authority)
    const { checks } = await verify(zip, { trust: trustAll() })
    expect(checks.find(({ id }) => id === 'response')?.result).toBe('pass')
  })

  it('fails if the time of the check is before the decision', async () => {
    const { zip } = await containerOf(cases.pid!)
    expect(failedOf(await verify(zip, { at: NOW }))).toEqual([])
    expect(failedOf(await verify(zip, { at: NOW - 1 }))).toEqual(['times'])
  })

  it.each<[string, () => Promise<EvidenceInput>]>([
    ['a credential that has expired', () => agePid({ claims: { exp: NOW - 100 }, clock_skew: 120 })],
    ['a proof from before the request', () => agePid({ iat: NOW - 120, clock_skew: 120 })],
    ['a status list from the future', () => agePidWithStatus(0, { iat: NOW + 100, clock_skew: 120 })],
  ])('passes with %s only because its decision records a clock skew', async (_, make) => {
    const input = await make()
    expect(failedOf(await verify(complete(await containerOf(input))))).toEqual([])
    const { clock_skew: _skew, ...decision } = input.decision
    const without = await verify(complete(await containerOf({ ...input, decision })))
    expect(failedOf(without)).toContain('decision')
  })

  it('passes after it was zipped again by another program', async () => {
    const zip = await completeCase(cases.mdl!, authority)
    const again = zipSync(Object.fromEntries([...filesOf(zip)].reverse()), { level: 9 })
    expect((await verify(again, { trust: trustAll() })).result).toBe('passed')
  })
})

describe('the verification of evidence', () => {
  type Change = (files: Map<string, Uint8Array>) => void
  const flip =
    (name: string): Change =>
    (files) => {
      const bytes = files.get(name)!.slice()
      bytes[bytes.length - 9]! ^= 1
      files.set(name, bytes)
    }
  const material = (files: Map<string, Uint8Array>) =>
    [...files.keys()].find((name) => name.startsWith('materials/'))!

  it.each<[string, Change, string]>([
    ['a changed presentation', flip('response/pid-1.sd-jwt'), 'file'],
    ['a changed response', flip('response/encrypted.bin'), 'file'],
    [
      'a changed index',
      (files) => {
        const text = Buffer.from(files.get('evidence.json')!).toString()
        files.set('evidence.json', Buffer.from(text.replace('rp_1', 'rp_2')))
      },
      'file',
    ],
    ['a changed statement', flip('statement.jws'), 'file'],
    ['a changed mimetype', flip('mimetype'), 'mimetype'],
    ['a changed time stamp', flip('META-INF/timestamp.tst'), 'time_stamp'],
    ['a changed status token', (files) => flip(material(files))(files), 'file'],
    ['a removed presentation', (files) => files.delete('response/pid-1.sd-jwt'), 'file'],
    ['a removed time stamp', (files) => files.delete('META-INF/timestamp.tst'), 'time_stamp'],
    ['an added file', (files) => files.set('notes.txt', new Uint8Array(1)), 'file'],
    ['an added file in META-INF', (files) => files.set('META-INF/signatures.xml', new Uint8Array(1)), 'file'],
    [
      'a renamed file',
      (files) => {
        files.set('response/pid-2.sd-jwt', files.get('response/pid-1.sd-jwt')!)
        files.delete('response/pid-1.sd-jwt')
      },
      'file',
    ],
  ])('changed evidence with %s fails', async (_, change, id) => {
    const files = filesOf(await completeCase(cases.status!, authority))
    change(files)
    const report = await verifyContainer(zipSync(Object.fromEntries(files)), { at: AT }).catch(
      () => undefined,
    )
    expect(report === undefined ? ['unreadable'] : failedOf(report.report)).toContain(id)
  })

  it('changed evidence with a file of another case fails', async () => {
    const [a, b] = [await containerOf(cases.pid!), await containerOf(cases.status!)]
    const files = filesOf(a.zip)
    files.set('response/pid-1.sd-jwt', filesOf(b.zip).get('response/pid-1.sd-jwt')!)
    expect(failedOf(await verify(zipSync(Object.fromEntries(files))))).toContain('file')
  })

  /** Names of the files that a failed report names; the name itself if the container cannot be read. */
  const namedBy = async (files: Map<string, Uint8Array>, name: string): Promise<readonly string[]> => {
    const report = await verify(zipSync(Object.fromEntries(files))).catch((error: unknown) => {
      expect(error).toBeInstanceOf(UnreadableError)
      return undefined
    })
    if (report === undefined) return [name]
    expect(report.result, name).toBe('failed')
    return report.checks.flatMap(({ result, file }) => (result === 'fail' && file !== null ? [file] : []))
  }

  it.each(['removed', 'renamed', 'swapped with another case'])(
    'changed evidence with any one file %s fails, and the report names the file',
    async (how) => {
      const [good, other] = await Promise.all(
        [cases.status!, cases.mdl!].map(async (one) => filesOf(await completeCase(one, authority))),
      )
      const names = [...good!.keys()].filter(
        (name) => how !== 'swapped with another case' || other!.has(name),
      )
      expect(names.length).toBeGreaterThan(8)
      for (const name of names) {
        const files = new Map(good)
        const content = files.get(name)!
        if (how === 'swapped with another case') {
          if (Buffer.compare(content, other!.get(name)!) === 0) continue // mimetype, keys of the service
          files.set(name, other!.get(name)!)
        } else files.delete(name)
        if (how === 'renamed') files.set(`${name}-2`, content)
        const named = await namedBy(files, name)
        // Another manifest names other files.
        if (name !== 'META-INF/ASiCManifest.xml') expect(named, name).toContain(name)
      }
    },
  )

  it('evidence with the time stamp of another case fails', async () => {
    const [a, b] = await Promise.all(
      [cases.pid!, cases.mdl!].map(async (one) => await completeCase(one, authority)),
    )
    const files = filesOf(a!)
    files.set('META-INF/timestamp.tst', filesOf(b!).get('META-INF/timestamp.tst')!)
    expect(failedOf(await verify(zipSync(Object.fromEntries(files))))).toEqual(['time_stamp'])
  })

  /** Someone who can write a whole new container, but has no key of a wallet, an issuer or the service. */
  it.each<[string, Partial<EvidenceInput> | ((input: EvidenceInput) => Partial<EvidenceInput>), string]>([
    ['another time of the decision', { decided_at: 1_790_000_100_000 }, 'times'],
    ['a clock skew of a day', ({ decision }) => ({ decision: { ...decision, clock_skew: 86_400 } }), 'times'],
    ['another time of the request', { requested_at: 1_789_999_000_000 }, 'times'],
    [
      'another nonce',
      ({ session }) => ({ session: { ...session, nonce: 'f'.repeat(32) } }),
      'request_binding',
    ],
    [
      'another audience',
      ({ session }) => ({ session: { ...session, audience: 'x509_san_dns:other.example' } }),
      'presentation',
    ],
    [
      'another query',
      ({ session }) => ({
        session: {
          ...session,
          query: { credentials: [{ ...session.query.credentials[0]!, id: 'pid', claims: [] }] },
        },
      }),
      'request_binding',
    ],
    [
      'another assurance level',
      ({ decision }) => ({
        decision: { ...decision, decision: { ...decision.decision, assurance_level: 'low' } },
      }),
      'decision',
    ],
    [
      'another result of a check',
      ({ decision }) => ({
        decision: { ...decision, decision: { ...decision.decision, checks: { age_over_18: false } } },
      }),
      'decision',
    ],
    [
      'a trace that lacks one check',
      ({ decision }) => ({ decision: { ...decision, trace: decision.trace.slice(1) } }),
      'decision',
    ],
    ['another policy', ({ decision }) => ({ decision: { ...decision, asked: {} } }), 'policy_hash'],
    [
      'another status in the receipt',
      ({ receipt }) => ({ receipt: { ...receipt, status: 'rejected' } }),
      'statement_decision',
    ],
    [
      'another request hash',
      ({ receipt }) => ({ receipt: { ...receipt, request_hash: 'x' } }),
      'request_hash',
    ],
    [
      'another verification id',
      ({ receipt }) => ({ receipt: { ...receipt, verification_id: 'v_2' } }),
      'statement_case',
    ],
    ['no response key', { encrypted: null }, 'response_key'],
    [
      'another response key',
      ({ encrypted }) => ({ encrypted: { ...encrypted!, key: { ...SERVICE_KEY } } }),
      'response',
    ],
    [
      'another thumbprint of the response key',
      ({ session }) => ({ session: { ...session, response_key_thumbprint: 'x' } }),
      'response_key',
    ],
    [
      'another Request Object',
      ({ request }) => ({
        request: { ...request, jwt: `${(request as { jwt: string }).jwt.slice(0, -8)}AAAAAAAA` } as never,
      }),
      'request_signature',
    ],
  ])('changed evidence with %s fails', async (_, change, id) => {
    const input = cases.pid!
    const changed = typeof change === 'function' ? change(input) : change
    expect(failedOf(await verify((await containerOf({ ...input, ...changed })).zip))).toContain(id)
  })

  it('changed evidence fails if another key signed its statement', async () => {
    const stranger = { ...(await makeJwk()), kid: 'receipts-1' }
    const { d: _, ...key } = stranger
    const sign = (payload: object, typ: string) => signJwt(payload, typ, stranger)
    const written = await writeContainer({ ...cases.mdl!, service_keys: [key] }, sign)
    if (!written.ok) throw new Error(written.error)
    expect(failedOf(await verify(written.value.zip, { trust: trustAll() }))).toEqual(['statement_key'])
    const swapped = await writeContainer(cases.mdl!, sign)
    if (!swapped.ok) throw new Error(swapped.error)
    expect(failedOf(await verify(swapped.value.zip))).toEqual(['statement'])
  })

  it('unchanged evidence fails if the auditor does not trust the issuer', async () => {
    const { d: _, ...key } = SERVICE_KEY
    const trust = readTrust(JSON.stringify({ issuers: [authority.root], service_keys: { keys: [key] } }))
    expect(failedOf(await verify((await containerOf(cases.mdl!)).zip, { trust }))).toEqual(['issuer'])
  })

  const receiptOf = (members: object) =>
    signJwt(
      { ...cases.mdl!.receipt, session_binding: 'none', ...members },
      'verification-receipt+jwt',
      SERVICE_KEY,
    )

  it('changed evidence with the receipt of another verification fails', async () => {
    const container = await containerOf(cases.mdl!)
    const good = await receiptOf({ evidence_hash: container.evidenceHash })
    expect(failedOf(await verify(container.zip, { receipt: good }))).toEqual([])
    const other = await receiptOf({ evidence_hash: (await containerOf(cases.pid!)).evidenceHash })
    expect(failedOf(await verify(container.zip, { receipt: other }))).toEqual(['receipt'])
    const changed = await receiptOf({ evidence_hash: container.evidenceHash, status: 'rejected' })
    expect(failedOf(await verify(container.zip, { receipt: changed }))).toEqual(['receipt_members'])
  })

  const END = { iat: 1_790_000_000, ended_at: '2026-09-21T14:13:20.500Z' }
  const LATER = { iat: 1_790_000_060, ended_at: '2026-09-21T14:14:20.000Z' }

  async function faultsOfReceipt(session_binding: string, members: object): Promise<readonly string[]> {
    const input = { ...cases.mdl!, receipt: { ...cases.mdl!.receipt, ...END } }
    const { zip, evidenceHash: evidence_hash } = await containerOf(input)
    const receipt = await receiptOf({ ...members, session_binding, evidence_hash })
    return failedOf(await verify(zip, { receipt }))
  }

  it('evidence passes with a receipt of the same time, and with a later receipt if session_binding is page', async () => {
    expect(await faultsOfReceipt('none', END)).toEqual([])
    expect(await faultsOfReceipt('page', LATER)).toEqual([])
  })

  it.each<[string, string, object]>([
    ['of a later time fails if its session_binding is none', 'none', LATER],
    ['of an earlier time fails', 'page', { iat: 1_789_999_940, ended_at: '2026-09-21T14:12:20.000Z' }],
    ['whose iat and ended_at differ fails', 'page', { ...END, iat: LATER.iat }],
    ['of a later time and another status fails', 'page', { ...LATER, status: 'rejected' }],
  ])('evidence with a receipt %s', async (_, session_binding, members) => {
    expect(await faultsOfReceipt(session_binding, members)).toEqual(['receipt_members'])
  })
})

describe('the certificate of the verifier', () => {
  it('fails the check of its chain if it was expired or not yet valid at the decision', async () => {
    const chainOf = async (now: number) => {
      const decision = { ...cases.pid!.decision, now }
      const { checks } = await verify((await containerOf({ ...cases.pid!, decision })).zip)
      return checks.find(({ id }) => id === 'request_chain')
    }
    expect(await chainOf(NOW)).toMatchObject({ result: 'pass' })
    const detail = 'a certificate of the verifier was not valid at the decision'
    expect(await chainOf(VALID_UNTIL.getTime() / 1000 + 1)).toMatchObject({ result: 'fail', detail })
    expect(await chainOf(VALID_FROM.getTime() / 1000 - 1)).toMatchObject({ result: 'fail', detail })
  })
})

describe('the request that several identities signed', () => {
  type Signatures = readonly { readonly protected: string; readonly signature: string }[]

  /** The case with other signatures, in a container whose digests and statement are right. */
  async function withSignatures(change: (signatures: Signatures) => Signatures): Promise<Report> {
    const { request } = cases.asSeveral!
    if (request.kind !== 'multi_signed') throw new Error('the request has one signature')
    const changed = { ...request.request, signatures: change(request.request.signatures) }
    const input = { ...cases.asSeveral!, request: { kind: 'multi_signed', request: changed } } as const
    return verify((await containerOf(input)).zip)
  }

  it('has a check of the signature, the chain and the Client Identifier for each identity', async () => {
    const { checks } = await verify((await containerOf(cases.asSeveral!)).zip)
    const file = 'request/request-object.json'
    for (const id of ['request_signature', 'request_chain', 'client_identifier'])
      expect(checks.filter((one) => one.id === id)).toEqual([
        expect.objectContaining({ result: 'pass', file }),
        expect.objectContaining({ result: 'pass', file }),
      ])
  })

  it.each([0, 1])('fails if one bit of the signature of identity %i is changed', async (index) => {
    const { request } = cases.asSeveral!
    const { offered_client_ids } = cases.asSeveral!.receipt
    const flip = (text: string) => {
      const bytes = Buffer.from(text, 'base64url')
      bytes[40]! ^= 1
      return bytes.toString('base64url')
    }
    const report = await withSignatures((all) =>
      all.map((one, i) => (i === index ? { ...one, signature: flip(one.signature) } : one)),
    )
    expect(request.kind).toBe('multi_signed')
    const failed = report.checks.filter(({ result }) => result === 'fail')
    const whose = (offered_client_ids as string[])[index]
    expect(failed.map(({ id, detail }) => [id, detail])).toEqual([
      ['request_signature', `the signature of ${whose} is invalid`],
    ])
  })

  it.each([
    ['lacks the further identity', (all: Signatures) => all.slice(0, 1), ['offered_identities']],
    ['has no signature', () => [], ['request_signature']],
    ['has an identity twice', ([first]: Signatures) => [first!, first!], ['request_signature']],
    [
      'has the identities in another order',
      (all: Signatures) => all.toReversed(),
      ['offered_identities', 'request_binding', 'request_hash'],
    ],
    [
      'has the signatures of the identities exchanged',
      ([a, b]: Signatures) => [
        { ...a!, signature: b!.signature },
        { ...b!, signature: a!.signature },
      ],
      ['request_signature'],
    ],
  ])('fails if it %s', async (_, change, failed) => {
    expect(failedOf(await withSignatures(change))).toEqual(failed)
  })

  it.each([
    ['no certificate', undefined],
    ['a certificate that cannot be read', ['AAAA']],
  ])('fails if an x509 identity has %s, and the report names the identity', async (_, x5c) => {
    const [, whose] = cases.asSeveral!.receipt.offered_client_ids as string[]
    const { checks } = await withSignatures(([first, second]) => {
      const header = { ...decodeProtectedHeader(second! as never), x5c }
      return [first!, { ...second!, protected: Buffer.from(JSON.stringify(header)).toString('base64url') }]
    })
    expect(checks.filter(({ result }) => result === 'fail')).toMatchObject([
      { id: 'request_signature', detail: `the signature of ${whose} has no certificate that can be used` },
    ])
  })

  it.each(['client_id', 'verifier_info'])('fails as malformed if the payload has %s', async (name) => {
    const { request } = cases.asSeveral!
    if (request.kind !== 'multi_signed') throw new Error('the request has one signature')
    const claims = JSON.parse(Buffer.from(request.request.payload, 'base64url').toString())
    const payload = Buffer.from(JSON.stringify({ ...claims, [name]: [] })).toString('base64url')
    const changed = { kind: 'multi_signed', request: { ...request.request, payload } } as const
    const { checks } = await verify((await containerOf({ ...cases.asSeveral!, request: changed })).zip)
    const detail = 'the multi-signed request is malformed'
    expect(checks.find(({ result }) => result === 'fail')).toMatchObject({ id: 'request_signature', detail })
  })

  it('passes with metadata for Google Wallet, which request_hash does not cover', async () => {
    expect(failedOf(await verify((await containerOf(await asSeveral(true))).zip))).toEqual([])
  })
})

describe('the request of a verifier_attestation client', () => {
  it('is verified with the attested key, but the attestation has the result not_in_evidence', async () => {
    const [key, stranger, attester] = [await makeJwk(), await makeJwk(), await makeAttester()]
    const attestation = await attester.attest(key)
    const { jwt } = cases.mdl!.request as { readonly jwt: string }
    const checksOf = async (client_id: string, signer = key) => {
      const signed = await new CompactSign(Buffer.from(JSON.stringify({ ...decodeJwt(jwt), client_id })))
        .setProtectedHeader({ alg: 'ES256', typ: 'oauth-authz-req+jwt', jwt: attestation })
        .sign(await importJWK(signer, 'ES256'))
      const session = { ...cases.mdl!.session, client_id }
      const request = { kind: 'request_object', jwt: signed } as const
      const { checks } = await verify((await containerOf({ ...cases.mdl!, session, request })).zip)
      const ids = ['request_signature', 'client_identifier', 'verifier_attestation']
      return ids.map((id) => checks.find((check) => check.id === id)?.result)
    }
    const good = 'verifier_attestation:verifier.example'
    expect(await checksOf(good)).toEqual(['pass', 'pass', 'not_in_evidence'])
    expect(await checksOf(good, stranger)).toEqual(['fail', 'pass', 'not_in_evidence'])
    const other = 'verifier_attestation:other.example'
    expect(await checksOf(other)).toEqual(['pass', 'fail', 'not_in_evidence'])
  })
})

describe('the request of a decentralized_identifier client', () => {
  it('is verified with the DID document in the container, and fails if another key signed it', async () => {
    const [key, stranger] = [await makeJwk(), await makeJwk()]
    const did = 'did:web:verifier.example'
    const client_id = `decentralized_identifier:${did}`
    const { jwt } = cases.mdl!.request as { readonly jwt: string }
    const claims = { ...decodeJwt(jwt), client_id }
    const { d: _, ...publicKey } = key
    const kid = await deriveVerificationMethod(did, publicKey)
    const caseOf = async (signer: typeof key, keys: readonly (typeof publicKey)[]) => {
      const signed = await new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'ES256', typ: 'oauth-authz-req+jwt', kid })
        .sign(await importJWK(signer, 'ES256'))
      const body = Buffer.from(JSON.stringify(await buildDidDocument(did, keys)))
      const input = {
        ...cases.mdl!,
        session: { ...cases.mdl!.session, client_id },
        request: { kind: 'request_object', jwt: signed } as const,
        fetched_keys: [{ kind: 'did', body: new Uint8Array(body) } as const],
      }
      const { checks } = await verify((await containerOf(input)).zip)
      return checks.find(({ id }) => id === 'request_signature')?.result
    }
    expect(await caseOf(key, [publicKey])).toBe('pass')
    expect(await caseOf(stranger, [publicKey])).toBe('fail')
    expect(await caseOf(key, [])).toBe('not_in_evidence')
  })
})

describe('every changed byte', () => {
  /** Returns the positions at which a change of one bit passes, though the content is another. */
  async function passedOf(
    zip: Uint8Array<ArrayBuffer>,
    positions: Iterable<number>,
  ): Promise<readonly number[]> {
    const good = filesOf(zip)
    const isSame = (changed: Uint8Array) => {
      const files = filesOf(changed)
      const isEqual = (name: string, bytes: Uint8Array) =>
        Buffer.compare(bytes, good.get(name) ?? new Uint8Array()) === 0
      return (
        files.size === good.size &&
        [...files].every(([name, bytes]) => good.has(name) && isEqual(name, bytes))
      )
    }
    const passed: number[] = []
    for (const i of positions) {
      const changed = zip.slice()
      changed[i]! ^= 1 << (i % 8)
      const report = await verify(changed, { trust: trustAll() }).catch((error: unknown) => {
        expect(error, `byte ${i}`).toBeInstanceOf(UnreadableError)
        return undefined
      })
      if (report !== undefined && report.result !== 'failed' && !isSame(changed)) passed.push(i)
    }
    return passed
  }

  it('a change of any byte of a small container is detected, or leaves the content unchanged', async () => {
    const zip = await completeCase(cases.pid!, authority)
    expect(await passedOf(zip, placesIn(zip))).toEqual([])
  })

  it.each(['status', 'revoked', 'mdl', ...CHANNELS])(
    'a change of a sampled byte of the case %s is detected, or leaves the content unchanged',
    async (name) => {
      const zip = await completeCase(cases[name]!, authority)
      const samples = hugeSizeOf(10_000)
      const positions = Array.from({ length: samples }, (_, i) => Math.floor((i * zip.length) / samples))
      expect(await passedOf(zip, positions)).toEqual([])
    },
  )
})

describe('envelope', () => {
  const envelopeOf = (container: Container, sealed: SealedContainer, time_stamps: object[]) =>
    JSON.stringify({
      object: 'evidence',
      version: 1,
      verification_id: cases.status!.verification_id,
      manifest: encodeBase64(container.manifest),
      manifest_sha256: container.manifestSha256,
      time_stamps,
      materials: container.materials,
      sealed,
    })

  it('is opened with the time stamp of another container, but the container in it then fails the check time_stamp', async () => {
    const key = await makeJwk()
    const { d: _, ...publicKey } = key
    const [container, stamped] = await Promise.all(
      [cases.status!, cases.mdl!].map((one) => containerOf({ ...one, time_stamp: true })),
    )
    const sealed = await sealContainer(container!.zip, [{ ...publicKey, kid: 'a' } as SealingKey])
    const token = encodeBase64(stamp(stamped!, authority))
    const text = envelopeOf(container!, sealed, [{ token, gen_time: '' }])
    const opened = await openEnvelope(text, [key] as never, (digest) => MATERIALS.get(digest))
    expect(opened).toMatchObject({ missing: [], timeStamp: 'added' })
    const { checks } = await verify(opened.zip)
    expect(checks.filter(({ result }) => result === 'fail')).toMatchObject([
      { id: 'time_stamp', detail: 'the time stamp is about another manifest' },
    ])
  })

  it('is opened with its key, materials and time stamp, and no check of the container in it fails', async () => {
    const key = await makeJwk()
    const container = await containerOf({ ...cases.status!, time_stamp: true })
    const { d: _, ...publicKey } = key
    const sealed = await sealContainer(container.zip, [{ ...publicKey, kid: 'a' } as SealingKey])
    const token = stamp(container, authority)
    const text = envelopeOf(container, sealed, [{ token: encodeBase64(token), gen_time: '' }])
    const opened = await openEnvelope(text, [await makeJwk(), key] as never, (digest) =>
      MATERIALS.get(digest),
    )
    expect(opened).toMatchObject({ missing: [], timeStamp: 'added' })
    expect(failedOf(await verify(opened.zip))).toEqual([])
    const bare = await openEnvelope(envelopeOf(container, sealed, []), [key] as never)
    expect(bare.missing).toHaveLength(1)
    expect(bare.timeStamp).toBe('owed')
    await expect(openEnvelope(text, [await makeJwk()] as never)).rejects.toThrow('no key opens the envelope')
    const other = { ...container, manifest: (await containerOf(cases.mdl!)).manifest }
    await expect(openEnvelope(envelopeOf(other, sealed, []), [key] as never)).rejects.toThrow(
      'another manifest',
    )
  })
})
