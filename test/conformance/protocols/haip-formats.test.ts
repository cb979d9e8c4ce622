// `haip-1.0`: HAIP 1.0 requirements for flows (§5) and for credentials in both formats (§6, §7), by name. The
// rest is in test/conformance/protocols/haip.test.ts.

import '../../support/reflect-metadata.ts'

import * as x509 from '@peculiar/x509'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from '../../support/browser/browser.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import {
  type ListSigner,
  STATUS,
  type StatusLists,
  startStatusLists,
} from '../../support/certificates/status-lists.ts'
import { madeMdocAgeOf } from '../../support/people/made-mdoc.ts'
import { makeMdocPerson, mdocAgeOf, mdocOf } from '../../support/people/mdoc-person.ts'
import { AGE, ageOf, certified, presentationOf, queryFor, type Telling } from '../../support/people/person.ts'
import type { Presentations } from '../../support/people/wallet.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { type Begun, begin, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const AUTHORITY = 'c3'.repeat(20)
const keyIdentifier = {
  oid: '2.5.29.35',
  critical: false,
  value: new Uint8Array(new x509.AuthorityKeyIdentifierExtension(AUTHORITY).value),
}
const [pki, mdocPerson] = await Promise.all([
  mintIssuerPki({ leaf: { extensions: [keyIdentifier] } }),
  makeMdocPerson(),
])
const HAIP = { ...OVER_18, protocol: 'haip-1.0' }

let rp: RelyingParty
let lists: StatusLists
beforeAll(async () => {
  lists = await startStatusLists(stage.authority.iss, stage.authority.key)
  const { jwks: _, issuer: _issuer, ...anchor } = stage.authority.anchor()
  const trust_anchors = [{ ...anchor, x509_ca_pem: pki.root.pem }, mdocPerson.anchor()]
  rp = await relyingPartyOf(stage, { trust_anchors })
})
afterAll(() => lists?.close())

/** Presents, and returns the HTTP status, the session's status and its reason. */
async function outcomeOf({ session, request }: Begun, presentations: Presentations) {
  const { status: http } = await stage.service.wallet.present(request, presentations)
  const { status, attempts, reason } = await rp.poll(session.verification_id)
  return [http, status, (status === 'pending' ? attempts.at(-1)?.reason : reason)?.code]
}

it('HAIP §5.1, H3: the links to a wallet have only client_id, request_uri and request_uri_method', async () => {
  const { wallet_request } = await rp.create(HAIP)
  for (const link of Object.values(wallet_request.wallet_links)) {
    const names = [...new URL(link).searchParams.keys()]
    expect(names).toEqual(['client_id', 'request_uri', 'request_uri_method'])
  }
  const response = await stage.service.fetch(wallet_request.request_uri)
  expect(response.headers.get('content-type')).toBe('application/oauth-authz-req+jwt')
})

it('HAIP §5, H7: the service accepts only a credential of an authority that trusted_authorities (aki) names', async () => {
  for (const [identifier, expected] of [
    [AUTHORITY, [200, 'verified', undefined]],
    ['d4'.repeat(20), [400, 'pending', 'query_not_satisfied']],
  ] as const) {
    const values = [Buffer.from(identifier, 'hex').toString('base64url')]
    const adult = { id: 'adult', format: 'dc+sd-jwt', meta: { vct_values: [AGE] } }
    const query = { ...adult, trusted_authorities: [{ type: 'aki', values }] }
    const begun = await begin(stage, { dcql_query: { credentials: [query] }, protocol: 'haip-1.0' }, { rp })
    const adultOnly = { adult: [await presentationOf(stage.person, AGE, begun.request, certified(pki))] }
    expect(await outcomeOf(begun, adultOnly)).toEqual(expected)
  }
})

it('HAIP §5.1, H8: on one device, a session is verified only after its own browser returns', async () => {
  const session = await rp.create({ ...HAIP, required_session_binding: 'page' })
  expect(session.wallet_request).toBe(null)
  const [browser, other] = [openBrowser(stage.service), openBrowser(stage.service)]
  const respondBy = async (uri: string) => {
    const request = await stage.service.wallet.receive(uri, { protocol: 'haip-1.0' })
    const answer = await stage.service.wallet.present(
      request,
      await ageOf(stage.person, request, certified(pki)),
    )
    return ((await expectStatus(answer, 200)) as { redirect_uri: string }).redirect_uri
  }
  const stolen = await respondBy(await browser.link(session))
  expect((await rp.poll(session.verification_id)).status).toBe('pending')
  expect((await other.completeReturn(stolen)).status).toBeGreaterThanOrEqual(400)
  expect((await rp.poll(session.verification_id)).status).toBe('pending')
  await expectStatus(await browser.completeReturn(await respondBy(await browser.link(session))), 200)
  expect(await rp.poll(session.verification_id)).toMatchObject({
    status: 'verified',
    session_binding: 'page',
  })
})

