// OpenID4VP 1.0 A.3.2.2: a relying party with several identities asks with one multi-signed request. The
// wallet reads it by a strict reader of its own, and trusts one authority only.

import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { verifyContainer } from '../../../packages/evidence/src/evidence.ts'
import { showText } from '../../../packages/evidence/src/show.ts'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { ageOf } from '../../support/people/person.ts'
import { createWallet } from '../../support/people/wallet.ts'
import {
  fetchEvidence,
  fetchWithMaterials,
  jsonOf,
  newKeeper,
  openChecks,
  textOf,
} from '../../support/service/evidence.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'
import type { DigitalRequest } from '../../support/wallets/fake-wallet.ts'
import { identityOf } from '../../support/wallets/good-request.ts'
import { makeHoldings } from '../../support/wallets/holdings.ts'
import { readMultiSigned } from '../../support/wallets/multi-signed.ts'
import { googleWallet } from '../../support/wallets/world/google-wallet.ts'

const stage = useStage()
const SHOP = 'https://shop.example'
const MULTI = 'openid4vp-v1-multisigned'
const [eu, apple] = await Promise.all(['CN=EU access', 'CN=Apple'].map((subject) => mintRoot({ subject })))
const soon = new Date(Math.floor(Date.now() / 1000) * 1000 + 9 * 86_400_000)
const [euLeaf, appleLeaf] = await Promise.all([mintLeaf(eu!), mintLeaf(apple!, { notAfter: soon })])
const VERIFIER = { ...identityOf(euLeaf), further: [identityOf(appleLeaf)] }
const MODES = ['direct_post.jwt', 'direct_post'] as const

let rp: RelyingParty
beforeAll(async () => {
  rp = await relyingPartyOf(stage, { origins: [SHOP], verifier: VERIFIER })
})

async function ask(party: RelyingParty, id: string, body: object = {}): Promise<readonly DigitalRequest[]> {
  const asked = await party.call('POST', `/v1/verify/${id}/dc-api/request`, { body })
  return ((await expectStatus(asked, 200)) as { digital: { requests: DigitalRequest[] } }).digital.requests
}

const protocolsOf = (requests: readonly DigitalRequest[]) => requests.map(({ protocol }) => protocol)

/** The answer of a wallet that trusts one authority. */
async function answer(request: DigitalRequest | undefined, verifierCa = apple!.pem) {
  const { payload } = await readMultiSigned(request?.data ?? {}, { origin: SHOP, verifierCa })
  const received = { uri: MULTI, requestObject: '', payload, mdocNonce: '' } as never
  const browser = { origin: SHOP, verifierCa, fetch: stage.service.fetch }
  const presentations = await ageOf(stage.person, received, { audience: `origin:${SHOP}` })
  return respondDigital(received, presentations, browser)
}

const send = (party: RelyingParty, id: string, body: object) =>
  party.call('POST', `/v1/verify/${id}/dc-api`, { body })

const receiptOf = async (party: RelyingParty, id: string) =>
  decodeJwt(await (await party.call('GET', `/v1/verify/${id}/receipt`)).text())

/** Time at which the first certificate of a relying party expires, as the operator sees it. */
async function expiryOf({ relying_party_id }: RelyingParty): Promise<number> {
  type Row = { readonly relying_party_id: string; readonly verifier_certificate_expires_at: string }
  let row: Row | undefined
  for (let cursor = '0'; row === undefined; ) {
    const list = await stage.service.admin('GET', `?limit=100&after=${cursor}`)
    const { relying_parties, next_cursor } = (await list.json()) as {
      relying_parties: readonly Row[]
      next_cursor: string | null
    }
    row = relying_parties.find((one) => one.relying_party_id === relying_party_id)
    if (next_cursor === null) break
    cursor = next_cursor
  }
  return Date.parse(row?.verifier_certificate_expires_at ?? '')
}

