// An example of every body, by the name of its schema. In all of them a shop checks that a person is over 18.
// The examples of errors are in errors.ts.

import type { z } from 'zod/mini'
import { NO_MEMBERS } from '../src/session/document/timeline.ts'
import type { COMPONENTS, ComponentName } from './components.ts'

/** Body of a request or a response, by the name of its schema. */
type Example<name extends ComponentName> = z.input<(typeof COMPONENTS)[name]>

const BASE = 'https://verifier.example'
const ID = 'v_7Zk1mJq0T5cW3x9aYdLfHs8RgUeVbN2oPiKtQwErXyA'
const RP = 'rp_Qm3xT8vN1kLw5zRb7cYd2fHs8RgUeVbN2oPiKtQwErX'
const CREATED = '2027-01-31T12:00:00.000Z'
const EXPIRES = '2027-01-31T12:10:00.000Z'
const VERIFIED = '2027-01-31T12:00:42.000Z'
const CLIENT_TOKEN = 'ct_MTc5ODc2MTYwMA.4f0Qh2rXbW9sKc7LdTzYpVgJ'
const CLIENT_ID = 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk'
const REQUEST_URI = `${BASE}/r/7Zk1mJq0T5cW3x9aYdLfHs8RgUeVbN2oPiKtQwErXyAb1c2d3e4f5g6h7`
const URI = `openid4vp://?client_id=${CLIENT_ID}&request_uri=${REQUEST_URI}&request_uri_method=post`
const QUERY: Example<'DcqlQuery'> = {
  credentials: [
    {
      id: 'age_sd_jwt',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:age:1'] },
      claims: [{ path: ['age_over_18'], values: [true] }],
    },
  ],
}
const OVER_18 = { age_over_18: true }
const ISSUER = 'https://issuer.example'
const POINT = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
} as const
const SCOPES: Example<'ApiKey'>['scopes'][number][] = ['verify:create', 'verify:read', 'verify:request']
const EVENTS: Example<'Event'>['event_type'][] = ['verification.verified', 'verification.rejected']
/** The certificate of a certification authority. Its key was deleted. */
const PEM = `-----BEGIN CERTIFICATE-----
MIIB1zCCAX6gAwIBAgIUc8G2HzKctmUbC275JWTfl7IP3KUwCgYIKoZIzj0EAwIw
NzEWMBQGA1UEAwwNQWdlIGlzc3VlciBDQTEQMA4GA1UECgwHRXhhbXBsZTELMAkG
A1UEBhMCTkwwIBcNMjYxMTIyMTE1NTE1WhgPMjA1NjExMTQxMTU1MTVaMDcxFjAU
BgNVBAMMDUFnZSBpc3N1ZXIgQ0ExEDAOBgNVBAoMB0V4YW1wbGUxCzAJBgNVBAYT
Ak5MMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEUxFRW6tIaBIzJG3UVIwrUvJ4
2yge9WU9PTNuEib+JRuBqWxh/uuzf9uReU1AfgjMxJbIjq00N3PtKBOSciUoGaNm
MGQwHQYDVR0OBBYEFEpavqPe8XGUnqMvSlTWE9JdCG9iMB8GA1UdIwQYMBaAFEpa
vqPe8XGUnqMvSlTWE9JdCG9iMBIGA1UdEwEB/wQIMAYBAf8CAQAwDgYDVR0PAQH/
BAQDAgEGMAoGCCqGSM49BAMCA0cAMEQCIHrL5udRc7dKSdb9Xb2M9CfeonamvP4H
yN3Wl19J7HbRAiB/l4J8+ByDDCMgMiVhlVhHxNbrGWe1qf8ZmeG1dj5C4Q==
-----END CERTIFICATE-----
`
const JWE = 'eyJhbGciOiJFQ0RILUVTIn0..aXY.Y2lwaGVydGV4dA.dGFn'

