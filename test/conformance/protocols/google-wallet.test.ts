// api/protocols, api/verifier: metadata for Google Wallet in the one request that it answers. The wallet is a
// fake of its documentation: it refuses a request without the metadata, or with other metadata than the
// metadata of the certificate.

import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { mintLeaf, mintRoot, tlv } from '../../support/certificates/certificates.ts'
import { expectStatus, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'
import type { DigitalRequest } from '../../support/wallets/fake-wallet.ts'
import { makeHoldings } from '../../support/wallets/holdings.ts'
import { googleWallet } from '../../support/wallets/world/google-wallet.ts'

const stage = useStage()
const SHOP = 'https://shop.example'
const { holdings, anchors } = await makeHoldings()
const root = await mintRoot()

const DISPLAY = {
  display_name: 'Shop',
  logo_uri: 'https://shop.example/logo.png',
  privacy_policy_uri: 'https://shop.example/privacy',
}
const MDL = { credential_types: ['mdl'], scope: ['age_over_21'] }

type Shown = {
  readonly google_wallet: { readonly rp_metadata_bytes: string; readonly rp_metadata_sha256: string } | null
  readonly warnings: readonly { readonly code: string }[]
}

async function identity(metadataDigest?: string) {
  const value = metadataDigest && tlv(4, Buffer.from(metadataDigest, 'hex'))
  const extensions = value ? [{ oid: '1.3.6.1.4.1.11129.10.1', critical: false, value }] : []
  const leaf = await mintLeaf(root, { subject: 'CN=Shop', extensions })
  const { kty, crv, x, y, d } = leaf.privateJwk
  return { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: leaf.pem }
}

const shop = async (settings: object = {}) =>
  relyingPartyOf(stage, { verifier: await identity(), origins: [SHOP], trust_anchors: anchors, ...settings })

const change = async (rp: RelyingParty, body: object) =>
  (await expectStatus(await rp.call('PATCH', '/v1/relying_party', { body }), 200)) as Shown

async function requestsOf(rp: RelyingParty, id: string): Promise<readonly DigitalRequest[]> {
  const asked = await rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: {} })
  const { digital } = (await expectStatus(asked, 200)) as { digital: { requests: DigitalRequest[] } }
  return digital.requests
}

const metadataIn = ({ data }: DigitalRequest) => {
  const claims = typeof data.request === 'string' ? decodeJwt(data.request) : data
  return (claims.client_metadata as { gw_rp_metadata_bytes?: string } | undefined)?.gw_rp_metadata_bytes
}

const surroundings = { fetch, verifierCa: root.pem, holdings }
const answer = (digital: DigitalRequest | undefined) =>
  googleWallet.answer({ digital: digital as DigitalRequest, origin: SHOP }, surroundings)

describe('Google Wallet', () => {
  it('answers a request if the certificate has the digest of the metadata in the request, and the session is verified', async () => {
    const rp = await shop({ google_wallet: DISPLAY })
    const { google_wallet } = (await expectStatus(await rp.call('GET', '/v1/relying_party'), 200)) as Shown
    const verifier = await identity(google_wallet?.rp_metadata_sha256)
    expect((await change(rp, { verifier })).warnings).toEqual([])
    const { verification_id: id } = await rp.create(MDL)
    const [signed] = await requestsOf(rp, id)
    const answered = await answer(signed)
    if (!('credential' in answered)) throw new Error(JSON.stringify(answered))
    expect(answered.disclosed.map(({ claim }) => claim)).toEqual(['age_over_21'])
    await expectStatus(await rp.call('POST', `/v1/verify/${id}/dc-api`, { body: answered.credential }), 200)
    expect((await rp.poll(id)).status).toBe('verified')
  })

  it('refuses a request whose certificate is for other metadata, and the settings warn of this mismatch', async () => {
    const rp = await shop({ google_wallet: DISPLAY })
    const verifier = await identity('00'.repeat(32))
    expect((await change(rp, { verifier })).warnings).toMatchObject([{ code: 'google_metadata_mismatch' }])
    const [signed] = await requestsOf(rp, (await rp.create(MDL)).verification_id)
    expect(await answer(signed)).toEqual({ refused: 'the certificate has the hash of other metadata' })
  })

  it('refuses the request of a relying party without metadata', async () => {
    const rp = await shop()
    const [signed] = await requestsOf(rp, (await rp.create(MDL)).verification_id)
    expect(await answer(signed)).toEqual({ refused: 'gw_rp_metadata_bytes is missing' })
  })
})

describe('client_metadata.gw_rp_metadata_bytes', () => {
  it('is in the signed request of the Digital Credentials API, and in no other request', async () => {
    const rp = await shop({ google_wallet: DISPLAY })
    const { verification_id, wallet_request } = await rp.create(MDL)
    const [signed, ...others] = await requestsOf(rp, verification_id)
    expect(signed && metadataIn(signed)).toMatch(/^2Bh/)
    expect(others.map(({ protocol }) => protocol)).toEqual(['openid4vp-v1-unsigned', 'org-iso-mdoc'])
    expect(others.map(metadataIn)).toEqual([undefined, undefined])
    const fetched = await stage.service.fetch(wallet_request.request_uri)
    expect(decodeJwt(await fetched.text()).client_metadata).not.toHaveProperty('gw_rp_metadata_bytes')
  })

  it('is absent with the Client Identifier Prefix decentralized_identifier', async () => {
    const rp = await shop({ google_wallet: DISPLAY })
    const options = { request_options: { client_id_prefix: 'decentralized_identifier' } }
    const { verification_id } = await rp.create({ ...MDL, ...options })
    expect((await requestsOf(rp, verification_id)).map(metadataIn)).toEqual([undefined, undefined, undefined])
  })

  it('stays the same for the whole session, even if the settings change', async () => {
    const rp = await shop({ google_wallet: DISPLAY })
    const { verification_id } = await rp.create(MDL)
    const [before] = await requestsOf(rp, verification_id)
    await change(rp, { google_wallet: null })
    const [after] = await requestsOf(rp, verification_id)
    expect(after && metadataIn(after)).toBe(before && metadataIn(before))
  })
})
