// The trust list that vouched, checked again by the offline verifier as of the decision.

import { beforeAll, describe, expect, it } from 'vitest'
import { type Check, verifyContainer } from '../../packages/evidence/src/evidence.ts'
import { utf8 } from '../../src/codec/bytes.ts'
import * as mdl from '../formats/mdoc/good.ts'
import { type Minted, mintIssuerPki } from '../support/certificates/certificates.ts'
import { type LoteOptions, mintListSigner, signLote } from '../support/certificates/trust-lists.ts'
import {
  EAA_Q,
  GRANTED,
  signXmlList,
  WITHDRAWN,
  type XmlListOptions,
  xmlList,
} from '../support/certificates/xml-lists.ts'
import { ageMdlOnList, containerOf } from './cases.ts'
import { complete } from './complete.ts'

let signer: Minted
let other: Minted

beforeAll(async () => {
  signer = await mintListSigner()
  other = (await mintIssuerPki()).root
})

/** Dates around the decision, on 2026-09-21. */
const TIMES = { issued: '2026-09-01T00:00:00Z', nextUpdate: '2026-12-01T00:00:00Z' }
const SERVICE = { type: EAA_Q, status: GRANTED }

/** Returns the check of the list in a case whose anchor came from it. */
async function checkOf(
  body: Uint8Array<ArrayBuffer>,
  service?: { readonly type: string; readonly status: string },
): Promise<Check | undefined> {
  const zip = complete(await containerOf(await ageMdlOnList(body, service)))
  const { report } = await verifyContainer(zip)
  const others = report.checks.filter(({ id, result }) => id !== 'trust_list' && result === 'fail')
  expect(others).toEqual([])
  return report.checks.find(({ id }) => id === 'trust_list')
}

const lote = (options: LoteOptions = {}) =>
  signLote(signer, { services: [{ certificates: [mdl.PKI.root.x5c] }], ...TIMES, ...options })

const xml = (options: XmlListOptions = {}, certificate = mdl.PKI.root.x5c) =>
  xmlList({
    services: [{ certificates: [certificate], since: '2026-09-02T00:00:00Z' }],
    ...TIMES,
    ...options,
  })

const UNPINNED =
  'issuers: the certificate in the list signed it; the signer that the verifier pinned is not in the evidence'

describe('a signed list', () => {
  it('a signed list with the certificate of the anchor passes, and the detail says that its signer is not pinned', async () => {
    const expected = { result: 'pass', clause: 'ETSI TS 119 602', detail: UNPINNED }
    expect(await checkOf(await lote())).toMatchObject(expected)
  })

  it.each<[string, () => Promise<Uint8Array<ArrayBuffer>>, string]>([
    [
      'without the certificate',
      () => lote({ services: [{ certificates: [other.x5c] }] }),
      'the list issuers does not have the certificate of Test IACA',
    ],
    [
      'that had expired at the decision',
      () => lote({ nextUpdate: '2026-09-21T14:13:20Z' }),
      'the list issuers was expired',
    ],
    [
      'with an invalid signature',
      async () => {
        const [header, payload] = Buffer.from(await lote())
          .toString()
          .split('.')
        return utf8(`${header}.${payload}.${Buffer.alloc(64, 1).toString('base64url')}`)
      },
      'the list issuers is not good: invalid_signature',
    ],
    ['of an unknown form', async () => utf8('a list'), 'the list issuers has no known form'],
  ])('a signed list %s fails', async (_, make, detail) => {
    expect(await checkOf(await make())).toMatchObject({ result: 'fail', detail })
  })

  it('a signed list without the certificate of its signer has the result not_in_evidence', async () => {
    const body = await lote({ header: { x5c: undefined } })
    expect(await checkOf(body)).toMatchObject({ result: 'not_in_evidence' })
  })
})

describe('a list in XML', () => {
  it('a list in XML with the certificate and the service of the anchor passes', async () => {
    const check = await checkOf(signXmlList(xml(), signer), SERVICE)
    expect(check).toMatchObject({ result: 'pass', clause: 'ETSI TS 119 612 5', detail: UNPINNED })
  })

  it.each<[string, () => Uint8Array<ArrayBuffer>, string]>([
    [
      'without the certificate',
      () => signXmlList(xml({}, other.x5c), signer),
      'the list issuers does not have the certificate of Test IACA',
    ],
    [
      'whose service is withdrawn',
      () =>
        signXmlList(
          xml({
            services: [
              { certificates: [mdl.PKI.root.x5c], status: WITHDRAWN, since: '2026-09-02T00:00:00Z' },
            ],
          }),
          signer,
        ),
      'the list issuers does not have the certificate of Test IACA',
    ],
    [
      'whose service begins after the decision',
      () =>
        signXmlList(
          xml({ services: [{ certificates: [mdl.PKI.root.x5c], since: '2026-10-01T00:00:00Z' }] }),
          signer,
        ),
      'the list issuers does not have the certificate of Test IACA',
    ],
    [
      'that had expired at the decision',
      () => signXmlList(xml({ nextUpdate: '2026-09-20T00:00:00Z' }), signer),
      'the list issuers had ended: expired',
    ],
    [
      'that was issued after the decision',
      () => signXmlList(xml({ issued: '2026-10-01T00:00:00Z' }), signer),
      'the list issuers is not good: not_yet_issued',
    ],
    [
      'with content that differs from the signed content',
      () => signXmlList(xml(), signer, { document: (text) => text.replace('Test Service', 'Best Service') }),
      'the list issuers is not good: invalid_signature',
    ],
  ])('a list in XML %s fails', async (_, make, detail) => {
    expect(await checkOf(make(), SERVICE)).toMatchObject({ result: 'fail', detail })
  })
})
