// Procivis One. It has no transaction data, and ignores that a request has some. Requests by value are JSON
// in one parameter, which no other party sends.

import { firstClaimSet, firstOptions, hasType } from '../dcql.ts'
import { type FakeWallet, fakeWallet, refuse, refuseUnless, type Surroundings } from '../fake-wallet.ts'
import type { Holding } from '../holdings.ts'
import type { ClientMetadata, CredentialQuery, Payload } from '../request-object.ts'
import type { Choice } from '../responding.ts'
import { authoritiesOf } from './dcql-library.ts'
import { receive, respond } from './exchange.ts'

const JOSE = ['ES256', 'EdDSA']
const COSE = [-7, -8, -9, -19]
/** Members of `vp_formats_supported`, and the algorithms of which one is needed. */
const ALGORITHMS: Readonly<Record<string, readonly (readonly [string, readonly unknown[]])[]>> = {
  'dc+sd-jwt': [
    ['sd-jwt_alg_values', JOSE],
    ['kb-jwt_alg_values', JOSE],
  ],
  mso_mdoc: [
    ['issuerauth_alg_values', COSE],
    ['deviceauth_alg_values', COSE],
  ],
  jwt_vc_json: [['alg_values', JOSE]],
}

export const procivis: FakeWallet = fakeWallet({
  id: 'procivis',
  source: [
    {
      repository: 'procivis/one-core',
      commit: '7505afb41bc5abebca1af7b5ee18fd5eeb8a9127',
      files: [
        'config/config-procivis-base.yml',
        'lib/dcql/src/lib.rs',
        'lib/dcql/src/matching.rs',
        'lib/one-core/src/provider/verification_protocol/openid4vp/dcql.rs',
        'lib/one-core/src/provider/verification_protocol/openid4vp/jwe_presentation.rs',
        'lib/one-core/src/provider/verification_protocol/openid4vp/final1_0/mod.rs',
        'lib/one-core/src/provider/verification_protocol/openid4vp/final1_0/model.rs',
        'lib/one-core/src/provider/verification_protocol/openid4vp/final1_0/utils.rs',
      ],
    },
    {
      repository: 'procivis/one-wallet',
      commit: '5471b8070b53b683ca54f901cdb094a70c7c33cd',
      files: ['android/app/src/main/AndroidManifest.xml', 'ios/Wallet/Info.plist'],
    },
  ],
  read: '2026-11-22',
  answer: async (invocation, surroundings) => {
    const payload = await receive(invocation, surroundings, {
      bases: ['openid4vp://', 'haip-vp://'],
      prefixes: ['x509_hash', 'x509_san_dns', 'decentralized_identifier'],
      posts: false,
      listsAuthorities: false,
      bindsResponseUri: true,
    })
    check(payload)
    return respond(
      payload,
      choose(payload, surroundings),
      { invocation, surroundings },
      {
        findKey: (keys) =>
          keys.find(({ crv, use = 'enc', kid }) => crv === 'P-256' && use === 'enc' && kid !== undefined),
        encryptions: ['A128GCM', 'A256GCM', 'A128CBC-HS256'],
      },
    )
  },
})

function check({ redirect_uri, dcql_query: query, response_type, ...payload }: Payload): void {
  refuseUnless(redirect_uri === undefined, 'redirect_uri must be absent')
  refuseUnless(query !== undefined, 'no dcql_query')
  const ids = query.credentials.map(({ id }) => id)
  const named = (query.credential_sets ?? []).flatMap(({ options }) => options.flat())
  refuseUnless(
    named.every((id) => ids.includes(id)),
    'a set names an unknown query',
  )
  for (const { meta = {} } of query.credentials) {
    const known = ['doctype_value', 'vct_values', 'type_values'].some((name) => Object.hasOwn(meta, name))
    refuseUnless(known, 'meta without a type')
  }
  refuseUnless(response_type === 'vp_token', 'response_type is not vp_token')
  refuseUnless(payload.response_mode !== undefined, 'response_mode is missing')
  refuseUnless(payload.client_metadata !== undefined, 'client_metadata is missing')
  checkFormats(payload.client_metadata)
  refuseUnless(payload.nonce !== undefined, 'nonce is missing')
}

/** No list means no restriction. */
function checkFormats({ vp_formats_supported: formats = {} }: ClientMetadata): void {
  const known = Object.entries(ALGORITHMS).filter(([format]) => formats[format] !== undefined)
  refuseUnless(known.length > 0, 'no supported format in vp_formats_supported')
  for (const [format, members] of known) {
    for (const [member, supported] of members) {
      const offered = formats[format]?.[member] ?? []
      const isOffered = offered.length === 0 || offered.some((one) => supported.includes(one))
      refuseUnless(isOffered, `no supported algorithm in ${member} of ${format}`)
    }
  }
}

function choose({ dcql_query: query }: Payload, { holdings }: Surroundings): readonly Choice[] {
  return firstOptions(query, (one) => match(one, holdings)) ?? refuse('no applicable credential')
}

function match(query: CredentialQuery, holdings: readonly Holding[]): Choice | undefined {
  for (const holding of holdings) {
    const claims =
      hasType(holding, query) && isTrusted(query, holding) ? firstClaimSet(holding, query) : undefined
    if (claims !== undefined) return { id: query.id, holding, paths: claims.map(({ path }) => path) }
  }
  return undefined
}

/** Only `aki` names an authority. Other types name none. */
function isTrusted({ trusted_authorities: authorities }: CredentialQuery, holding: Holding): boolean {
  if (authorities === undefined) return true
  const keyIds = authorities.flatMap(({ type, values }) => (type === 'aki' ? values : []))
  return authoritiesOf(holding).some((one) => keyIds.includes(one))
}
