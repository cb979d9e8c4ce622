// IT-Wallet in the IO app, with io-react-native-wallet and io-wallet-sdk. A request needs what the Italian
// specification adds: `iss` and `kid`. Metadata of a registered verifier are optional since August 2026. The
// response has no `kid`, `apu` and `apv`: the SDK's encryptor passes no `kid`, and the library's function
// ignores the other two. An mdoc is signed over the handover of ISO/IEC TS 18013-7 Annex B, with a nonce that
// is not sent.

import { firstClaimSet, hasType } from '../dcql.ts'
import { type FakeWallet, fakeWallet, refuse, refuseUnless, type Surroundings } from '../fake-wallet.ts'
import { sha256 } from '../holdings.ts'
import {
  type DcqlQuery,
  decodeRequestObject,
  fetchRequestObject,
  isChained,
  parametersOf,
  type ReceivedRequest,
  verifySignature,
} from '../request-object.ts'
import { type Choice, encryptFor, postForm, presentAll, randomText } from '../responding.ts'

/** The app has no scheme for presentations: only these addresses open it. */
const LINKS = ['https://continua.io.pagopa.it/itw/auth?', 'https://continua.ioapp.it/itw/auth?']

export const ioApp: FakeWallet = fakeWallet({
  id: 'io-app',
  source: [
    {
      repository: 'pagopa/io-app',
      commit: '2b50ca4190ee30c2c68fef0f4e9929d217c6a279',
      files: ['machine', 'actors'].map(
        (name) => `apps/main-app/ts/features/itwallet/presentation/remote/machine/${name}.ts`,
      ),
    },
    {
      repository: 'pagopa/io-react-native-wallet',
      commit: '4acdac9fd5a38640a1a93399a93d69e7c6404a65',
      files: [
        '01-start-flow',
        '05-verify-request-object',
        '06-evaluate-dcql-query',
        '07-send-authorization-response',
      ]
        .map((name) => `src/credential/presentation/v1.3.3/${name}.ts`)
        .concat('src/mdoc/index.ts', 'src/utils/callbacks.ts'),
    },
    {
      repository: 'pagopa/io-wallet-sdk',
      commit: '040da5fb0a9d382aa26a2beac73b8099c3eb833e',
      files: [
        'packages/oid4vp/src/authorization-request/z-authorization-request.ts',
        'packages/oid4vp/src/authorization-request/parse-authorization-request.ts',
        'packages/oid4vp/src/authorization-response/create-authorization-response.ts',
        'packages/oid-federation/src/metadata/entity/v1.3/itWalletCredentialVerifier.ts',
      ],
    },
  ],
  read: '2026-11-30',
  silent: ['dcql.trusted_authorities', 'dcql.require_cryptographic_holder_binding', 'transaction_data'],
  answer: async (invocation, surroundings) => {
    if ('digital' in invocation) return refuse('no Digital Credentials API')
    const { link } = invocation
    refuseUnless(
      LINKS.some((start) => link.startsWith(start)),
      'the address does not open the app',
    )
    const { payload } = await receive(invocation.link, surroundings)
    const choices = choose(payload.dcql_query, surroundings)
    const key = payload.client_metadata.jwks?.keys.find(({ use, alg }) => use === 'enc' && alg === 'ECDH-ES')
    if (key === undefined) return refuse('no key for encryption')
    const { kid: _, ...unnamed } = key
    const binding = { payload, key, mdocGeneratedNonce: randomText(12) }
    const { vp_token, disclosed } = await presentAll(choices, binding)
    const [enc = 'A256GCM'] = payload.client_metadata.encrypted_response_enc_values_supported ?? []
    const response = await encryptFor({ key: unnamed, enc }, { vp_token, state: payload.state })
    return { disclosed, response: await postForm(surroundings, payload.response_uri, { response }) }
  },
})

async function receive(link: string, surroundings: Surroundings): Promise<ReceivedRequest> {
  const { client_id: clientId, request, request_uri: uri, request_uri_method: method } = parametersOf(link)
  refuseUnless(clientId !== undefined && clientId !== '', 'client_id is missing')
  refuseUnless((request === undefined) !== (uri === undefined), 'neither request nor request_uri, or both')
  refuseUnless(method === undefined || ['get', 'post'].includes(method), 'unknown request_uri_method')
  const form = method === 'post' ? { wallet_nonce: randomText() } : undefined
  const text = request ?? (await fetchRequestObject(uri ?? '', surroundings, form)).text
  const received = decodeRequestObject(text)
  const { header, payload, chain } = received
  refuseUnless(typeof header.kid === 'string', 'kid is missing in the header')
  refuseUnless(header.typ === 'oauth-authz-req+jwt', 'typ is not oauth-authz-req+jwt')
  refuseUnless(typeof payload.iss === 'string', 'iss is missing')
  refuseUnless(payload.response_mode === 'direct_post.jwt', 'response_mode is not direct_post.jwt')
  refuseUnless(payload.response_type === 'vp_token', 'response_type is not vp_token')
  refuseUnless(typeof payload.state === 'string', 'state is missing')
  refuseUnless(clientId.startsWith('x509_hash:'), 'the Client Identifier needs OpenID Federation')
  const [leaf] = chain
  if (leaf === undefined) return refuse('no x5c in the request object')
  refuseUnless(clientId === `x509_hash:${sha256(leaf.raw)}`, 'x509_hash is not of the leaf')
  refuseUnless(isChained(chain, surroundings.verifierCa), 'the certificate chain is not valid')
  await verifySignature(text, chain, ['ES256'])
  return received
}

/** Every query that a credential satisfies is answered, whatever option of `credential_sets` is enough. */
function choose({ credentials, credential_sets: sets }: DcqlQuery, { holdings }: Surroundings): Choice[] {
  const choices = credentials.flatMap((query): Choice[] => {
    const holding = holdings.find((one) => hasType(one, query) && firstClaimSet(one, query) !== undefined)
    const claims = holding && firstClaimSet(holding, query)
    return holding && claims ? [{ id: query.id, holding, paths: claims.map(({ path }) => path) }] : []
  })
  const isFound = (id: string) => choices.some((choice) => choice.id === id)
  const all = sets ?? [{ options: [credentials.map(({ id }) => id)] }]
  const isSatisfied = all.every(
    ({ options, required }) => required === false || options.some((ids) => ids.every(isFound)),
  )
  refuseUnless(isSatisfied, 'the wallet lacks a requested credential')
  return choices
}