const WALLET_REQUEST: Example<'WalletRequest'> = {
  protocol: 'openid4vp-1.0',
  wallet: null,
  uri: URI,
  client_id: CLIENT_ID,
  request_uri: REQUEST_URI,
  request_uri_method: 'post',
  response_uri: `${BASE}/v1/verify/${ID}/callback`,
  dcql_query: QUERY,
  transaction_data: null,
  wallet_links: { openid4vp: URI },
  expires_at: EXPIRES,
}

const CREDENTIAL: Example<'Credential'> = {
  id: 'age_sd_jwt',
  credential_type: 'age_attestation',
  format: 'dc+sd-jwt',
  issuer: ISSUER,
  assurance_level: 'substantial',
  status: 'valid',
  checks: OVER_18,
  transaction_data: [],
}

const TRUST_LIST = {
  name: 'age-issuers',
  livemode: true,
  kind: 'pem_bundle',
  pem: PEM,
  services: [{ credential_types: ['age_attestation'], assurance_level: 'substantial' }],
}

const OUTCOME = {
  verification_id: ID,
  status: 'verified',
  checks: OVER_18,
  assurance_level: 'substantial',
  same_holder_key: true,
  credential_type: 'age_attestation',
  verified_at: VERIFIED,
  reason: null,
  metadata: { order: '4711' },
  protocol: 'openid4vp-1.0',
  channel: 'qr',
  format: 'dc+sd-jwt',
  issuer: ISSUER,
  session_binding: 'none',
  credentials: [CREDENTIAL],
  livemode: false,
  encrypted_claims: null,
} satisfies Partial<Example<'Verification'>>

const REASON: Example<'Reason'> = {
  code: 'untrusted_issuer',
  message: 'No trust anchor for this credential type vouches for the issuer.',
  retryable: true,
  type: `${BASE}/problems/untrusted_issuer`,
}

const VERIFICATION: Example<'Verification'> = {
  object: 'verification',
  ...OUTCOME,
  version: 4,
  stage: 'done',
  offered_client_ids: null,
  created_at: CREATED,
  expires_at: EXPIRES,
  session_url: null,
  credential_types: ['age_attestation'],
  scope: ['age_over_18'],
  dcql_query: null,
  preset: null,
  required_assurance_level: 'low',
  credential_match: 'any',
  formats: null,
  request_options: {
    client_id_prefix: 'x509_hash',
    response_mode: 'direct_post.jwt',
    request_uri_method: 'post',
  },
  wallet: null,
  required_session_binding: 'none',
  expires_in: 600,
  return_url: null,
  failure_return_url: null,
  return_automatically: false,
  locale: null,
  heading: null,
  purpose: null,
  alternative_url: null,
  allow_derived: false,
  intended_use: null,
  intent_to_retain: false,
  require_same_holder_key: false,
  anchor_sets: null,
  retry_of: null,
  claims_encryption_jwk: null,
  transaction_data: null,
  attempts: [
    {
      at: '2027-01-31T12:00:30.000Z',
      channel: 'qr',
      reason: REASON,
      detail: null,
      document_errors: null,
      claimed_issuer: {
        verified: false,
        iss: 'https://issuer.example.org',
        subject: 'CN=Issuer,C=EU',
        issuer: 'CN=Issuer CA,C=EU',
        authority_key_identifier: '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567',
        certificate_sha256: 'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184',
        certificate_pem: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
      },
    },
  ],
  attempt_count: 1,
  trust_lists: [],
  evidence: null,
  trace: [{ id: 'issuer_signature', clause: 'RFC 9901 §7.1', result: 'pass' }],
  assurance_derivation: [
    { step: 'anchor', id: 'age_sd_jwt', anchor: 'Age issuer', level: 'substantial' },
    { step: 'holder_binding', id: 'age_sd_jwt', level: 'substantial' },
    { step: 'status', id: 'age_sd_jwt', status: 'valid', as_of: CREATED, level: 'substantial' },
  ],
}

