// api/revocation, Token Status List for `mso_mdoc`: the list is a CWT. Mdoc and list are created by
// node:crypto and cborg, since @owf/mdoc supports no status. The wallet is a foreign wallet.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fields } from '../../formats/mdoc/maker.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { STATUS, type StatusLists, startStatusLists } from '../../support/certificates/status-lists.ts'
import { madeMdocAgeOf } from '../../support/people/made-mdoc.ts'
import { MDOC_SIGNER } from '../../support/people/mdoc.ts'
import { type MdocPerson, makeMdocPerson } from '../../support/people/mdoc-person.ts'
import { OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { begin, eventOf, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
let lists: StatusLists
let person: MdocPerson
let rp: RelyingParty

beforeAll(async () => {
  lists = await startStatusLists(stage.authority.iss, stage.authority.key)
  person = await makeMdocPerson()
  rp = await relyingPartyOf(stage, { trust_anchors: [person.anchor()] })
})
afterAll(() => lists?.close())

/**
 * Presents an mdoc with this entry of this list. Resolves to the HTTP status of the wallet's request and to
 * the session.
 */
function present(uri: string, idx: number) {
  return presentWith({ status_list: { idx, uri } })
}

async function presentWith(element: Fields) {
  const { session, request } = await begin(stage, { ...OVER_18, formats: ['mso_mdoc'] }, { rp })
  const presentations = await madeMdocAgeOf(person, request, {
    mso: { status: element },
  })
  const { status } = await stage.service.wallet.present(request, presentations)
  return { status, id: session.verification_id, session: await rp.poll(session.verification_id) }
}

describe('an mdoc on a status list', () => {
  it('verifies if it is valid, and session and event show its status; one fetch of the CWT is enough for two responses', async () => {
    const uri = lists.publishCwt([STATUS.valid, STATUS.valid], person.pki)
    for (const { status, id, session } of await Promise.all([present(uri, 0), present(uri, 1)])) {
      expect(status).toBe(200)
      expect(session).toMatchObject({ status: 'verified', credentials: [{ status: 'valid' }] })
      expect(session.trace).toContainEqual({
        id: 'status',
        clause: 'Token Status List §8.3, ISO/IEC 18013-5 second edition §12.3.6',
        result: 'pass',
      })
      const { event } = await eventOf(stage, id)
      expect(event).toMatchObject({ status: 'verified', credentials: [{ status: 'valid' }] })
    }
    expect(lists.asked(uri)).toEqual(['application/statuslist+cwt'])
  })

  it.each([
    ['invalid', 'credential_revoked', 'revoked'],
    ['suspended', 'credential_suspended', 'suspended'],
  ] as const)(
    'ends the session as rejected if its entry is %s, with the reason %s',
    async (entry, code, found) => {
      const uri = lists.publishCwt([STATUS.valid, STATUS[entry]], person.pki)
      const { status, session } = await present(uri, 1)
      expect(status).toBe(200)
      expect(session).toMatchObject({
        status: 'rejected',
        reason: { code },
        credentials: [{ status: found }],
      })
    },
  )
})

describe('an mdoc on an identifier list', () => {
  const [revoked, id] = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6)]

  it('verifies if its identifier is not in the list, and is rejected if its identifier is in the list', async () => {
    const uri = lists.publishIdentifiers([revoked], person.pki)
    const good = await presentWith({ identifier_list: { id, uri } })
    expect(good).toMatchObject({ status: 200, session: { status: 'verified' } })
    expect(good.session.credentials).toMatchObject([{ status: 'valid' }])
    const bad = await presentWith({ identifier_list: { id: revoked, uri } })
    expect(bad.session).toMatchObject({ status: 'rejected', reason: { code: 'credential_revoked' } })
    expect(lists.asked(uri)).toEqual(['application/identifierlist+cwt'])
  })

  it('an mdoc on an identifier list and on a status list is valid only if both lists say so', async () => {
    const identifier_list = { id, uri: lists.publishIdentifiers([revoked], person.pki) }
    const status_list = { idx: 1, uri: lists.publishCwt([STATUS.valid, STATUS.invalid], person.pki) }
    const good = await presentWith({ identifier_list, status_list: { ...status_list, idx: 0 } })
    expect(good.session).toMatchObject({ status: 'verified', credentials: [{ status: 'valid' }] })
    const bad = await presentWith({ identifier_list, status_list })
    expect(bad.session).toMatchObject({ status: 'rejected', reason: { code: 'credential_revoked' } })
    const fresh = { id, uri: `${identifier_list.uri}-unknown` }
    const unknown = await presentWith({ identifier_list: fresh, status_list: { ...status_list, idx: 0 } })
    expect([unknown.status, unknown.session.status]).toEqual([503, 'pending'])
    expect(unknown.session.attempts[0]?.reason.code).toBe('status_unavailable')
  })
})

describe('an mdoc with a list that cannot be used', () => {
  const expectUnavailable = async (uri: string, idx = 0) => {
    const { status, session } = await present(uri, idx)
    expect([status, session.status]).toEqual([503, 'pending'])
    expect(session.attempts.map(({ reason }) => reason.code)).toEqual(['status_unavailable'])
  }

  it('gives 503 if the list is a JWT', async () => {
    await expectUnavailable(lists.publish([STATUS.valid]))
  })

  it('gives 503 if the signer of the list is untrusted', async () => {
    const stranger = await mintIssuerPki({
      root: { subject: 'C=DE,O=Other Trust,CN=Other Root CA' },
      leaf: { extendedKeyUsage: [MDOC_SIGNER] },
    })
    await expectUnavailable(lists.publishCwt([STATUS.valid], stranger))
  })

  it('gives 503 if the list is unavailable or has no entry for the mdoc', async () => {
    const uri = lists.publishCwt([STATUS.valid], person.pki)
    await expectUnavailable(uri, 4)
    const gone = lists.publishCwt([STATUS.valid], person.pki)
    lists.withdraw(gone)
    await expectUnavailable(gone)
  })
})
