// Effect of a status list entry on a credential, in both formats. jose (JWT) and node:crypto (CWT) create the
// lists, with the key of the credential's issuer.

import { importJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/formats/verification/format.ts'
import { makeCwt, makeJwt, URI, web } from '../trust/status/status-fixtures.ts'
import { expectRefusal, type Verification } from './contract.ts'
import * as document from './mdoc/good.ts'
import { tagged } from './mdoc/maker.ts'
import * as sdJwt from './sd-jwt-vc/good.ts'

type Changes = { readonly context?: Partial<Context>; readonly expected?: { readonly nonce: string } }
type Subject = {
  readonly form: 'jwt' | 'cwt'
  /** The list whose entries are 1, 2, 0, 3 as it is served. */
  readonly list: string | Uint8Array<ArrayBuffer>
  /** A presentation of a credential with this status, optionally outside its validity period. */
  readonly present: (status: object, isExpired?: boolean) => Promise<string> | string
  readonly verifyGood: (presentation: string, changes: Changes) => Promise<Verification>
}

const { NOW, PKI } = document
/** An hour before `NOW`, as an MSO says it. */
const OVER = tagged(0, new Date((NOW - 3600) * 1000).toISOString().replace('.000', ''))
const issuerKey = (await importJWK(sdJwt.ISSUER_KEY.privateJwk as object, 'ES256')) as CryptoKey

const SUBJECTS: readonly Subject[] = [
  {
    form: 'jwt',
    list: await makeJwt({ iat: NOW - 100, exp: NOW + 1000 }, {}, issuerKey),
    present: async (status, isExpired = false) =>
      sdJwt.presentGood(await sdJwt.issueGood({ status, ...(isExpired && { exp: NOW - 3600 }) })),
    verifyGood: sdJwt.verifyGood,
  },
  {
    form: 'cwt',
    list: await makeCwt(
      // Biome-ignore format: entries
      {
        claims: [
          [6, NOW - 100],
          [4, NOW + 1000],
        ],
        unprotected: [[33, PKI.chain]],
      },
      PKI.leaf.keys.privateKey,
    ),
    present: (status, isExpired = false) =>
      document.make({
        mso: (mso) => {
          mso.status = status as never
          if (isExpired) Object.assign(mso.validityInfo as object, { validUntil: OVER })
        },
      }),
    verifyGood: document.verifyGood,
  },
]

const entry = (idx: number) => ({ status_list: { idx, uri: URI } })

describe.each(SUBJECTS)('a credential with a $form status list', ({ form, list, present, verifyGood }) => {
  const verifyTraced = async (presentation: string, changes: Changes = {}, body = list) => {
    const { asked, fetchResource } = web(async () => body)
    const verification = await verifyGood(presentation, {
      ...changes,
      context: { fetchResource, ...changes.context },
    })
    return { asked, verification }
  }

  it('a credential whose entry has the value VALID is valid', async () => {
    const { asked, verification } = await verifyTraced(await present(entry(2)))
    expect(verification.result).toMatchObject({
      ok: true,
      value: { status: 'valid', statusAsOf: NOW, reasons: [] },
    })
    expect(verification.trace.at(-1)).toEqual(['status', 'pass'])
    expect(asked).toMatchObject([{ url: URI, accept: `application/statuslist+${form}` }])
  })

  it.each([
    [0, 'revoked', 'credential_revoked'],
    [1, 'suspended', 'credential_suspended'],
  ])(
    'a credential with the index %j has the status %s in its result for both values of statusUnavailable',
    async (idx, status, finding) => {
      for (const statusUnavailable of ['refuse', 'accept'] as const) {
        const { verification } = await verifyTraced(await present(entry(idx)), {
          context: { statusUnavailable },
        })
        expect(verification.result).toMatchObject({ ok: true, value: { status, reasons: [finding] } })
        expect(verification.trace.at(-1)).toEqual(['status', 'fail'])
      }
    },
  )

  it('a credential whose entry has an application-specific status is refused for both values of statusUnavailable', async () => {
    for (const statusUnavailable of ['refuse', 'accept'] as const) {
      const { verification } = await verifyTraced(await present(entry(3)), { context: { statusUnavailable } })
      expectRefusal(verification, { reason: 'status_unavailable' }, 'status')
    }
  })

  it.each([
    ['an empty status', {}],
    ['an unknown status mechanism', { other_list: { id: 'x', uri: URI } }],
    ['a negative index', { status_list: { idx: -1, uri: URI } }],
  ])('a credential with %s has an unknown status, and nothing is fetched', async (_, status) => {
    const refused = await verifyTraced(await present(status))
    expectRefusal(refused.verification, { reason: 'status_unavailable' }, 'status')
    const accepted = await verifyTraced(await present(status), { context: { statusUnavailable: 'accept' } })
    expect(accepted.verification.result).toMatchObject({
      ok: true,
      value: { status: 'unavailable', reasons: [] },
    })
    expect([...refused.asked, ...accepted.asked]).toEqual([])
  })

  it.each([
    ['an index after the last entry', 12, list],
    ['a status list that is not a token', 2, 'junk'],
  ])('a credential with %s has an unknown status', async (_, idx, body) => {
    const refused = await verifyTraced(await present(entry(idx)), {}, body)
    expectRefusal(refused.verification, { reason: 'status_unavailable' }, 'status')
    const changes = { context: { statusUnavailable: 'accept' } } as const
    const accepted = await verifyTraced(await present(entry(idx)), changes, body)
    expect(accepted.verification.result).toMatchObject({ ok: true, value: { status: 'unavailable' } })
  })

  it('a credential outside its validity period has the status null, and nothing is fetched', async () => {
    const { asked, verification } = await verifyTraced(await present(entry(0), true))
    expect(verification.result).toMatchObject({
      ok: true,
      value: { status: null, reasons: ['credential_expired'] },
    })
    expect(verification.trace.at(-1)).toEqual(['status', 'skip'])
    expect(asked).toEqual([])
  })

  it('a credential that was presented for another nonce causes no fetch of the list', async () => {
    const { asked, verification } = await verifyTraced(await present(entry(0)), {
      expected: { nonce: 'another' },
    })
    expect(verification.result.ok).toBe(false)
    expect(asked).toEqual([])
  })

  it('has a result that contains neither the address of the list nor the index of its entry', async () => {
    const { verification } = await verifyTraced(await present({ status_list: { idx: 99_999, uri: URI } }))
    expect(JSON.stringify(verification)).not.toMatch(/status\.example|99999/)
  })
})
