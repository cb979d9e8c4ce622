import { utf8 } from '../../../src/codec/bytes.ts'
import { jwtVcJson } from '../../../src/formats/jwt-vc-json/jwt-vc-json.ts'
import type { Context } from '../../../src/formats/verification/format.ts'
import type { FetchResource } from '../../../src/net/guarded-fetch.ts'
import { err, ok } from '../../../src/result.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import type { SigningKey } from '../../support/people/issuer.ts'
import { type ChainReason, chainFor, describeReasons, worldFor } from '../reasons.ts'
import {
  ANCHOR,
  type Changes,
  ISSUER_KEY,
  issue,
  present,
  presentOf,
  STRANGER_KEY,
  verifyGood,
  withHeader,
} from './good.ts'

const { name, credential_types, assurance_level } = ANCHOR
const PKI = await mintIssuerPki()
const LEAF_KEY = { alg: 'ES256', privateJwk: PKI.leaf.privateJwk } as SigningKey

const credential = (changes: Changes) => async () => verifyGood(await presentOf(changes))
const header = (changes: object) => async () =>
  verifyGood(await present(withHeader(await issue(), changes, ISSUER_KEY)))
const presentation = (changes: Changes) => async () => verifyGood(await presentOf({}, changes))

/** Signed by the leaf of a chain whose root is anchored. */
const chained =
  (chain: () => Promise<readonly string[]>, world: Partial<Context> = {}) =>
  async () => {
    const anchors: TrustAnchor[] = [{ name, credential_types, assurance_level, x509_ca_pem: PKI.root.pem }]
    const x5c = await chain()
    return verifyGood(await presentOf({ header: { x5c }, key: LEAF_KEY }), { context: { anchors, ...world } })
  }
const chainOf = (reason: ChainReason) =>
  chained(async () => (await chainFor(reason, PKI)).map(({ x5c }) => x5c), worldFor(reason, PKI))

/**
 * Presentations of issuers whose metadata an anchor names. Each has its own address, because metadata is
 * cached.
 */
const described = (issuer: string, fetchResource: FetchResource) => async () => {
  const anchors: TrustAnchor[] = [{ name, credential_types, assurance_level, issuer_url: issuer }]
  return verifyGood(await presentOf({ claims: { iss: issuer } }), { context: { anchors, fetchResource } })
}

/** Held by a DID on the web, which is away. */
async function heldAway() {
  const did = 'did:web:away.example'
  const held = await presentOf(
    { claims: { sub: did } },
    { claims: { iss: did }, header: { kid: `${did}#1` } },
  )
  return verifyGood(held, { context: { fetchResource: async () => err('unavailable') } })
}

const NO_DISCLOSURES = 'the format has no selective disclosure (OpenID4VP 1.0 B.1.3.1)'

describeReasons({
  format: jwtVcJson,
  folder: 'jwt-vc-json',
  neverFails: { disclosures: NO_DISCLOSURES },
  reasons: {
    malformed_credential: credential({ claims: { vc: undefined } }),
    limit_exceeded: credential({ content: { evidence: 'x'.repeat(530_000) } }),
    document_not_returned: 'only a DeviceResponse may have no document',
    unsupported_algorithm: header({ alg: 'none' }),
    unsupported_critical_header: header({ crit: ['exp'] }),
    wrong_token_type: presentation({ header: { typ: 'kb+jwt' } }),
    unknown_credential_type: credential({ content: { type: ['VerifiableCredential', 'Unheard'] } }),
    invalid_issuer_signature: credential({ key: STRANGER_KEY }),
    malformed_disclosure: NO_DISCLOSURES,
    unreferenced_disclosure: NO_DISCLOSURES,
    duplicate_digest: NO_DISCLOSURES,
    unsupported_hash_algorithm: NO_DISCLOSURES,
    forbidden_disclosure: NO_DISCLOSURES,
    invalid_claim: credential({ claims: { aud: 'https://another.example' } }),

    holder_binding_missing: async () => verifyGood(await issue()),
    holder_key_missing: credential({ claims: { cnf: {} } }),
    holder_key_unavailable: heldAway,
    malformed_holder_binding: presentation({ claims: { iat: 'now' } }),
    invalid_holder_signature: presentation({ key: STRANGER_KEY }),
    nonce_mismatch: presentation({ claims: { nonce: 'f'.repeat(32) } }),
    audience_mismatch: presentation({ claims: { aud: 'https://verifier.example' } }),
    sd_hash_mismatch: NO_DISCLOSURES,
    holder_binding_not_current: presentation({ claims: { iat: 1_700_000_000, nbf: undefined } }),
    transaction_data_mismatch: 'the format has no profile for transaction data',

    untrusted_issuer: credential({ claims: { iss: 'https://another.example' } }),
    malformed_certificate_chain: chained(async () => ['AAAA']),
    invalid_certificate_path: chainOf('invalid_certificate_path'),
    certificate_expired: chainOf('certificate_expired'),
    certificate_not_yet_valid: chainOf('certificate_not_yet_valid'),
    certificate_profile_violation: chainOf('certificate_profile_violation'),
    certificate_revoked: chainOf('certificate_revoked'),
    certificate_status_unavailable: chainOf('certificate_status_unavailable'),
    trust_anchor_in_chain: chainOf('trust_anchor_in_chain'),
    self_signed_certificate: chainOf('self_signed_certificate'),
    issuer_key_not_found: header({ alg: 'ES384' }),
    issuer_metadata_invalid: described('https://invalid.example', async () =>
      ok({ body: utf8('{}'), contentType: 'application/json' }),
    ),
    issuer_metadata_unavailable: described('https://away.example', async () => err('unavailable')),

    status_unavailable: credential({ claims: { status: {} } }),
  },
})
