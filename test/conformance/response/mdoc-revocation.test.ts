// CONTRACT 4, Token Status List for `mso_mdoc`: the list is a CWT. Mdoc and list are created by node:crypto
// and cborg, since @owf/mdoc supports no status. The wallet is a foreign one.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
async function present(uri: string, idx: number) {
  const { session, request } = await begin(stage, { ...OVER_18, formats: ['mso_mdoc'] }, { rp })
  const presentations = await madeMdocAgeOf(person, request, {
    mso: { status: { status_list: { idx, uri } } },
  })
  const { status } = await stage.service.wallet.present(request, presentations)
  return { status, id: session.verification_id, session: await rp.poll(session.verification_id) }
}

describe('an mdoc on a status list', () => {
  it('verifies if it is valid, shows the status everywhere, and needs one fetch of a CWT for many responses', async () => {
    const uri = lists.publishCwt([STATUS.valid, STATUS.valid], person.pki)
    for (const { status, id, session } of await Promise.all([present(uri, 0), present(uri, 1)])) {
      expect(status).toBe(200)
      expect(session).toMatchObject({ status: 'verified', credentials: [{ status: 'valid' }] })
      expect(session.trace).toContainEqual({
        id: 'status',
        clause: 'Token Status List §8.3',
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
  ] as const)('ends the session as rejected if it is %s: %s', async (entry, code, found) => {
    const uri = lists.publishCwt([STATUS.valid, STATUS[entry]], person.pki)
    const { status, session } = await present(uri, 1)
    expect(status).toBe(200)
    expect(session).toMatchObject({ status: 'rejected', reason: { code }, credentials: [{ status: found }] })
  })
})

describe('an invalid list for an mdoc', () => {
  const expectUnavailable = async (uri: string, idx = 0) => {
    const { status, session } = await present(uri, idx)
    expect([status, session.status]).toEqual([503, 'pending'])
    expect(session.attempts.map(({ reason }) => reason.code)).toEqual(['status_unavailable'])
  }

  it('is 503 because it is a JWT', async () => {
    await expectUnavailable(lists.publish([STATUS.valid]))
  })

  it('is 503 because of an untrusted signer', async () => {
    const stranger = await mintIssuerPki({
      root: { subject: 'C=DE,O=Other Trust,CN=Other Root CA' },
      leaf: { extendedKeyUsage: [MDOC_SIGNER] },
    })
    await expectUnavailable(lists.publishCwt([STATUS.valid], stranger))
  })

  it('is 503 because it is unavailable or has no such entry', async () => {
    const uri = lists.publishCwt([STATUS.valid], person.pki)
    await expectUnavailable(uri, 4)
    const gone = lists.publishCwt([STATUS.valid], person.pki)
    lists.withdraw(gone)
    await expectUnavailable(gone)
  })
})