describe('a relying party with two identities', () => {
  it.each(MODES)(
    'offers its request under three protocols of the Digital Credentials API, and the response verifies: %s',
    async (response_mode) => {
      const { verification_id: id } = await rp.create({ ...OVER_18, request_options: { response_mode } })
      const requests = await ask(rp, id)
      expect(protocolsOf(requests).slice(0, 3)).toEqual([
        MULTI,
        'openid4vp-v1-signed',
        'openid4vp-v1-unsigned',
      ])
      const sent = await send(rp, id, await answer(requests[0]))
      expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified', channel: 'dc_api' })
    },
  )

  it('is accepted by a wallet that trusts only one of its two authorities, and every signature is valid', async () => {
    for (const root of [eu!, apple!]) {
      const { verification_id: id } = await rp.create(OVER_18)
      const [multi] = await ask(rp, id)
      const read = await readMultiSigned(multi?.data ?? {}, { origin: SHOP, verifierCa: root.pem })
      expect(read.identities.map(({ fault }) => fault)).toEqual([null, null])
      const sent = await send(rp, id, await answer(multi, root.pem))
      expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified' })
    }
  })

  it('sees the offered identities in the result and the receipt, with the first identity as client_id', async () => {
    const { verification_id: id, wallet_request } = await rp.create(OVER_18)
    const [multi] = await ask(rp, id)
    const { identities } = await readMultiSigned(multi?.data ?? {}, { origin: SHOP, verifierCa: eu!.pem })
    const ids = identities.map(({ clientId }) => clientId)
    expect(ids).toHaveLength(2)
    expect(await rp.poll(id)).toMatchObject({ offered_client_ids: null })
    await expectStatus(await send(rp, id, await answer(multi)), 200)
    expect(await rp.poll(id)).toMatchObject({ offered_client_ids: ids })
    expect(await receiptOf(rp, id)).toMatchObject({
      offered_client_ids: ids,
      client_id: wallet_request.client_id,
    })
    expect(ids[0]).toBe(wallet_request.client_id)
  })

  it('sees the offered identities also after the person declined in the wallet', async () => {
    const { verification_id: id } = await rp.create({
      ...OVER_18,
      request_options: { response_mode: 'direct_post' },
    })
    await ask(rp, id)
    await expectStatus(await send(rp, id, { protocol: MULTI, data: { error: 'access_denied' } }), 200)
    expect(await rp.poll(id)).toMatchObject({
      status: 'declined',
      offered_client_ids: [{}, {}].map(() => expect.any(String)),
    })
  })

  it('keeps the old identities in a running session when its settings change', async () => {
    const party = await relyingPartyOf(stage, { origins: [SHOP], verifier: VERIFIER })
    const { verification_id: id } = await party.create(OVER_18)
    await expectStatus(
      await party.call('PATCH', '/v1/relying_party', { body: { verifier: identityOf(euLeaf) } }),
      200,
    )
    const sent = await send(party, id, await answer((await ask(party, id))[0]))
    expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified' })
    const { verification_id: next } = await party.create(OVER_18)
    expect(protocolsOf(await ask(party, next))).not.toContain(MULTI)
  })

  it('sees its identities without private keys, and the operator sees the earliest expiry of their certificates', async () => {
    const shown = await expectStatus(await rp.call('GET', '/v1/relying_party'), 200)
    expect(shown).toMatchObject({
      verifier: {
        further: [{ certificate_chain_pem: appleLeaf.pem, registration: null, google_wallet: null }],
      },
    })
    expect(JSON.stringify(shown)).not.toContain(appleLeaf.privateJwk.d)
    expect(await expiryOf(rp)).toBe(soon.getTime())
  })

  it('signs new sessions with the new certificate of its further identity after a rotation, and a running session keeps its signatures', async () => {
    const party = await relyingPartyOf(stage, { origins: [SHOP], verifier: VERIFIER })
    const running = await party.create(OVER_18)
    const later = new Date(soon.getTime() + 86_400_000)
    const rotated = await mintLeaf(apple!, { notAfter: later })
    const body = { verifier: { ...identityOf(euLeaf), further: [identityOf(rotated)] } }
    await expectStatus(await party.call('PATCH', '/v1/relying_party', { body }), 200)
    const next = await party.create(OVER_18)
    const signedBy = async (id: string) => {
      const [multi] = await ask(party, id)
      const { identities } = await readMultiSigned(multi?.data ?? {}, {
        origin: SHOP,
        verifierCa: apple!.pem,
      })
      return identities.map(({ chain, fault }) => [chain[0]?.raw.toString('base64'), fault])
    }
    const first = [euLeaf.x5c, null]
    expect(await signedBy(running.verification_id)).toEqual([first, [appleLeaf.x5c, null]])
    expect(await signedBy(next.verification_id)).toEqual([first, [rotated.x5c, null]])
    expect(await expiryOf(party)).toBe(later.getTime())
    for (const { verification_id: id } of [running, next]) {
      const sent = await send(party, id, await answer((await ask(party, id))[0]))
      expect(await expectStatus(sent, 200)).toMatchObject({ status: 'verified' })
    }
  })
})