it('HAIP §5.3.1, H11: the service accepts a DeviceResponse with one document, and refuses a DeviceResponse with two documents', async () => {
  const begun = await begin(stage, HAIP, { rp })
  const twice = await madeMdocAgeOf(mdocPerson, begun.request, {
    response: (response) =>
      void Object.assign(response, { documents: [response.documents, response.documents].flat() }),
  })
  expect(await outcomeOf(begun, twice)).toEqual([400, 'pending', 'malformed_credential'])
  const once = await madeMdocAgeOf(mdocPerson, begun.request, {})
  expect(await outcomeOf(begun, once)).toEqual([200, 'verified', undefined])
})

it.each([
  ['valid', [200, 'verified', undefined]],
  ['invalid', [200, 'rejected', 'credential_revoked']],
] as const)(
  'HAIP §5.3.1, H11: the service verifies or rejects an mdoc by its entry on a status list: %s',
  async (entry, expected) => {
    const uri = lists.publishCwt([STATUS[entry]], mdocPerson.pki)
    const begun = await begin(stage, HAIP, { rp })
    const presented = await madeMdocAgeOf(mdocPerson, begun.request, {
      mso: { status: { status_list: { idx: 0, uri } } },
    })
    expect(await outcomeOf(begun, presented)).toEqual(expected)
  },
)

it.each([
  ['with certificates and a valid entry: verified', 'valid', true, [200, 'verified', undefined]],
  [
    'with certificates and an invalid entry: rejected',
    'invalid',
    true,
    [200, 'rejected', 'credential_revoked'],
  ],
  ['without certificates: 503', 'valid', false, [503, 'pending', 'status_unavailable']],
] as const)(
  'HAIP §6.1, H12: the service handles a Status List Token %s',
  async (_, entry, chained, expected) => {
    const telling = certified(pki)
    const signer = { ...telling.issuer, ...(chained && { x5c: telling.x5c }) } as ListSigner
    const uri = lists.publish([STATUS[entry]], { iss: undefined }, signer)
    const begun = await begin(stage, HAIP, { rp })
    const status = { status_list: { idx: 0, uri } }
    const listed: Telling = { ...telling, claims: { ...telling.claims, status } }
    expect(await outcomeOf(begun, await ageOf(stage.person, begun.request, listed))).toEqual(expected)
  },
)

it('HAIP §7, H13: the service offers ES256 for the issuer and the device of an mdoc, as both COSE algorithms -7 and -9', async () => {
  const { request } = await begin(stage, HAIP, { rp })
  const { vp_formats_supported } = request.payload.client_metadata as { vp_formats_supported?: unknown }
  expect(vp_formats_supported).toMatchObject({
    mso_mdoc: {
      issuerauth_alg_values: expect.arrayContaining([-7, -9]),
      deviceauth_alg_values: expect.arrayContaining([-7, -9]),
    },
  })
})

const MDL = 'org.iso.18013.5.1.mDL'

it.each(['sd_jwt_vc', 'iso_mdl'])(
  'H14: the service verifies a response with x509_hash, request_uri and direct_post.jwt, as in the HAIP plan of the OpenID suite, in the format %s',
  async (format) => {
    const isMdl = format === 'iso_mdl'
    const policy = isMdl ? { ...HAIP, credential_types: ['mdl'] } : HAIP
    const begun = await begin(stage, policy, { rp })
    const { client_id, response_mode } = begun.request.payload
    expect([client_id.split(':')[0], response_mode]).toEqual(['x509_hash', 'direct_post.jwt'])
    const nameSpaces = { 'org.iso.18013.5.1': { age_over_18: true } }
    const presentations = isMdl
      ? { [queryFor(begun.request, MDL)]: [await mdocOf(mdocPerson, MDL, nameSpaces, begun.request)] }
      : await ageOf(stage.person, begun.request, certified(pki))
    expect(await outcomeOf(begun, presentations)).toEqual([200, 'verified', undefined])
  },
)

it('H14: the service verifies the age attestation of the OpenID suite as mdoc if both formats are requested', async () => {
  const begun = await begin(stage, HAIP, { rp })
  expect(await outcomeOf(begun, await mdocAgeOf(mdocPerson, begun.request))).toEqual([
    200,
    'verified',
    undefined,
  ])
})
