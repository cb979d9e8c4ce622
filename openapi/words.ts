// What the members of the described schemas mean, in few words: they are part of every deployment. A member of a creation has
// its words or does not compile.

import type { z } from 'zod/mini'
import type { createRequest } from '../src/routes/verifications/schemas.ts'

const PENDING_ONLY = 'Null once the session is over.'
const BY_NAME = 'With `scope`; or else `dcql_query`.'

/** By schema and member. */
export const WORDS = {
  CreateVerification: {
    credential_types: BY_NAME,
    scope: 'What must be proven, by name.',
    dcql_query: 'A query of your own (OpenID4VP 1.0 §6), instead of `credential_types` and `scope`.',
    required_assurance_level: 'The least that the trust anchor behind the credential must give.',
    metadata: 'Returned untouched, never read. 8 KiB at most. Put no personal data here.',
    credential_match: 'Whether one of the types is enough.',
    formats: 'Default: all that the types have.',
    protocol: 'What the wallet is spoken to in.',
    request_options: "Default: what your settings prefer, else the protocol's first.",
    required_session_binding: 'Who must be shown to be at the other end. Other than `none`: no QR.',
    expires_in: 'Seconds.',
    return_url: "One of your settings' `return_urls`, letter by letter.",
    locale: 'Language of the page.',
    purpose: 'Why you ask, for the person to read: one line, in their language. Put no personal data here.',
    allow_derived: 'Whether an age may be computed from a birth date.',
    claims_encryption_jwk: 'Claims are then told, encrypted to this key.',
    transaction_data: 'What the person is asked to confirm, with the members of its type.',
    retry_of: 'The session this one repeats.',
  },
  CreatedVerification: {
    session_url:
      'Page for the person: open it on a phone, or show it beside the QR. It opens this session: keep it from others.',
    qr_code: 'Put `data:` in front for an image. Null where a QR is excluded.',
    deep_link: 'Opens nothing by itself.',
    client_token: 'Opens the QR and the state of this session, nothing else.',
    wallet_request: 'Null where a QR is excluded, and once the session is over.',
    version: 'Rises with every change that can be seen.',
  },
  WalletRequest: {
    uri: 'What the QR holds.',
    transaction_data: 'The texts that wallets sign hashes of.',
    wallet_links: 'The same request, by URI scheme.',
  },
  Verification: {
    version: 'Rises with every change that can be seen.',
    checks: 'Scope to proven. Null while pending.',
    session_url: PENDING_ONLY,
    attempts: 'The last ten answers that were not heard. They cost the session nothing.',
    attempt_count: 'How many there were in all.',
    channel: 'How the request reached the wallet.',
    session_binding: 'Who was shown to be at the other end.',
    trace: 'Every check of the answer, in order.',
    assurance_derivation: 'How the assurance level came about.',
    trust_lists: 'Lists of trusted issuers that vouched.',
    encrypted_claims: 'Compact JWE around a JWS of this service.',
  },
  Event: {
    event_id: 'The same in every attempt: hear an event once.',
    checks: 'Scope to proven.',
    encrypted_claims: 'Null beyond 64 KiB: poll for them.',
  },
  EventPage: { next: "The next call's `after`: keep it." },
  Credential: {
    id: 'The credential query it answers.',
    status: 'What is known of its revocation.',
    transaction_data: 'What its holder confirmed: places in the request, and what was signed.',
  },
  Reason: {
    retryable: 'Whether asking the same person again may end differently.',
    type: 'The address of its page.',
  },
  DeliveryLog: { deliveries: 'At most one for each event.' },
  CreateApiKey: {
    scopes: "Default: the calling token's.",
    expires_at: "Default: as the calling token's key.",
  },
  CreatedApiKey: { api_key: 'Shown here and never again.' },
  CreatedRelyingParty: {
    api_key: 'Shown here and never again.',
    webhook_secret: 'Shown here and never again.',
  },
  CreateRelyingParty: {
    livemode: 'Fixed for ever: every API key carries it.',
    by_value: 'Whether answers to your own view of a request are heard. Default: in test mode.',
    status_unavailable: '`accept`: counts for `low` at most.',
    certificate_revocation:
      'CRLs. `accept_unknown`: counts for `low` at most. Default: `require` in live mode, else `off`.',
    retention_seconds: 'How long results are kept. Default: 48 hours.',
    anchor_sets: 'Lists of trusted issuers that the operator keeps, by name.',
  },
  TrustAnchor: {
    name: 'Exactly one of `x509_ca_pem`, `x509_certificate_pem`, `issuer_url`, `did`, `issuer` with `jwks` stands beside.',
    credential_types: '`*`: the types you added yourself.',
  },
  RotatedSecret: { previous_secret_expires_at: 'Until then both sign.' },
  Problem: {
    type: 'A page that explains the code.',
    detail: 'Never repeats what was sent.',
    retryable: 'Whether the same request may succeed later.',
  },
} as const satisfies { readonly CreateVerification: Words } & Readonly<
  Record<string, Readonly<Record<string, string>>>
>

type Words = Readonly<Record<keyof z.input<typeof createRequest>, string>>
