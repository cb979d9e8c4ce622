// Google Wallet, from its documentation for verifiers. Its source is closed: where the documentation leaves a
// member open, this fake refuses and says so.

import '../../reflect-metadata.ts'
import * as x509 from '@peculiar/x509'
import { decode } from 'cborg'
import { hasClaim, hasType } from '../dcql.ts'
import { type FakeWallet, fakeWallet, refuse, refuseUnless } from '../fake-wallet.ts'
import { type Holding, sha256 } from '../holdings.ts'
import {
  type CredentialQuery,
  type DcqlQuery,
  decodeRequestObject,
  isChained,
  type Payload,
  type ReceivedRequest,
  verifySignature,
} from '../request-object.ts'
import { type Choice, encryptFor, presentAll } from '../responding.ts'

const DOC_TYPES = [
  'org.iso.18013.5.1.mDL',
  'com.google.wallet.idcard.1',
  'org.iso.23220.photoid.1',
  'org.iso.23220.photoID.1',
  'in.gov.uidai.aadhaar.1',
]

/** Extension of a leaf that a Verifier Registrar issued: SHA-256 of the metadata. */
const METADATA_HASH = '1.3.6.1.4.1.11129.10.1'

export const googleWallet: FakeWallet = fakeWallet({
  id: 'google-wallet',
  source: {
    documentation: [
      'https://developers.google.com/wallet/identity/verify/accepting-ids-from-wallet-online',
      'https://developers.google.com/wallet/identity/verify/verifier-registrar',
      'https://developers.google.com/wallet/identity/verify/supported-issuers-iaca-certs',
      'https://digitalcredentials.dev/docs/requesting-credential/openid4vp',
    ],
  },
  read: '2026-11-22',
  silent: [
    'dcql.several_queries',
    'dcql.claim_sets',
    'dcql.values',
    'dcql.multiple',
    'dcql.trusted_authorities',
    'dcql.require_cryptographic_holder_binding',
    'dcql.without_claims',
    'transaction_data',
  ],
  answer: async (invocation, surroundings) => {
    if (!('digital' in invocation)) return refuse('only the Digital Credentials API opens the wallet')
    const { digital, origin } = invocation
    refuseUnless(digital.protocol === 'openid4vp-v1-signed', 'only signed requests are documented')
    const { request } = digital.data
    if (typeof request !== 'string') return refuse('data has no request object')
    const received = decodeRequestObject(request)
    refuseUnless(
      isChained(received.chain, surroundings.verifierCa),
      'the certificate is not of Google and not of a registrar',
    )
    await verifySignature(request, received.chain, ['ES256'])
    const { payload } = received
    refuseUnless(payload.expected_origins?.includes(origin) === true, 'expected_origins lacks the page')
    checkVerifier(received)
    const key = encryptionKeyOf(payload)
    const choices = choose(payload.dcql_query, surroundings.holdings)
    const { vp_token, disclosed } = await presentAll(choices, { payload, key, origin })
    const response = await encryptFor({ key, enc: 'A128GCM' }, { vp_token })
    return { disclosed, credential: { protocol: digital.protocol, data: { response } } }
  },
})

/** The Client Identifier, and the metadata that the consent screen shows. */
function checkVerifier({ payload, chain: [leaf] }: ReceivedRequest): void {
  refuseUnless(leaf !== undefined, 'no x5c')
  refuseUnless(
    payload.client_id === `x509_hash:${sha256(leaf.raw)}`,
    'client_id is not x509_hash of the leaf',
  )
  const text = payload.client_metadata?.gw_rp_metadata_bytes
  refuseUnless(typeof text === 'string', 'gw_rp_metadata_bytes is missing')
  const bytes = Buffer.from(text, 'base64url')
  refuseUnless(isMetadata(bytes), 'gw_rp_metadata_bytes is not RelyingPartyMetadataBytes')
  const extension = new x509.X509Certificate(leaf.raw).getExtension(METADATA_HASH)
  if (extension === null) return
  refuseUnless(!extension.critical, 'the extension of the metadata is critical')
  const expected = Buffer.from(`0420${Buffer.from(sha256(bytes), 'base64url').toString('hex')}`, 'hex')
  refuseUnless(
    expected.equals(Buffer.from(extension.value)),
    'the certificate has the hash of other metadata',
  )
}

/** `#6.24(bstr .cbor {schema_version: "v1", display: …, ? aggregator_info: …})` */
function isMetadata(bytes: Uint8Array): boolean {
  try {
    const content: Uint8Array = decode(bytes, { tags: { 24: (read) => read() } })
    if (bytes[0] !== 0xd8 || bytes[1] !== 24 || !(content instanceof Uint8Array)) return false
    const { schema_version, display, aggregator_info, ...others } = decode(content)
    const parts = aggregator_info === undefined ? [display] : [display, aggregator_info]
    return schema_version === 'v1' && Object.keys(others).length === 0 && parts.every(isDisplay)
  } catch {
    return false
  }
}

function isDisplay(display: Readonly<Record<string, unknown>>): boolean {
  const names = ['display_name', 'logo_uri', 'privacy_policy_uri']
  return (
    Object.keys(display).sort().join() === names.join() &&
    names.every((name) => typeof display[name] === 'string')
  )
}

/** Google documents encrypted responses for production, and those in the clear for demonstrations. */
function encryptionKeyOf({ response_mode: mode, client_metadata: metadata }: Payload) {
  refuseUnless(mode === 'dc_api.jwt', 'response_mode is not dc_api.jwt')
  const [key] = metadata.jwks?.keys ?? []
  return key ?? refuse('no key to encrypt the response')
}

/** One query, or `credential_sets` of one query an option: the first option that a credential satisfies. */
function choose({ credentials, credential_sets: sets }: DcqlQuery, holdings: readonly Holding[]): Choice[] {
  for (const query of credentials) checkQuery(query)
  if (sets === undefined) refuseUnless(credentials.length === 1, silentAbout('several queries'))
  const [set, ...others] = sets ?? [{ options: credentials.map(({ id }) => [id]) }]
  refuseUnless(others.length === 0 && set?.required !== false, silentAbout('several or optional sets'))
  for (const option of set?.options ?? []) {
    refuseUnless(option.length === 1, silentAbout('several queries'))
    const query = credentials.find(({ id }) => id === option[0])
    const holding = query && holdings.find((one) => isMatch(one, query))
    if (query !== undefined && holding !== undefined) {
      return [{ id: query.id, holding, paths: (query.claims ?? []).map(({ path }) => path) }]
    }
  }
  return refuse('no eligible credential')
}

function isMatch(holding: Holding, query: CredentialQuery): boolean {
  return hasType(holding, query) && (query.claims ?? []).every((claim) => hasClaim(holding, claim))
}

function checkQuery({ id, format, meta, claims, ...query }: CredentialQuery): void {
  refuseUnless(format === 'mso_mdoc', 'only mso_mdoc is supported')
  refuseUnless(DOC_TYPES.includes(meta?.doctype_value ?? ''), 'no credential of this document type')
  const [open] = Object.keys(query)
  refuseUnless(open === undefined, silentAbout(open ?? ''))
  refuseUnless(claims !== undefined, silentAbout('a query without claims'))
  refuseUnless(
    claims.every(({ values }) => values === undefined),
    silentAbout('values'),
  )
}

function silentAbout(what: string): string {
  return `the documentation is silent about ${what}`
}
