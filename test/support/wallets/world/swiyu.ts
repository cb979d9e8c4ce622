// swiyu, the wallet of Switzerland. A verifier is a DID in the Swiss registry, which signs by the key of its
// `kid`. No Client Identifier of this service is such a DID. How the wallet answers such a verifier is not in
// this fake.

import { type FakeWallet, fakeWallet, refuse, refuseUnless } from '../fake-wallet.ts'
import { decodeRequestObject, fetchRequestObject, parametersOf } from '../request-object.ts'

const SCHEMES = ['https:', 'openid4vp:', 'swiyu-verify:']
const DID = /^(decentralized_identifier:)?did:(tdw|webvh):/

export const swiyu: FakeWallet = fakeWallet({
  id: 'swiyu',
  source: [
    {
      repository: 'swiyu-admin-ch/eidch-android-wallet',
      commit: 'f7fb6ea5e2f99740869e2ccd8c3551848970e644',
      files: [
        'app/build.gradle.kts',
        'app/src/main/java/ch/admin/foitt/wallet/platform/credentialPresentation/domain/usecase/implementation/ValidatePresentationRequestImpl.kt',
        'app/src/main/java/ch/admin/foitt/wallet/platform/invitation/domain/usecase/implementation/GetPresentationRequestFromUriImpl.kt',
      ],
    },
    {
      documentation: [
        'https://swiyu-admin-ch.github.io/specifications/interoperability-profile/',
        'https://swiyu-admin-ch.github.io/specifications/swiss-profile-verification/',
      ],
    },
  ],
  read: '2026-11-22',
  silent: ['dcql'],
  answer: async (invocation, surroundings) => {
    if ('digital' in invocation) return refuse('no Digital Credentials API')
    const { link } = invocation
    refuseUnless(SCHEMES.includes(new URL(link).protocol), 'invalid presentation scheme')
    const { client_id: clientId, request_uri: uri } = parametersOf(link)
    if (uri === undefined) return refuse('no request_uri')
    const { header, payload } = decodeRequestObject((await fetchRequestObject(uri, surroundings)).text)
    refuseUnless(header.typ === 'oauth-authz-req+jwt', 'typ is not oauth-authz-req+jwt')
    refuseUnless(payload.client_id === clientId, 'client_id differs from the link')
    refuseUnless(header.alg === 'ES256', 'the algorithm is not ES256')
    refuseUnless(header.kid !== undefined, 'kid is missing')
    refuseUnless(payload.aud === 'https://self-issued.me/v2' || payload.aud === payload.iss, 'another aud')
    refuseUnless(payload.transaction_data === undefined, 'transaction_data is not supported')
    refuseUnless(DID.test(payload.client_id), 'the verifier is not in the Swiss registry')
    return refuse('answers to Swiss verifiers are not in this fake')
  },
})
