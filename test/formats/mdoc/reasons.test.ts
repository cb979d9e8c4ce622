import { mdoc } from '../../../src/formats/mdoc/mdoc.ts'
import type { Context } from '../../../src/formats/verification/format.ts'
import { type ChainReason, chainFor, describeReasons, worldFor } from '../reasons.ts'
import { flipLast, STRANGER, set } from './changes.ts'
import { make, NAME_SPACE, PKI, SIGNER_USAGE, verifyGood } from './good.ts'
import { type Changes, embedded, type Making } from './maker.ts'

const changed =
  (changes: Changes, making: Partial<Making> = {}) =>
  async () =>
    verifyGood(make(changes, making))

const chained =
  (chain: () => Promise<readonly Uint8Array[]>, context: Partial<Context> = {}) =>
  async () => {
    const x5chain = [...(await chain())]
    return verifyGood(make({ issuerHeaders: (headers) => headers.unprotected.set(33, x5chain) }), { context })
  }
const chainOf = (reason: ChainReason) =>
  chained(
    async () => {
      const chain = await chainFor(reason, PKI, { extendedKeyUsage: [SIGNER_USAGE] })
      return chain.map(({ der }) => der)
    },
    worldFor(reason, PKI),
  )

const SIGNED_WHOLE =
  'the device signs nonce and client identifier with all else (OpenID4VP 1.0 B.2.6): another one is another signature'
const BY_CERTIFICATE = 'issuers of mdocs are known by their certificates alone (ISO/IEC 18013-5 §9.3.3)'

describeReasons({
  format: mdoc,
  folder: 'mdoc',
  neverFails: {
    nonce: SIGNED_WHOLE,
    audience: SIGNED_WHOLE,
    validity:
      'an MSO out of time is a finding; one without times is malformed, which is found at the structure',
  },
  reasons: {
    malformed_credential: changed({ response: set('version', '2.0') }),
    limit_exceeded: changed({ nameSpaces: set('x', Array(513).fill(0)) }),
    document_not_returned: changed({ response: set('documents', undefined) }),
    unsupported_algorithm: changed({ issuerHeaders: (headers) => headers.protected.set(1, -257) }),
    unsupported_critical_header: changed({ issuerHeaders: (headers) => headers.protected.set(2, [33]) }),
    wrong_token_type: 'a COSE_Sign1 of an mdoc has no typ',
    unknown_credential_type: changed({}, { docType: 'org.example.other' }),
    invalid_issuer_signature: changed({ issuerAuth: (message) => message.fill(flipLast(message[3]), 3) }),
    malformed_disclosure: changed({ disclosed: (items) => items.fill('item', 0, 1) }),
    unreferenced_disclosure: changed({
      disclosed: (items) =>
        items.push(
          embedded({ digestID: 99, random: new Uint8Array(16), elementIdentifier: 'x', elementValue: 1 }),
        ),
    }),
    duplicate_digest: changed({ disclosed: (items) => items.push(items[0]) }),
    unsupported_hash_algorithm: changed({ mso: set('digestAlgorithm', 'SHA-1') }),
    forbidden_disclosure: changed({ deviceNameSpaces: embedded({ [NAME_SPACE]: { age_over_21: true } }) }),
    invalid_claim: changed({ mso: set('version', '2.0') }),

    holder_binding_missing: changed({ document: set('deviceSigned', undefined) }),
    holder_key_missing: changed({ mso: set('deviceKeyInfo', undefined) }),
    holder_key_unavailable:
      'the MSO brings the key itself (ISO/IEC 18013-5 §9.1.2.4): nothing is fetched for it',
    malformed_holder_binding: changed({ deviceSigned: set('deviceAuth', undefined) }),
    invalid_holder_signature: changed({}, { device: { key: STRANGER, alg: -7 } }),
    nonce_mismatch: SIGNED_WHOLE,
    audience_mismatch: SIGNED_WHOLE,
    sd_hash_mismatch: SIGNED_WHOLE,
    holder_binding_not_current: 'a device signature says no time; its nonce is of this request',
    transaction_data_mismatch: 'no document type here authorises transaction data (B.2)',

    untrusted_issuer: async () => verifyGood(make(), { context: { anchors: [] } }),
    malformed_certificate_chain: chained(async () => [Uint8Array.of(1, 2)]),
    invalid_certificate_path: chainOf('invalid_certificate_path'),
    certificate_expired: chainOf('certificate_expired'),
    certificate_not_yet_valid: chainOf('certificate_not_yet_valid'),
    certificate_profile_violation: chainOf('certificate_profile_violation'),
    certificate_revoked: chainOf('certificate_revoked'),
    certificate_status_unavailable: chainOf('certificate_status_unavailable'),
    trust_anchor_in_chain: chainOf('trust_anchor_in_chain'),
    self_signed_certificate: chainOf('self_signed_certificate'),
    issuer_key_not_found: changed({ issuerHeaders: (headers) => headers.protected.set(1, -35) }),
    issuer_metadata_invalid: BY_CERTIFICATE,
    issuer_metadata_unavailable: BY_CERTIFICATE,

    status_unavailable: changed({ mso: set('status', {}) }),
  },
})