const EVENT: Example<'Event'> = {
  attempt_count: 0,
  event_id: 'evt_Jx2Yk7QmZ1nT4vRb8cLd0w',
  event_type: 'verification.verified',
  sequence: 1,
  created_at: VERIFIED,
  ...OUTCOME,
}

const TEST_EVENT: Example<'TestEvent'> = {
  event_id: 'evt_Jx2Yk7QmZ1nT4vRb8cLd0w',
  event_type: 'webhook.test',
  created_at: CREATED,
  relying_party_id: RP,
  livemode: false,
}

const OIDC_SECRET = 'ocs_…'

const CONSOLE_SESSION: Example<'ConsoleSession'> = {
  owner: 'relying_party',
  base_url: BASE,
  expires_at: EXPIRES,
  relying_party: { relying_party_id: RP, name: 'Example shop', livemode: false },
  scopes: [...SCOPES],
  person: null,
}

const OIDC_CLIENT: Example<'OidcClient'> = {
  client_id: 'oc_0123456789abcdef0123456789abcdef',
  issuer: `${BASE}/oidc/${RP}`,
  created_at: CREATED,
  name: 'Wine shop',
  application_type: 'web',
  redirect_uris: ['https://shop.example/callback'],
  token_endpoint_auth_method: 'client_secret_basic',
  token_endpoint_as_audience: false,
  require_pushed_authorization_requests: false,
  require_pkce: true,
  dpop_bound_access_tokens: false,
  cross_device: false,
  policies: [
    {
      name: 'adult',
      front_channel: false,
      credential_types: ['age_attestation'],
      scope: ['age_over_18'],
      required_assurance_level: 'low',
      credential_match: 'any',
      protocol: 'openid4vp-1.0',
      request_options: {},
      required_session_binding: 'page',
      allow_derived: false,
      require_same_holder_key: false,
    },
  ],
  default_policy: 'adult',
  subject: { type: 'transient' },
  id_token_signed_response_alg: 'RS256',
  userinfo_signed_response_alg: null,
  id_token_encrypted_response_alg: null,
  id_token_encrypted_response_enc: null,
  userinfo_encrypted_response_alg: null,
  userinfo_encrypted_response_enc: null,
  jwks: null,
}

const API_KEY: Example<'ApiKey'> = {
  key_id: '9f2c4e6a8b0d1f3a',
  name: 'Shop server',
  scopes: SCOPES,
  created_at: CREATED,
  expires_at: null,
  last_used_at: '2027-01-31T12:00:00.000Z',
}
const SHOWN_KEY = `wv_test_${RP.slice(3)}.9f2c4e6a8b0d1f3a.…`
const NEW_SECRET = 'whsec_…'
const ANCHOR: Example<'RelyingParty'>['trust_anchors'][number] = {
  name: 'Age issuer',
  credential_types: ['age_attestation'],
  assurance_level: 'substantial',
  x509_ca_pem: PEM,
}
const CREDENTIAL_TYPES: Example<'RelyingParty'>['credential_types'] = [
  {
    type: 'club_card',
    formats: {
      'dc+sd-jwt': {
        meta: { vct_values: ['https://club.example/card'] },
        scopes: { member: { path: ['member'], boolean: true } },
      },
    },
  },
]
// The service refuses addresses below `.example`, which no public name server has.
const WEBHOOK = { url: 'https://shop.example.com/webhooks/wallet', events: EVENTS }
const LISTED = { relying_party_id: RP, name: 'Example shop', livemode: false, created_at: CREATED }
const RELYING_PARTY: Example<'RelyingParty'> = {
  ...LISTED,
  webhook: { ...WEBHOOK, disabled: false },
  trust_anchors: [ANCHOR],
  anchor_sets: [],
  credential_types: CREDENTIAL_TYPES,
  transaction_data_types: [],
  formats: null,
  request_options: {},
  by_value: true,
  status_unavailable: 'refuse',
  certificate_revocation: 'require',
  enforce_registration: false,
  eu_age_verification: false,
  index: true,
  google_wallet: null,
  return_urls: ['https://shop.example/checkout'],
  origins: ['https://shop.example'],
  privacy_policy_uri: 'https://shop.example/privacy',
  alternative_url: 'https://shop.example/other-ways',
  values_retention_days: 30,
  branding: { color: '#1d4ed8', logo: null },
  retention_seconds: 172_800,
  claims_encryption_jwk: null,
  evidence: null,
  console_sign_in: {
    issuer: 'https://login.shop.example.com/realms/staff',
    client_id: 'wallet-verifier-console',
    roles_claim: 'roles',
    roles: { 'verifier-support': ['verify:read'] },
  },
  verifier: null,
  api_keys: [API_KEY],
  warnings: [],
}

