// OpenID4VP 1.0 §5.1: a relying party's registration in its requests, in the form that EU wallets expect. The
// wallet is a foreign wallet.

import { encode } from 'cborg'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { receiveDigital } from '../../support/people/dc-api-wallet.ts'
import { makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import { createWallet, type ReceivedRequest } from '../../support/people/wallet.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { begin, relyingPartyOf, useStage } from '../../support/service/stage.ts'
import { identityOf } from '../../support/wallets/good-request.ts'
import { readMultiSigned } from '../../support/wallets/multi-signed.ts'

const stage = useStage()
const holder = await makeMdocPerson()
const SHOP = 'https://shop.example'

const accessAuthority = await mintRoot({ subject: 'CN=Access certificates' })
const leaf = await mintLeaf(accessAuthority, { altNames: [{ type: 'dns', value: 'verifier.example' }] })
const registrar = await mintLeaf(await mintRoot({ subject: 'CN=Registrar' }))
const second = await mintLeaf(accessAuthority)
const certify = (value: string) =>
  new SignJWT({ sub: 'VATDE-1', purpose: [{ lang: 'en', value }] })
    .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt', x5c: [registrar.x5c] })
    .sign(registrar.keys.privateKey)
const [certificate, other] = [await certify('Age check'), await certify('Delivery')]
const dataset = {
  identifier: 'VATDE-1',
  srvDescription: [{ lang: 'en', content: 'A shop' }],
  registryURI: 'https://registrar.example/api',
  intendedUseIdentifier: 'use-1',
  purpose: [{ lang: 'en', content: 'Age check' }],
  policyURI: 'https://shop.example/privacy',
}

const asWritten = { base64url: Buffer.from(certificate).toString('base64url'), compact: certificate }

function shop(encoding?: 'base64url' | 'compact', text = certificate): Promise<RelyingParty> {
  const { kty, crv, x, y, d } = leaf.privateJwk
  const registration = { certificate: text, dataset, ...(encoding && { encoding }) }
  const verifier = { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: leaf.pem, registration }
  return relyingPartyOf(stage, { verifier, origins: [SHOP], trust_anchors: [holder.anchor()] })
}

/** A shop with a registration for one intended use, and a further identity with the default alone. */
function shopOfUses(): Promise<RelyingParty> {
  const registration = { certificate, dataset }
  const uses = [{ intended_use: 'delivery', certificate: other, dataset }]
  const further = [{ ...identityOf(second), registration }]
  const verifier = { ...identityOf(leaf), registration, uses, further }
  return relyingPartyOf(stage, { verifier, origins: [SHOP], trust_anchors: [holder.anchor()] })
}

/** Creates a wallet that trusts the authority of access certificates and ignores unknown members. */
const wallet = () => createWallet({ fetch: stage.service.fetch, verifierCa: accessAuthority.pem })

async function receive(rp: RelyingParty, protocol: string): Promise<[string, ReceivedRequest]> {
  const { verification_id, wallet_request } = await rp.create({ ...OVER_18, formats: ['mso_mdoc'], protocol })
  return [verification_id, await wallet().receive(wallet_request.uri, { protocol })]
}

const infoIn = ({ requestObject }: ReceivedRequest) => decodeJwt(requestObject).verifier_info
const headerIn = ({ requestObject }: ReceivedRequest) => decodeProtectedHeader(requestObject)

const CELLS = ['openid4vp-1.0', 'haip-1.0'].flatMap((protocol) =>
  (['base64url', 'compact'] as const).map((encoding) => [protocol, encoding] as const),
)

describe('OpenID4VP 1.0 §5.1: verifier_info', () => {
  it.each(CELLS)(
    'OpenID4VP 1.0 §5.1: verifier_info in %s has the registered data and the certificate encoded as %s; the response verifies',
    async (...cell) => {
      const [protocol, encoding] = cell
      const rp = await shop(encoding)
      const [id, request] = await receive(rp, protocol)
      expect(infoIn(request)).toEqual([
        { format: 'registrar_dataset', data: dataset },
        { format: 'registration_cert', data: asWritten[encoding] },
      ])
      expect(headerIn(request).iat).toBe(decodeJwt(request.requestObject).iat)
      const answer = await wallet().present(request, await mdocAgeOf(holder, request))
      expect([answer.status, (await rp.poll(id)).status]).toEqual([200, 'verified'])
    },
  )

  it('is absent in an unsigned request, because no signature binds it to the verifier', async () => {
    const rp = await shop()
    const options = { request_options: { client_id_prefix: 'redirect_uri' } }
    const { wallet_request } = await rp.create({ ...OVER_18, formats: ['mso_mdoc'], ...options })
    expect((await wallet().receive(wallet_request.uri)).payload).not.toHaveProperty('verifier_info')
  })

  it('uses the encoding compact by default, and the settings show the registration without the private key', async () => {
    const rp = await shop()
    const [, request] = await receive(rp, 'openid4vp-1.0')
    expect(infoIn(request)).toMatchObject([{}, { data: asWritten.compact }])
    const shown = (await expectStatus(await rp.call('GET', '/v1/relying_party'), 200)) as { verifier: object }
    const registration = { certificate, dataset, encoding: 'compact' }
    expect(shown.verifier).toEqual({
      certificate: expect.objectContaining({ dns_names: ['verifier.example'] }),
      certificate_chain_pem: leaf.pem,
      root_certificate_pem: null,
      attestation_jwt: null,
      registration,
      uses: [],
      further: [],
      reader_certificates: [],
    })
  })

  it.each(['base64url', 'compact'] as const)(
    'contains a CWT in base64url if the setting `encoding` is %s',
    async (encoding) => {
      const header = encode(
        new Map<number, unknown>([
          [1, -7],
          [16, 'rc-wrp+cwt'],
        ]),
      )
      const cwt = encode([header, new Map(), encode({ sub: 'VATDE-1' }), new Uint8Array(64)])
      const text = Buffer.from(cwt).toString('base64url')
      const [, request] = await receive(await shop(encoding, text), 'openid4vp-1.0')
      expect(infoIn(request)).toMatchObject([{}, { format: 'registration_cert', data: text }])
    },
  )

  it('stays the same for the whole session, even if the settings change', async () => {
    const rp = await shop()
    const { wallet_request } = await rp.create()
    await expectStatus(await rp.call('PATCH', '/v1/relying_party', { body: { verifier: null } }), 200)
    expect(infoIn(await wallet().receive(wallet_request.uri))).toHaveLength(2)
  })

  it('is in the signed request of the Digital Credentials API, and not in the unsigned request', async () => {
    const rp = await shop()
    const { verification_id: id } = await rp.create()
    const asked = await rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: {} })
    const { digital } = (await expectStatus(asked, 200)) as {
      digital: {
        requests: [{ protocol: string; data: { request: string } }, { protocol: string; data: object }]
      }
    }
    const [signed, unsigned] = digital.requests
    const browser = { origin: SHOP, verifierCa: accessAuthority.pem, fetch: stage.service.fetch }
    expect(infoIn(await receiveDigital(signed, browser))).toHaveLength(2)
    expect(decodeProtectedHeader(signed.data.request).iat).toBe(decodeJwt(signed.data.request).iat)
    expect(unsigned.data).not.toHaveProperty('verifier_info')
  })

  it('is the registration for the requested intended use, also in the request for a chosen wallet with x509_hash', async () => {
    const rp = await shopOfUses()
    const options = {
      request_options: { client_id_prefix: 'x509_san_dns', response_mode: 'direct_post.jwt' },
      formats: ['mso_mdoc'],
    }
    for (const [intended_use, expected] of [
      ['delivery', other],
      [undefined, certificate],
    ]) {
      const members = { ...OVER_18, ...options, ...(intended_use && { intended_use }) }
      for (const chosen of [{}, { wallet: 'france-identite' }]) {
        const { wallet_request } = await rp.create({ ...members, ...chosen })
        const request = await wallet().receive(wallet_request.uri)
        const prefix = 'wallet' in chosen ? 'x509_hash' : 'x509_san_dns'
        expect(request.payload.client_id.split(':')[0]).toBe(prefix)
        expect(infoIn(request)).toMatchObject([{}, { data: expected }])
      }
    }
  })

  it('is absent from the signature of a further identity that has no registration for the requested intended use', async () => {
    const rp = await shopOfUses()
    const infosFor = async (members: object) => {
      const { verification_id: id } = await rp.create({ ...OVER_18, ...members })
      const asked = await rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: {} })
      const { digital } = (await expectStatus(asked, 200)) as { digital: { requests: { data: object }[] } }
      const data = (digital.requests[0]?.data ?? {}) as Record<string, unknown>
      const read = await readMultiSigned(data, { origin: SHOP, verifierCa: accessAuthority.pem })
      return read.identities.map(({ verifierInfo }) => (verifierInfo as { data: unknown }[])?.[1]?.data)
    }
    expect(await infosFor({})).toEqual([certificate, certificate])
    expect(await infosFor({ intended_use: 'delivery' })).toEqual([other, undefined])
  })

  it('is absent in the drafts of OpenID4VP', async () => {
    const [, request] = await receive(await shop(), 'openid4vp-draft24')
    expect(request.payload).not.toHaveProperty('verifier_info')
    expect(headerIn(request)).not.toHaveProperty('iat')
  })

  it("is absent if the request is signed under the service's own certificate", async () => {
    const { request } = await begin(stage)
    expect(request.payload).not.toHaveProperty('verifier_info')
    expect(headerIn(request)).not.toHaveProperty('iat')
  })
})
