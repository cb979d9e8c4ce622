// Descriptions of the members of schemas. Each member of a creation needs one; otherwise this file does not
// compile.

import type { z } from 'zod/mini'
import type { createRequest } from '../src/api/requests.ts'

const VERSION = 'Increases with every visible change.'
const SHOWN_ONCE = 'Only this response contains it.'
const PERSONAL_DATA = 'Do not send personal data.'
const VIEW = 'Distinguishes the views of a verification.'
const WARNINGS = 'Settings that are valid and do not work. Empty in test mode.'
const SESSION_URL = 'The page for the person: open it on a phone, or show it beside the QR code.'

/** Members of polls and events alike. */
const OUTCOME = {
  status: 'All but `pending` are final.',
  checks: 'Scope name → whether it was proven. Null while pending.',
  assurance_level: 'Lowest assurance level of the credentials.',
  same_holder_key:
    'True if one key holds all credentials. Null where none has holder binding. One key need not mean one person.',
  credential_type: 'Type of the first credential.',
  verified_at: 'Time of the successful verification.',
  reason: 'Why the verification was not successful.',
  metadata: 'The `metadata` of the request, unchanged.',
  channel: 'How the wallet received the request.',
  format: 'Format of the first credential.',
  issuer: 'Issuer of the first credential.',
  session_binding: 'The browser to which the response is bound, as in `required_session_binding`.',
} as const

const WALLET_OF_REQUEST =
  'Id of a wallet profile: the request is made for this wallet. `any`: for any wallet.'

