import { utf8 } from '../../../src/codec/bytes.ts'
import { sdJwtVc } from '../../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { Context } from '../../../src/formats/verification/format.ts'
import type { FetchResource } from '../../../src/net/guarded-fetch.ts'
import { err, ok } from '../../../src/result.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { alter, encodeDisclosure, type Parts, type SigningKey } from '../../support/people/issuer.ts'
import { type ChainReason, chainFor, describeReasons, worldFor } from '../reasons.ts'
import { ANCHOR, GOOD, HOLDER_KEY, ISSUER_KEY, STRANGER_KEY, verifyGood } from './good.ts'

type Change = (parts: Parts & { payload: Record<string, unknown>; header: Record<string, unknown> }) => void

const { name, credential_types, assurance_level } = ANCHOR
const KEYS = { issuer: ISSUER_KEY, holder: HOLDER_KEY }
const PKI = await mintIssuerPki()
const LEAF_KEY = { alg: 'ES256', privateJwk: PKI.leaf.privateJwk } as SigningKey

const changed = (change: Change) => async () => verifyGood(await alter(GOOD, KEYS, change))
const header = (members: object) => changed((parts) => Object.assign(parts.header, members))
const claims = (members: object) => changed((parts) => Object.assign(parts.payload, members))
const kb = (members: object) => changed((parts) => Object.assign(parts.kb?.payload ?? {}, members))

/** Signed by the leaf of a chain whose root is anchored. */
const chained =
  (chain: () => Promise<readonly string[]>, world: Partial<Context> = {}) =>
  async () => {
    const x5c = await chain()
    const presentation = await alter(GOOD, { ...KEYS, issuer: LEAF_KEY }, (parts) =>
      Object.assign(parts.header, { x5c }),
    )
    const anchors: TrustAnchor[] = [{ name, credential_types, assurance_level, x509_ca_pem: PKI.root.pem }]
    return verifyGood(presentation, { context: { anchors, ...world } })
  }
const chainOf = (reason: ChainReason) =>
  chained(async () => (await chainFor(reason, PKI)).map(({ x5c }) => x5c), worldFor(reason, PKI))

/**
 * Presentations of issuers whose metadata an anchor names. Each has its own address, because metadata is
 * cached.
 */
const described = (issuer: string, fetchResource: FetchResource) => async () => {
  const presentation = await alter(GOOD, KEYS, (parts) => Object.assign(parts.payload, { iss: issuer }))
  const anchors: TrustAnchor[] = [{ name, credential_types, assurance_level, issuer_url: issuer }]
  return verifyGood(presentation, { context: { anchors, fetchResource } })
}

describeReasons({
  format: sdJwtVc,
  folder: 'sd-jwt-vc',
  neverFails: {},
  reasons: {
    malformed_credential: () => verifyGood(GOOD.slice(1)),
    limit_exceeded: changed((parts) => parts.disclosures.push(...Array(10_000).fill('WyJhIl0'))),
    document_not_returned: 'only a DeviceResponse may have no document',
    unsupported_algorithm: header({ alg: 'none' }),
    unsupported_critical_header: header({ crit: ['exp'] }),
    wrong_token_type: header({ typ: 'vc+sd-jwt' }),
    unknown_credential_type: claims({ vct: 'urn:eudi:pid:2' }),
    invalid_issuer_signature: changed((parts) => {
      parts.issuer = STRANGER_KEY
    }),
    malformed_disclosure: changed((parts) => parts.disclosures.push('not-json')),
    unreferenced_disclosure: changed((parts) => parts.disclosures.push(encodeDisclosure(['s', 'x', 1]))),
    duplicate_digest: changed(({ payload }) => {
      const digests = payload._sd as string[]
      digests.push(String(digests[0]))
    }),
    unsupported_hash_algorithm: claims({ _sd_alg: 'md5' }),
    forbidden_disclosure: claims({ given_name: 'Max' }),
    invalid_claim: claims({ exp: 'tomorrow' }),

    holder_binding_missing: changed((parts) => {
      parts.kb = undefined
    }),
    holder_key_missing: claims({ cnf: { kid: 'somewhere' } }),
    holder_key_unavailable: 'cnf brings the key itself (SD-JWT VC §2.2.2.2): nothing is fetched for it',
    malformed_holder_binding: kb({ iat: 'now' }),
    invalid_holder_signature: changed((parts) => {
      parts.holder = STRANGER_KEY
    }),
    nonce_mismatch: kb({ nonce: 'f'.repeat(32) }),
    audience_mismatch: kb({ aud: 'https://verifier.example' }),
    sd_hash_mismatch: kb({ sd_hash: 'A'.repeat(43) }),
    holder_binding_not_current: kb({ iat: 1_700_000_000 }),
    transaction_data_mismatch: kb({ transaction_data_hashes: ['A'.repeat(43)] }),

    untrusted_issuer: claims({ iss: 'https://another.example' }),
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

    status_unavailable: claims({ status: {} }),
  },
})
