// api/evidence: status lists and revocation lists that a decision used are fetched by their digests. The
// offline verifier checks them again, and says if one is missing.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyContainer } from '../../../packages/evidence/src/evidence.ts'
import { type IssuerPki, mintIssuerPki, mintLeaf } from '../../support/certificates/certificates.ts'
import { makeCrl } from '../../support/certificates/crl.ts'
import { type CrlServer, startCrlServer } from '../../support/certificates/crl-server.ts'
import { STATUS, type StatusLists, startStatusLists } from '../../support/certificates/status-lists.ts'
import { MDOC_SIGNER } from '../../support/people/mdoc.ts'
import { certified, type Telling } from '../../support/people/person.ts'
import { fetchWithMaterials, type Keeper, newKeeper, openChecks } from '../../support/service/evidence.ts'
import { OVER_18 } from '../../support/service/service.ts'
import { finish, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
let lists: StatusLists
let revocation: CrlServer
let pki: IssuerPki

beforeAll(async () => {
  ;[lists, revocation, pki] = await Promise.all([
    startStatusLists(stage.authority.iss, stage.authority.key),
    startCrlServer(),
    mintIssuerPki(),
  ])
})
afterAll(() => Promise.all([lists?.close(), revocation?.close()]))

const keeperOf = (settings: object = {}, evidence: object = {}) =>
  newKeeper(stage.service, (given) => relyingPartyOf(stage, { ...settings, ...given }), {
    for: 'all',
    ...evidence,
  })

const onList = (uri: string): Telling => ({ claims: { status: { status_list: { idx: 0, uri } } } })

/** Ends a session, and fetches its evidence. */
async function evidenceOf(keeper: Keeper, telling: Telling) {
  const { session } = await finish(stage, telling, OVER_18, keeper.rp)
  const id = session.verification_id
  return { id, ...(await fetchWithMaterials(keeper, id)) }
}

const reportOf = async (zip: Uint8Array) => (await verifyContainer(zip)).report

describe('api/evidence: a status list', () => {
  it.each([
    ['valid', 'verified'],
    ['invalid', 'rejected'],
    ['suspended', 'rejected'],
  ] as const)(
    'api/evidence: a status list with the entry %s is checked again by the offline verifier',
    async (entry, status) => {
      const keeper = await keeperOf({}, { outcomes: ['verified', 'rejected'] })
      const { named, whole, bare, id } = await evidenceOf(keeper, onList(lists.publish([STATUS[entry]])))
      expect((await keeper.rp.poll(id)).status).toBe(status)
      expect(named).toMatchObject([{ media_type: 'application/statuslist+jwt' }])
      expect(openChecks(await reportOf(whole))).toEqual([])
      expect(openChecks(await reportOf(bare))).toEqual([
        'file: the material is missing: add it with `evidence open --materials`',
        'presentation: not_in_evidence',
        'decision: not_in_evidence',
      ])
    },
  )

  it('api/evidence: a status list is named as missing if it was unavailable and the settings accept an unavailable status', async () => {
    const keeper = await keeperOf({ status_unavailable: 'accept' })
    const uri = lists.publish([STATUS.valid])
    lists.withdraw(uri)
    const { named, whole } = await evidenceOf(keeper, onList(uri))
    expect(named).toEqual([])
    const report = await reportOf(whole)
    expect(openChecks(report)).toEqual(['missing: not_in_evidence'])
    expect(report.checks.at(-1)?.detail).toBe('status: accepted_as_unavailable')
  })
})

describe('api/evidence: a revocation list', () => {
  it('is checked again by the offline verifier', async () => {
    const url = revocation.place()
    const now = Math.floor(Date.now() / 1000)
    revocation.publish(url, await makeCrl(pki.intermediate, now, { revoked: ['01'] }))
    const anchor = {
      name: 'Test issuer',
      credential_types: ['age_attestation'],
      assurance_level: 'substantial',
      x509_ca_pem: pki.root.pem,
    }
    const keeper = await keeperOf({ certificate_revocation: 'require', trust_anchors: [anchor] })
    const options = { keys: pki.leaf.keys, crls: [url], extendedKeyUsage: [MDOC_SIGNER] }
    const leaf = await mintLeaf(pki.intermediate, options)
    const { named, whole, bare } = await evidenceOf(keeper, certified({ ...pki, leaf }))
    expect(named).toMatchObject([{ media_type: 'application/pkix-crl' }])
    expect(openChecks(await reportOf(whole))).toEqual([])
    expect(openChecks(await reportOf(bare))).toContain('presentation: not_in_evidence')
  })
})