/** By schema and member. */
export const MEMBER_TEXTS = {
  CreateVerification: {
    credential_types: 'Accepted credential types. Used with `scope`; must not be combined with `dcql_query`.',
    scope: 'Names of the claims that must be proven.',
    dcql_query: 'Your own query (OpenID4VP 1.0 §6), instead of `credential_types` and `scope`.',
    preset:
      'A question with a name, instead of `credential_types` and `scope`: `age_over_18` is what the EU age verification app answers.',
    required_assurance_level: 'Minimum assurance level of the trust anchor of each credential.',
    metadata: `Returned unchanged, never evaluated. At most 8 KiB. ${PERSONAL_DATA}`,
    credential_match: '`any`: one of the types is enough. `all`: every type is required.',
    formats:
      'Accepted credential formats. Default: `dc+sd-jwt` and `mso_mdoc`; `jwt_vc_json` only for types without another.',
    protocol: 'OpenID4VP version used towards the wallet.',
    request_options: 'Options of the authorization request. Default: your settings, then the protocol.',
    wallet:
      'Id of a wallet profile, or several in order. Requests are made for the first one that can answer. 422 where none can.',
    required_session_binding:
      '`page`: the wallet must return to the browser of the hosted page. `relying_party`: you redeem the return code, too. Both exclude the QR code.',
    expires_in: 'Lifetime in seconds.',
    return_url:
      'Where the browser goes after the verification. Must equal one of your `return_urls`. `{status}` and `{verification_id}` in it are filled at the end. A status in an address is no proof: read the verification.',
    failure_return_url:
      'Where the browser goes after every end but `verified`, in place of `return_url`. Must equal one of your `return_urls`. Requires a `return_url`.',
    return_automatically:
      'The hosted page goes to `return_url` by itself some seconds after the end. The person can stop it. Requires a `return_url`. Default: `false`.',
    locale:
      'Language of the hosted page, and of `heading` and `purpose`, as a tag (BCP 47). The page speaks the 24 official languages of the EU.',
    heading: `Shown to the person above the request: one line, in their language. ${PERSONAL_DATA}`,
    purpose: `Shown to the person: one line, in their language. ${PERSONAL_DATA}`,
    alternative_url:
      'Page on which the person can prove the same without a wallet. One of your `return_urls`, or the `alternative_url` of your settings, which is the default.',
    allow_derived: 'Allows an age that is computed from a date of birth.',
    intended_use:
      'Intended use in `verifier.uses` of your settings: requests contain its registration certificate. 422 if it is unknown. Default: `verifier.registration`.',
    intent_to_retain:
      'States to the wallet, and on the page, that you will store the data of an mdoc. Default: `false`.',
    evidence:
      'Keeps evidence of the verification, sealed to the keys in your settings. Wallets are then told that data is kept. Default: `true` where `evidence.for` of your settings is `all`.',
    require_same_holder_key:
      'Requires that one key holds all credentials. Many wallets have a key for each: they are rejected then.',
    anchor_sets:
      'Sets of your trust anchors: only anchors in one of them may vouch. A set is named in `sets` of your `trust_anchors`, or is a list in `anchor_sets` of your settings. Default: all anchors.',
    claims_encryption_jwk: 'Your public key. The claims are returned, encrypted to this key.',
    transaction_data: 'Transactions for the person to confirm, each with the members of its type.',
    qr_code: 'With `false` the response has no picture, which saves the time to draw it.',
    retry_of: 'The `verification_id` of the verification that this one repeats.',
  },
  EncryptionKey: { x: 'Together with `y` a point on the curve.', key_ops: 'Empty.' },
  CreatedVerification: {
    status: OUTCOME.status,
    session_url: `${SESSION_URL} It contains the \`client_token\`: share it with this person only.`,
    qr_code:
      'Prefix it with `data:` for the source of an image. Null where a QR code is excluded or not wanted.',
    deep_link: 'Identifies the verification. It opens no wallet.',
    client_token: 'Grants access to the QR code and the state of this verification only.',
    wallet_request: 'Null where a QR code is excluded, and after the end of the verification.',
    version: VERSION,
    locale:
      'Language of the hosted page. Null where the browser decides: without a `locale`, or without a translation.',
    warnings:
      'Parts of the request that may not work: claims that your registration certificate does not cover, types that are left out, and a response mode that some wallets refuse through a browser.',
    wallets:
      'Wallets that can answer. `works`: the request as it is. `lowered`: only with `wallet`; `left_out` says what that request lacks. `cannot`: `reasons` says why. `unknown`: no public source is about `reasons`. `browser`: `any` (a call for any wallet is answered), `if_chosen` (only a call made for it with `wallet` is sure to be), `no` (only a link reaches it).',
  },
  WalletRequest: {
    uri: 'Content of the QR code.',
    transaction_data: 'The encoded texts whose hashes wallets sign.',
    wallet: 'Id of the wallet that the request is made for. Null: any wallet.',
    wallet_links: 'The same request, by URI scheme; by the id of a wallet where only an address opens it.',
  },
  VerificationState: {
    object: VIEW,
    version: VERSION,
    wallet_activity:
      'What a wallet last did with a live request, while the verification is pending. `number` rises with each. `kind`: `request_fetched` or `response_refused`. `family`: what was wrong with the response.',
    family:
      'Kind of the end: `expired`, `revoked` or `not_suitable` after a rejection, `declined_on_page` after *Do not share*, else null. Values may be added.',
  },
  BrowserReturnResult: { object: VIEW },
  Verification: {
    ...OUTCOME,
    offered_client_ids:
      'Client Identifiers that a multi-signed request of the Digital Credentials API offered. The answer does not say which one the wallet used. Null: the request offered one at most.',
    object: VIEW,
    version: VERSION,
    session_url: `${SESSION_URL} Null after the end of the verification.`,
    attempts:
      "The last ten responses that failed validation. They leave the verification pending. `detail` is the rule that a certificate violates, for `certificate_profile_violation`, and null otherwise. `document_errors` has the wallet's code for each document type, for `document_not_returned` and where a response of `org-iso-mdoc` left out some documents, and is null otherwise. `claimed_issuer` is what a refused credential says about its issuer. Nothing of it is verified, and anyone can write it. It is null if no credential was read so far.",
    attempt_count: 'Number of all responses that failed validation.',
    trace: 'Every check of the response, in order.',
    assurance_derivation: 'The steps that led to `assurance_level`. Ignore steps that you do not know.',
    trust_lists: 'Lists of trusted issuers that contain the issuers.',
    evidence:
      'Digest of the evidence that was kept of the outcome, the state of its time stamp (`none`, `owed`, `present` or `failed`), and the time at which it was erased here. Null if none was kept.',
    encrypted_claims:
      'The claims, encrypted to `claims_encryption_jwk`: a compact JWE with a JWS of this service in it.',
  },
  Event: {
    ...OUTCOME,
    metadata: 'As in the request. Null only in the event log, while the verification cannot be read.',
    evidence:
      'As in the verification, without `erased_at`. Absent if none was asked for. In the event of the end, `time_stamp` is `none` or `owed`.',
    event_id: 'The same in every attempt. Process each event once.',
    encrypted_claims: 'The claims, encrypted. Null beyond 64 KiB: read the verification instead.',
  },
  Evidence: {
    manifest: 'Exact bytes of `META-INF/ASiCManifest.xml`, in base64.',
    manifest_sha256: 'SHA-256 of the manifest, in hex. The receipt has it as `evidence_hash`, in base64url.',
    time_stamps:
      'Time stamps of the manifest (RFC 3161): the DER of the token in base64, and its time. Empty while the time stamp is owed, and without one.',
    materials: 'Public resources that the manifest names. Empty: none are kept yet.',
    sealed: 'The container, as a JWE in general JSON serialisation. Each of your keys opens it.',
  },
  RedeliveryRange: {
    from: 'Events created at this time or later.',
    to: 'Events created at this time or earlier.',
    after: 'The `next` of an earlier response.',
  },
  RedeliveryPage: {
    redelivered: 'Number of attempts that have started.',
    next: 'The `after` of the next call.',
    has_more: 'True where the log may have more events of the range.',
  },
  VerificationPage: {
    next: 'The `after` of the next call. Null on the last page.',
    has_more: 'True where older entries may follow.',
    incomplete: 'Days (UTC) that this page leaves out, because their list is damaged. Absent without any.',
  },
  Insights: {
    incomplete:
      'Days (UTC) of creation that are not counted, because their list is damaged, or too long for one call: repeat it. Absent without any.',
    from: 'Start of the first step, in UTC.',
    steps:
      'Counts of each step by the time of the event. `ended` is by status, `webhook_attempts` by result, `attempt_reasons` are refused responses by reason. Durations are in seconds, at most 10 % too long.',
  },
  WalletList: {
    wallets:
      '`status` is `live`, `pilot` or `test`. `countries` is empty for any country. `protocols` are those of links and QR codes, `dc_api_protocols` those of a browser.',
  },
  Timeline: {
    entries:
      'Members that a type does not have are null. `count` equal entries from `at` to `last_at` are one.',
  },
  EventPage: { next: 'The `after` of the next call. Store it.' },
  Credential: {
    id: 'Id of the credential query in `dcql_query`.',
    status: 'Revocation status. Null: not checked.',
    checks: 'Scope name → whether this credential proves it.',
    transaction_data: 'Confirmed transactions: the index in the request, and the hash that was signed.',
  },
  Reason: {
    code: 'A stable code. New codes may be added within `/v1`.',
    retryable: 'True if another attempt by the same person may succeed.',
    type: 'Address of a page about this code.',
  },
  OperatorVerification: {
    reason: 'Code of the reason, where the session is over.',
    timeline:
      'In the order of time: `created`, `response_refused` (the last ten), the status at its end, `webhook_attempt`.',
    deliveries: 'At most one for each event.',
  },
  DeliveryLog: {
    deliveries:
      'At most one for each event. `body` is what every attempt sends. `response_excerpt` is the first 1 KiB of a response; the last ten attempts have it.',
    evidence_push:
      'State of the evidence on its way to your object store: `queued`, `delivered`, `dead`, or `unconfirmed`: the store accepted it and showed no checksum. Null if it is not sent.',
    evidence_push_attempts: 'Attempts to store it. At most six.',
  },
  AuditPage: {
    entries:
      '`number` is the position in the log, from 1 and without gaps. `actor` is null if the caller is not proven. `target` is the id of an API key, a client or a verification. `members` are the names of changed members.',
    next: 'The `after` of the next call. Null on the last page.',
    has_more: 'True where older entries follow.',
    missing:
      'Number of entries that were erased before their 400 days, because the log was full, and the time of the last one. Null if there are none.',
  },
  ApiKey: { last_used_at: 'Start of the hour in which the key was last used. Null: not used so far.' },
  CreateApiKey: {
    name: 'Name for your own use. The audit log has it. Default: null.',
    scopes: 'Default: the scopes of the token of this call, without `evidence:read`.',
    expires_at: 'A time in the future, at most the expiry of the key of this call. Default: that expiry.',
  },
  LinkOptions: { wallet: WALLET_OF_REQUEST },
  DcApiRequestOptions: {
    wallet: WALLET_OF_REQUEST,
    origin: 'The origin of your page, one of your `origins`. Default: the only one.',
  },
  CreatedApiKey: { api_key: SHOWN_ONCE },
  RelyingParty: { warnings: WARNINGS },
  CreatedRelyingParty: { api_key: SHOWN_ONCE, webhook_secret: SHOWN_ONCE, warnings: WARNINGS },
  CreateRelyingParty: {
    livemode: 'Cannot be changed. Every API key has the same mode.',
    by_value: 'Accept responses to the request of `GET …/openid4vp`. Default: in test mode only.',
    status_unavailable: '`accept`: a credential without a readable status counts as `low` at most.',
    certificate_revocation:
      'CRL checks. `accept_unknown`: without a CRL, `low` at most. Default: `require` in live mode, else `off`.',
    retention_seconds: 'How long results are stored. Default: 48 hours.',
    privacy_policy_uri:
      'Address of your privacy notice. The page links to it. Default: that of `google_wallet`.',
    alternative_url: 'Page for people without a wallet. The page links to it.',
    values_retention_days:
      'Days for which you store values that you got. The page shows it if a verification gives you values and does not declare `intent_to_retain: false`. Default: null, not declared.',
    evidence:
      'Keys to which evidence is sealed, and what it is kept of. `for`: `requested` or `all`. `outcomes`: `verified`, and `rejected` if you need it. `time_stamp`: `none`, `best_effort` or `required`. `push`: an object store to which evidence is sent; `secret_access_key` is never returned, and without it the secret of the same `endpoint` and `access_key_id` stays. Default: null, no evidence.',
    index: 'List verifications, and count them. Default: `true`.',
    eu_age_verification:
      'Let the preset `age_over_18` ask the EU age verification app by value, also in live mode. Default: `false`.',
    google_wallet:
      'What Google Wallet shows about you: `logo_uri`, `privacy_policy_uri` and `display_name` (default: `name`), or the `rp_metadata_bytes` that Google returned.',
    enforce_registration:
      'Refuse creations that go beyond your registration certificate (`verifier.registration`). A help against mistakes, no control: the signature of the certificate is not checked here. Default: `false`.',
    anchor_sets: "Names of the operator's lists of trusted issuers.",
    verifier:
      'Your own identity, further identities, and reader certificates. Private keys are never returned. A change may leave out `signing_jwk` of an entry: the stored key of the same first certificate stays.',
    console_sign_in:
      "Sign-in of people to the console by your organisation's OpenID Provider. `client_secret` is never returned; without it, the secret of the same `issuer` and `client_id` stays.",
  },
  TrustAnchor: {
    name: 'Needs exactly one of `x509_ca_pem`, `x509_certificate_pem`, `issuer_url`, `did`, or `issuer` with `jwks`.',
    credential_types: '`*`: the types that you added yourself.',
    sets: 'Sets that the anchor belongs to. A creation names sets in `anchor_sets`.',
  },
  WebhookTest: {
    event: 'The event that was sent.',
    duration_ms: 'Time until the response, in milliseconds.',
  },
  RotatedSecret: { previous_secret_expires_at: 'Until then, events are signed with both secrets.' },
  Problem: {
    type: 'Address of a page about this code.',
    detail: 'Never contains what was sent.',
    erased_at: 'Time of the erasure, for `evidence_erased`.',
    retryable: 'True if the same request may succeed later.',
  },
} as const satisfies { readonly CreateVerification: MemberTexts } & Readonly<
  Record<string, Readonly<Record<string, string>>>
>

type MemberTexts = Readonly<Record<keyof z.input<typeof createRequest>, string>>