describe('evidence of a relying party with two identities', () => {
  it('has the request with both signatures if the wallet answered the multi-signed request, and the offline verifier accepts it', async () => {
    const settings = { origins: [SHOP], verifier: VERIFIER }
    const keeper = await newKeeper(stage.service, (given) => relyingPartyOf(stage, { ...settings, ...given }))
    const { verification_id: id } = await keeper.rp.create({ ...OVER_18, evidence: true })
    const [multi] = await ask(keeper.rp, id)
    await expectStatus(await send(keeper.rp, id, await answer(multi)), 200)
    const { files } = await fetchEvidence(keeper, id)
    expect(jsonOf(files, 'request/request-object.json')).toEqual(multi?.data)
    expect(Object.keys(files)).not.toContain('request/request-object.jwt')
    const receipt = await (await keeper.rp.call('GET', `/v1/verify/${id}/receipt`)).text()
    const { whole } = await fetchWithMaterials(keeper, id)
    const { report, caseFile, decided } = await verifyContainer(whole, { receipt })
    expect(openChecks(report)).toEqual([])
    expect(report.checks.filter((check) => check.id === 'request_signature')).toHaveLength(2)
    const { identities } = await readMultiSigned(multi?.data ?? {}, { origin: SHOP, verifierCa: eu!.pem })
    for (const { clientId } of identities) expect(showText({ report, caseFile, decided })).toContain(clientId)
  })

  it('has the request with one signature if the wallet answered that request', async () => {
    const settings = { origins: [SHOP], verifier: VERIFIER }
    const keeper = await newKeeper(stage.service, (given) => relyingPartyOf(stage, { ...settings, ...given }))
    const { verification_id: id } = await keeper.rp.create({ ...OVER_18, evidence: true })
    const [, signed] = await ask(keeper.rp, id)
    const browser = { origin: SHOP, verifierCa: eu!.pem, fetch: stage.service.fetch }
    const request = await receiveDigital(signed as DigitalRequest, browser)
    const presentations = await ageOf(stage.person, request, { audience: `origin:${SHOP}` })
    await expectStatus(await send(keeper.rp, id, await respondDigital(request, presentations, browser)), 200)
    const { files } = await fetchEvidence(keeper, id)
    expect(textOf(files, 'request/request-object.jwt')).toBe(signed?.data.request)
    expect(Object.keys(files)).not.toContain('request/request-object.json')
    expect(jsonOf(files, 'evidence.json')).toMatchObject({ missing: [] })
  })

  it('says that the answered request is missing if the wallet answered the unsigned request', async () => {
    const settings = { origins: [SHOP], verifier: VERIFIER }
    const keeper = await newKeeper(stage.service, (given) => relyingPartyOf(stage, { ...settings, ...given }))
    const { verification_id: id } = await keeper.rp.create({ ...OVER_18, evidence: true })
    const unsigned = (await ask(keeper.rp, id)).find(({ protocol }) => protocol === 'openid4vp-v1-unsigned')
    const browser = { origin: SHOP, verifierCa: eu!.pem, fetch: stage.service.fetch }
    const request = await receiveDigital(unsigned as DigitalRequest, browser)
    const presentations = await ageOf(stage.person, request, { audience: `origin:${SHOP}` })
    await expectStatus(await send(keeper.rp, id, await respondDigital(request, presentations, browser)), 200)
    const { files } = await fetchEvidence(keeper, id)
    const missing = [{ what: 'request', reason: 'unsigned' }]
    expect(jsonOf(files, 'evidence.json')).toMatchObject({ missing })
    const { whole } = await fetchWithMaterials(keeper, id)
    const verified = await verifyContainer(whole)
    expect(verified.report.result).toBe('incomplete')
    const check = { id: 'missing', result: 'not_in_evidence', detail: 'request: unsigned' }
    expect(verified.report.checks).toContainEqual(expect.objectContaining(check))
    const text = showText(verified)
    expect(text).toContain(`origin:${SHOP}, with an unsigned request`)
    const { client_id } = verified.caseFile.session
    expect(client_id).toMatch(/^x509_hash:/)
    expect(text).not.toContain(client_id)
  })
})

describe('the offered identities', () => {
  it('are null, and absent from the receipt, if the wallet answered outside the Digital Credentials API', async () => {
    const wallet = createWallet({ fetch: stage.service.fetch, verifierCa: eu!.pem })
    const session = await rp.create(OVER_18)
    const request = await wallet.receive(session.wallet_request.uri)
    const { status } = await wallet.present(request, await ageOf(stage.person, request))
    expect(status).toBe(200)
    expect(await rp.poll(session.verification_id)).toMatchObject({
      status: 'verified',
      offered_client_ids: null,
    })
    expect(await receiptOf(rp, session.verification_id)).not.toHaveProperty('offered_client_ids')
  })

  it('if the relying party has only one identity, the service makes no multi-signed request', async () => {
    const party = await relyingPartyOf(stage, { origins: [SHOP], verifier: identityOf(euLeaf) })
    const { verification_id: id } = await party.create(OVER_18)
    const requests = await ask(party, id)
    expect(protocolsOf(requests)).not.toContain(MULTI)
  })
})

