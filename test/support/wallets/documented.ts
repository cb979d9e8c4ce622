// Requests to a closed wallet, as far as its documentation goes. Where that is silent, the fake ends the
// request and says so: the service must then answer `unknown`, never `works`.

import { firstClaimSet, hasType } from './dcql.ts'
import { type Answer, type Invocation, refuse, refuseUnless, type Surroundings } from './fake-wallet.ts'
import { sha256 } from './holdings.ts'
import {
  decodeRequestObject,
  fetchRequestObject,
  isChained,
  parametersOf,
  type ReceivedRequest,
  verifySignature,
} from './request-object.ts'
import { encryptFor, postForm, presentAll } from './responding.ts'

/** Start of the message of each refusal that is due to missing documentation. */
export const SILENT = 'the documentation is silent about '

type DocumentedWallet = {
  readonly schemes: readonly string[]
  /** Document types that it presents. Absent: all. */
  readonly types?: readonly string[]
  /** Absent: `mso_mdoc`. */
  readonly formats?: readonly string[]
  /** Further documented rules. */
  readonly check?: (received: ReceivedRequest, surroundings: Surroundings) => void
}

/**
 * Answers only a request that the documentation describes: one query with plain claims, `x509_hash`, by
 * reference, with an encrypted response.
 */
export async function answerDocumented(
  invocation: Invocation,
  surroundings: Surroundings,
  { schemes, types, formats = ['mso_mdoc'], check }: DocumentedWallet,
): Promise<Answer> {
  if ('digital' in invocation) return refuse('no Digital Credentials API')
  const { link } = invocation
  refuseUnless(schemes.includes(new URL(link).protocol), 'the scheme is not registered')
  const { client_id: clientId = '', request_uri: uri } = parametersOf(link)
  refuseUnless(uri !== undefined, 'requests are passed by reference')
  const { text } = await fetchRequestObject(uri, surroundings)
  const received = decodeRequestObject(text)
  const { payload, chain } = received
  refuseUnless(payload.client_id === clientId, 'client_id differs from the link')
  const [leaf] = chain
  if (leaf === undefined) return refuse('no x5c in the request object')
  refuseUnless(
    clientId === `x509_hash:${sha256(leaf.raw)}`,
    'the Client Identifier is not x509_hash of the leaf',
  )
  refuseUnless(isChained(chain, surroundings.verifierCa), 'the certificate is not trusted')
  await verifySignature(text, chain, ['ES256'])
  check?.(received, surroundings)
  refuseUnless(payload.response_mode === 'direct_post.jwt', 'the response is not encrypted')
  refuseUnless(payload.transaction_data === undefined, `${SILENT}transaction_data`)
  const { credentials, credential_sets: sets } = payload.dcql_query
  refuseUnless(sets === undefined, `${SILENT}credential_sets`)
  const [query] = credentials
  if (query === undefined || credentials.length > 1) return refuse(`${SILENT}several queries`)
  refuseUnless(formats.includes(query.format), `only ${formats.join(' and ')} is presented`)
  const { claims = [] } = query
  refuseUnless(claims.length > 0, `${SILENT}queries without claims`)
  refuseUnless(query.claim_sets === undefined, `${SILENT}claim_sets`)
  refuseUnless(
    claims.every(({ values }) => values === undefined),
    `${SILENT}values`,
  )
  const held = surroundings.holdings.filter(({ type }) => types?.includes(type) ?? true)
  const holding = held.find((one) => hasType(one, query) && firstClaimSet(one, query) !== undefined)
  if (holding === undefined) return refuse('no document with the requested elements')
  const key = payload.client_metadata?.jwks?.keys[0]
  if (key === undefined) return refuse('no key for the response')
  const choice = { id: query.id, holding, paths: claims.map(({ path }) => path) }
  const { vp_token, disclosed } = await presentAll([choice], { payload, key })
  const [enc = 'A128GCM'] = payload.client_metadata.encrypted_response_enc_values_supported ?? []
  const response = await encryptFor({ key, enc }, { vp_token, state: payload.state })
  return { disclosed, response: await postForm(surroundings, payload.response_uri, { response }) }
}