const OTHER_OPTION = { member: '/dcql_query/credentials/1', why: 'one_option' }
const NOT_HELD = { member: '/dcql_query/credentials/0/meta', why: 'type_not_held' }

/** Schemas that are only parts of bodies, and those of errors. */
type WithoutExample =
  | (
      | 'DcqlQuery'
      | 'EncryptionKey'
      | 'TrustAnchor'
      | 'CredentialTypes'
      | 'TransactionDataTypes'
      | 'WalletRequest'
    )
  | ('Reason' | 'Credential' | 'ApiKey' | 'Problem' | 'OAuthError')

/** By schema, whose type each example has. */
export const EXAMPLES: {
  readonly [name in Exclude<ComponentName, WithoutExample>]: Example<name>
} = {
  CreateVerification: {
    credential_types: ['age_attestation'],
    scope: ['age_over_18'],
    metadata: { order: '4711' },
  },
  BrowserReturnRequest: { response_code: 'hS0c…' },
  Redemption: { return_code: 'p9Xq…' },
  OutcomeRequest: { reason: 'credential_revoked' },
  Outcome: { wallet: { status: 200, body: '{}', redirect_uri: null }, verification: VERIFICATION },
  LinkOptions: { wallet: 'nl-wallet' },
  DcApiRequestOptions: { origin: 'https://shop.example' },
  DcApiResponse: { protocol: 'openid4vp-v1-signed', data: { response: JWE } },
  CreateRelyingParty: { name: 'Example shop', webhook: WEBHOOK, trust_anchors: [ANCHOR] },
  ChangeRelyingParty: { retention_seconds: 3600 },
  CreateApiKey: { name: 'Shop server', scopes: SCOPES },
  TokenForm: { grant_type: 'client_credentials', client_id: RP, client_secret: SHOWN_KEY },
  RequestObjectForm: { wallet_nonce: 'qPmxiNFCR3QTm19POc8u', wallet_metadata: '{}' },
  ResponseForm: { response: JWE },
  CreatedVerification: {
    verification_id: ID,
    status: 'pending',
    session_url: `${BASE}/s/${ID}?token=${CLIENT_TOKEN}`,
    qr_code: 'image/png;base64,iVBORw0KGgo…',
    deep_link: `walletverify://verify/${ID}`,
    expires_at: EXPIRES,
    client_token: CLIENT_TOKEN,
    wallet_request: WALLET_REQUEST,
    livemode: false,
    version: 1,
    locale: null,
    warnings: [],
    wallets: [
      { id: 'eudi-android', result: 'works', browser: 'any' },
      { id: 'nl-wallet', result: 'lowered', browser: 'no', left_out: [OTHER_OPTION] },
      { id: 'apple-wallet', result: 'cannot', reasons: [NOT_HELD] },
    ],
  },
  Verification: VERIFICATION,
  VerificationState: {
    object: 'verification_state',
    verification_id: ID,
    version: 1,
    status: 'pending',
    stage: 'created',
    expires_at: EXPIRES,
    wallet_activity: null,
    family: null,
  },
  AuthorizationRequest: {
    verification_id: ID,
    status: 'pending',
    expires_at: EXPIRES,
    deep_link: `openid4vp://verify?request=${ID}`,
    qr_code_url: `${BASE}/v1/verify/${ID}/qr?token=${CLIENT_TOKEN}`,
    authorization_request: {
      response_type: 'vp_token',
      response_mode: 'direct_post',
      client_id: BASE,
      redirect_uri: `${BASE}/v1/verify/${ID}/callback`,
      nonce: '0f8fad5bd9cb469fa16570867728950e',
      presentation_definition: {
        id: `pd_${ID}`,
        input_descriptors: [
          {
            id: `descriptor_${ID}`,
            name: 'age_attestation',
            constraints: { fields: [{ path: ['$.credentialSubject.age_over_18', '$.age_over_18'] }] },
          },
        ],
      },
    },
    wallet_request: WALLET_REQUEST,
  },
  Evidence: {
    object: 'evidence',
    version: 1,
    verification_id: ID,
    created_at: CREATED,
    manifest: 'PGFzaWM6QVNpQ01hbmlmZXN0…',
    manifest_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    time_stamps: [{ token: 'MIIHRQYJKoZIhvcN…', gen_time: '2027-01-31T12:00:42.000Z' }],
    materials: [],
    sealed: {
      protected: 'eyJlbmMiOiJBMjU2R0NNIiwiY3R5IjoiYXBwbGljYXRpb24vemlwIn0',
      iv: 'j0hQ…',
      ciphertext: 'tT8c…',
      tag: 'a1Zk…',
      recipients: [{ header: { alg: 'ECDH-ES+A256KW', kid: 'archive-2027' }, encrypted_key: 'Qm9b…' }],
    },
  },
  Event: EVENT,
  TestEvent: TEST_EVENT,
  RedeliveryRange: { from: '2026-11-21T08:00:00Z', to: '2026-11-21T20:00:00Z' },
  RedeliveryPage: { redelivered: 3, next: 'AABRYAAAAAFqZ0l4c3R1dnd4eXphYmNk', has_more: false },
  VerificationPage: {
    verifications: [
      {
        verification_id: ID,
        status: 'verified',
        stage: 'done',
        created_at: '2027-01-31T12:00:00.000Z',
        ended_at: '2027-01-31T12:00:41.000Z',
        expires_at: '2027-01-31T12:10:00.000Z',
        credential_types: ['age_attestation'],
        reason: null,
        attempt_count: 0,
        last_attempt_reason: null,
        webhook_state: 'delivered',
        metadata: { order: '4711' },
        livemode: true,
      },
    ],
    next: null,
    has_more: false,
  },
  Insights: {
    from: '2027-01-31T00:00:00.000Z',
    to: '2027-02-01T00:00:00.000Z',
    step: 'day',
    steps: [
      {
        at: '2027-01-31T00:00:00.000Z',
        created: 12,
        request_fetched: 10,
        ended: { expired: 2, verified: 9 },
        reasons: { session_expired: 2 },
        attempt_reasons: { untrusted_issuer: 1 },
        channels: { qr: 9 },
        protocols: { 'openid4vp-1.0': 12 },
        webhook_attempts: { failed: 1, succeeded: 11 },
        seconds_to_end: { p50: 38.1, p95: 602.4 },
        webhook_seconds: { p50: 0.12, p95: 0.4 },
      },
    ],
  },
  WalletList: {
    wallets: [
      {
        id: 'eudi-android',
        name: 'EUDI reference wallet (Android)',
        status: 'test',
        countries: [],
        platforms: ['android'],
        formats: ['mso_mdoc', 'dc+sd-jwt'],
        protocols: ['openid4vp-1.0', 'haip-1.0'],
        dc_api_protocols: ['org-iso-mdoc'],
      },
    ],
  },
  Timeline: {
    verification_id: ID,
    entries: [
      {
        at: '2027-01-31T12:00:00.000Z',
        last_at: '2027-01-31T12:00:00.000Z',
        type: 'created',
        ...NO_MEMBERS,
      },
    ],
    left_out: 0,
  },
  EventPage: { events: [EVENT], next: 'AABRYAAAAAFqZ0l4c3R1dnd4eXphYmNk', has_more: false },
  DeliveryLog: {
    verification_id: ID,
    deliveries: [
      {
        delivery_id: 'dlv_c4Hn8sVtY2kXq6Zw1mRb9d',
        event_id: 'evt_Jx2Yk7QmZ1nT4vRb8cLd0w',
        event_type: 'verification.verified',
        sequence: 1,
        state: 'delivered',
        next_attempt_at: null,
        body: '{"event_id":"evt_Jx2Yk7QmZ1nT4vRb8cLd0w",…}',
        attempts: [
          {
            attempt: 1,
            at: VERIFIED,
            manual: false,
            status: 204,
            error: null,
            duration_ms: 84,
            response_excerpt: null,
          },
        ],
      },
    ],
    evidence_push: null,
    evidence_push_attempts: [],
  },
  OperatorVerification: {
    verification_id: ID,
    relying_party_id: RELYING_PARTY.relying_party_id,
    livemode: true,
    status: 'pending',
    reason: null,
    stage: 'request_fetched',
    protocol: 'openid4vp-1.0',
    required_session_binding: 'none',
    channel: null,
    created_at: CREATED,
    expires_at: EXPIRES,
    ended_at: null,
    attempt_count: 1,
    timeline: [
      { at: CREATED, event: 'created', detail: null },
      { at: VERIFIED, event: 'response_refused', detail: 'untrusted_issuer' },
    ],
    deliveries: [],
  },
  Link: { uri: URI, wallet_links: { openid4vp: URI }, expires_at: EXPIRES },
  BrowserReturnResult: {
    object: 'browser_return',
    return_url: 'https://shop.example/checkout?return_code=p9Xq…',
  },
  DcApiRequests: {
    digital: { requests: [{ protocol: 'openid4vp-v1-signed', data: { request: 'eyJhbGciOiJFUzI1NiJ9…' } }] },
    expires_at: EXPIRES,
  },
  RelyingParty: RELYING_PARTY,
  CreatedRelyingParty: { api_key: SHOWN_KEY, webhook_secret: NEW_SECRET, ...RELYING_PARTY },
  CreateTrustList: TRUST_LIST,
  TrustList: {
    ...TRUST_LIST,
    created_at: CREATED,
    sequence: null,
    issued_at: null,
    next_update: null,
    trust_as_of: CREATED,
    usable_until: null,
    anchors: 1,
    left_out: 0,
    last_attempt: { at: CREATED, fault: null },
  },
  TrustLists: { trust_lists: [{ name: 'age-issuers', livemode: true }] },
  RelyingPartyPage: {
    relying_parties: [{ ...LISTED, verifier_certificate_expires_at: null }],
    next_cursor: null,
  },
  AuditPage: {
    entries: [
      {
        number: 42,
        at: '2027-01-31T12:00:00.000Z',
        action: 'settings.changed',
        actor: { kind: 'api_key', id: '9f2c4e6a8b0d1f3a', name: 'Shop server', email: null },
        target: null,
        target_name: null,
        members: ['webhook', 'trust_anchors'],
        channel: 'console',
        address: '203.0.113.7',
      },
    ],
    next: null,
    has_more: false,
    missing: null,
  },
  ApiKeyList: { api_keys: [API_KEY] },
  CreatedApiKey: { api_key: SHOWN_KEY, ...API_KEY },
  RotatedSecret: { webhook_secret: NEW_SECRET, previous_secret_expires_at: '2027-02-01T12:00:00.000Z' },
  WebhookTest: {
    event_id: TEST_EVENT.event_id,
    event: TEST_EVENT,
    succeeded: true,
    status: 204,
    error: null,
    duration_ms: 87,
  },
  SignIn: { token: SHOWN_KEY },
  ConsoleSession: CONSOLE_SESSION,
  ConsoleSignIn: { ...CONSOLE_SESSION, change_token: 'x8Yq…' },
  ConsoleCodeRequest: { api_key: SHOWN_KEY },
  ConsoleCode: { code: 'b1Vw…' },
  ConsoleStartRequest: { relying_party_id: RP },
  ConsoleStart: { authorization_url: 'https://login.shop.example.com/realms/staff/auth?client_id=…' },
  ConsoleSignOut: { end_session_url: 'https://login.shop.example.com/realms/staff/logout?client_id=…' },
  Token: { access_token: 'eyJhbGciOi…', token_type: 'Bearer', expires_in: 900, scope: SCOPES.join(' ') },
  Redirect: { redirect_uri: `${BASE}/v1/verify/${ID}/return#response_code=hS0c…` },
  CreateOidcClient: {
    name: 'Wine shop',
    redirect_uris: ['https://shop.example/callback'],
    policies: [{ name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'] }],
  },
  ChangeOidcClient: { name: 'Wine and beer shop' },
  OidcClient: OIDC_CLIENT,
  OidcClientList: { oidc_clients: [OIDC_CLIENT] },
  CreatedOidcClient: { ...OIDC_CLIENT, client_secret: OIDC_SECRET, warnings: [] },
  OidcSecret: { client_id: OIDC_CLIENT.client_id, client_secret: OIDC_SECRET },
  OidcMetadata: {
    issuer: OIDC_CLIENT.issuer,
    authorization_endpoint: `${OIDC_CLIENT.issuer}/authorize`,
    pushed_authorization_request_endpoint: `${OIDC_CLIENT.issuer}/par`,
    token_endpoint: `${OIDC_CLIENT.issuer}/token`,
    userinfo_endpoint: `${OIDC_CLIENT.issuer}/userinfo`,
    jwks_uri: `${OIDC_CLIENT.issuer}/jwks`,
  },
  OidcKeySet: { keys: [{ ...POINT, kid: 'k1', alg: 'ES256', use: 'sig' }] },
  OidcTokens: {
    access_token: 'opaque',
    token_type: 'Bearer',
    expires_in: 300,
    id_token: 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln',
    scope: 'openid',
  },
  PushedRequestForm: {
    response_type: 'code',
    redirect_uri: 'https://shop.example/callback',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  },
  PushedRequest: {
    request_uri: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c',
    expires_in: 60,
  },
  CodeForm: {
    grant_type: 'authorization_code',
    code: 'SplxlOBeZQQYbYS6WxSbIA',
    redirect_uri: 'https://shop.example/callback',
    code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  },
  UserInfo: {
    sub: 'hq6pZ0bJ5cVnJmbN9oXz7tV1u3y4w5x6z7A8B9C0D1E',
    auth_time: 1800000000,
    acr: 'urn:wallet-verifier:assurance:substantial',
    policy: 'adult#0123456789abcdef',
    livemode: true,
    session_binding: 'relying_party',
    verification_id: ID,
    age_over_18: true,
  },
  KeySet: { keys: [{ ...POINT, kid: 'k1', alg: 'ES256', use: 'sig' }] },
  DidDocument: {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: 'did:web:verifier.example',
    verificationMethod: [
      {
        id: 'did:web:verifier.example#k1',
        type: 'JsonWebKey2020',
        controller: 'did:web:verifier.example',
        publicKeyJwk: POINT,
      },
    ],
    authentication: ['did:web:verifier.example#k1'],
    assertionMethod: ['did:web:verifier.example#k1'],
  },
  OAuthMetadata: {
    issuer: BASE,
    token_endpoint: `${BASE}/oauth/token`,
    jwks_uri: `${BASE}/.well-known/jwks.json`,
    scopes_supported: SCOPES,
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  },
  Health: { status: 'ok', boot_id: null },
  Readiness: { status: 'ready', warnings: [] },
}