describe('a response', () => {
  it('is refused if it names a protocol that the service did not offer, and then verifies with the offered protocol', async () => {
    const party = await relyingPartyOf(stage, { origins: [SHOP], verifier: identityOf(euLeaf) })
    const { verification_id: id } = await party.create(OVER_18)
    const asked = (await ask(party, id)).find(({ protocol }) => protocol === 'openid4vp-v1-unsigned')
    const received = { uri: 'openid4vp-v1-unsigned', requestObject: '', payload: asked?.data, mdocNonce: '' }
    const browser = { origin: SHOP, verifierCa: eu!.pem, fetch: stage.service.fetch }
    const presentations = await ageOf(stage.person, received as never, { audience: `origin:${SHOP}` })
    const good = await respondDigital(received as never, presentations, browser)
    const refused = await send(party, id, { ...good, protocol: MULTI })
    expect(await expectStatus(refused, 400)).toMatchObject({ errors: [{ code: 'malformed_response' }] })
    expect(await expectStatus(await send(party, id, good), 200)).toMatchObject({ status: 'verified' })
  })

  it('to an unsigned request is refused if it names a signed protocol, and then verifies with the unsigned protocol', async () => {
    const options = { request_options: { client_id_prefix: 'redirect_uri' } }
    const { verification_id: id } = await rp.create({ ...OVER_18, ...options })
    const requests = await ask(rp, id)
    expect(protocolsOf(requests).filter((one) => one.startsWith('openid4vp'))).toEqual([
      'openid4vp-v1-unsigned',
    ])
    const received = {
      uri: 'openid4vp-v1-unsigned',
      requestObject: '',
      payload: requests[0]?.data,
      mdocNonce: '',
    }
    const browser = { origin: SHOP, verifierCa: eu!.pem, fetch: stage.service.fetch }
    const presentations = await ageOf(stage.person, received as never, { audience: `origin:${SHOP}` })
    const good = await respondDigital(received as never, presentations, browser)
    for (const protocol of ['openid4vp-v1-signed', MULTI]) {
      const refused = await send(rp, id, { ...good, protocol })
      expect(await expectStatus(refused, 400)).toMatchObject({ errors: [{ code: 'malformed_response' }] })
    }
    expect(await expectStatus(await send(rp, id, good), 200)).toMatchObject({ status: 'verified' })
  })

  it('is made by the wallet only if expected_origins contains the page', async () => {
    const { verification_id: id } = await rp.create(OVER_18)
    const [multi] = await ask(rp, id)
    await expect(
      readMultiSigned(multi?.data ?? {}, { origin: 'https://evil.example', verifierCa: apple!.pem }),
    ).rejects.toThrow('expected_origins lacks the page')
    expect(await expectStatus(await send(rp, id, await answer(multi)), 200)).toMatchObject({
      status: 'verified',
    })
  })
})

describe('Google Wallet, if Google certified only a further identity of the relying party', () => {
  it('is listed as a wallet that can respond, and answers the request that is signed by this identity only', async () => {
    const { holdings, anchors } = await makeHoldings()
    const display = { logo_uri: 'https://shop.example/l.png', privacy_policy_uri: 'https://shop.example/p' }
    const further = [{ ...identityOf(appleLeaf), google_wallet: display }]
    const settings = { origins: [SHOP], verifier: { ...identityOf(euLeaf), further }, trust_anchors: anchors }
    const party = await relyingPartyOf(stage, settings)
    const created = await party.create({ credential_types: ['mdl'], scope: ['age_over_21'] })
    const told = (created as unknown as { wallets: { id: string; result: string }[] }).wallets
    expect(told.find(({ id }) => id === 'google-wallet')?.result).toBe('lowered')
    const { verification_id: id } = created
    const [request] = await ask(party, id, { wallet: 'google-wallet' })
    const world = { fetch, verifierCa: apple!.pem, holdings }
    const answered = await googleWallet.answer({ digital: request as DigitalRequest, origin: SHOP }, world)
    if (!('credential' in answered)) throw new Error(JSON.stringify(answered))
    expect(await expectStatus(await send(party, id, answered.credential), 200)).toMatchObject({
      status: 'verified',
    })
    const { client_id, offered_client_ids } = await receiptOf(party, id)
    expect(client_id).not.toBe(created.wallet_request.client_id)
    expect(offered_client_ids).toBeUndefined()
  })
})
