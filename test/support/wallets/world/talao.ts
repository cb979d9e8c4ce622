// Talao and AltMe. They support presentation definitions of the drafts, and no DCQL: a request of version 1.0
// has nothing that they can answer. How they answer requests of drafts is not in this fake.

import { type FakeWallet, fakeWallet, refuse, refuseUnless } from '../fake-wallet.ts'
import {
  decodeRequestObject,
  dnsNamesOf,
  fetchRequestObject,
  parametersOf,
  verifySignature,
} from '../request-object.ts'

const SCHEMES = ['openid:', 'openid-vc:', 'altme-openid-vc:', 'openid4vp:', 'eudi-openid4vp:', 'haip:']
const MODES = ['post', 'direct_post', 'direct_post.jwt']

export const talao: FakeWallet = fakeWallet({
  id: 'talao',
  source: {
    repository: 'TalaoDAO/AltMe',
    commit: '80d70bc5b72655e200f8f372f28fa0bce7d13f7d',
    files: [
      'android/app/src/main/AndroidManifest.xml',
      'lib/app/shared/helper_functions/helper_functions.dart',
      'lib/dashboard/qr_code/qr_code_scan/cubit/qr_code_scan_cubit.dart',
      'lib/oidc4vc/helper_function/oidc4vp_siopv2_accept_host.dart',
    ],
  },
  read: '2026-11-22',
  silent: ['dcql', 'protocols.openid4vp-draft18'],
  answer: async (invocation, surroundings) => {
    if ('digital' in invocation) return refuse('no Digital Credentials API')
    const { link } = invocation
    refuseUnless(SCHEMES.includes(new URL(link).protocol), 'the scheme is not registered')
    const { request_uri: uri } = parametersOf(link)
    if (uri === undefined) return refuse('no request_uri')
    const { text } = await fetchRequestObject(uri, surroundings)
    const { payload, chain } = decodeRequestObject(text)
    refuseUnless(MODES.includes(payload.response_mode ?? ''), 'the response mode is not supported')
    const { client_id_scheme: stated } = payload
    const [prefix, ...rest] = payload.client_id.split(':')
    const name = stated === undefined ? rest.join(':') : payload.client_id
    refuseUnless((stated ?? prefix) === 'x509_san_dns', 'invalid client_id_scheme')
    const [leaf] = chain
    refuseUnless(
      leaf !== undefined && dnsNamesOf(leaf).includes(name),
      'the certificate has another DNS name',
    )
    await verifySignature(text, chain, ['ES256'])
    const { presentation_definition: definition, presentation_definition_uri: definitionUri } = payload
    refuseUnless(
      definition !== undefined || definitionUri !== undefined,
      'presentation_definition is required',
    )
    return refuse('answers to drafts are not in this fake')
  },
})
