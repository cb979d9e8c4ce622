// Recorded sessions, without their certificate chains.

import type { SessionDocument } from '../../src/session/document.ts'

/** A pending session whose request was fetched. */
export const PENDING: SessionDocument = {
  schema: 6,
  erased: false,
  verification_id: 'v_vSjlZ_inv1FkSbM9pwSv0mGjez8dOxyFqf35ZVjbLu8',
  relying_party_id: 'rp_KVuAwaThufjyv5aJ2QIGZlwUHiRPX0j6FXHD7lAdyYs',
  livemode: false,
  request: {
    credential_types: ['age_attestation'],
    scope: ['age_over_18'],
    required_assurance_level: 'low',
    metadata: {
      order: '17',
    },
    credential_match: 'any',
    protocol: 'openid4vp-1.0',
    required_session_binding: 'none',
    expires_in: 600,
    allow_derived: false,
    formats: null,
    request_options: {
      client_id_prefix: 'x509_hash',
      response_mode: 'direct_post',
      request_uri_method: 'post',
    },
    return_url: null,
    locale: null,
    retry_of: null,
    claims_encryption_jwk: null,
  },
  policy: {
    scope: ['age_over_18'],
    query: {
      credentials: [
        {
          id: 'age_attestation',
          format: 'dc+sd-jwt',
          meta: {
            vct_values: ['urn:eu.europa.ec.av:1'],
          },
          claims: [
            {
              path: ['age_over_18'],
            },
          ],
        },
      ],
    },
    descriptors: [
      {
        query_id: 'age_attestation',
        credential_type: 'age_attestation',
        scopes: [
          {
            scope: 'age_over_18',
            path: ['age_over_18'],
            boolean: true,
          },
        ],
      },
    ],
  },
  status: 'pending',
  version: 2,
  created_at: 1795242989470,
  expires_at: 1795243589470,
  ended_at: null,
  verified_at: null,
  verifier: {
    client_id: 'x509_hash:rvr-J4_6GGjVmEkmZ7xx3wZRB7pmqetegq9B8oRl_1Y',
    x5c: [],
    sealed_signing_jwk:
      'pCw-gjZfqFeSK-Bt11zQenz8CEArk8v7hMp2PFC9OTlzmrqaP6mKr2aXBeNbQ-QVX3DfAXzLewmAB3I293QbFAH0_8aC1AZdA4Dg8tNQT7UObfmkXwf4oUysS_SWHwtAEEKbvyoBAczwszavE90-1LD_Axxv2sZzx_A2nd-iRrQe3SfeZWT5bGHSvX-RiRNLb-ixWoy22a4kgTLiiDIZxZ3xTtHrAVEzBM7674ISex5l_d5m23YgvYSbOdz1YIaYDzU68jwYSzecFTiq',
  },
  handle_key: 'TrbEblF-DBxuUKPPlSNsIl1O5xYQK8R-9KNivlbBKSg',
  generation_count: 1,
  generations: [
    {
      number: 1,
      nonce: '2ed274c33eec5e0dfcaf4ba3d15a15b2',
      x: '5VtmC7BX_SB7wwMFoCzeLlsjI3ucRPCHLvAsF7Tt0Yk',
      y: 'rrA8ePurtE9qP3bwtlYclSxGHc_RLxtUD3Ao3PfSfro',
      sealed_key:
        'hsUnLEWraGLI2BBb49zbwFh3-_NqGjxTFGbMhFFLj-Fk0RMxJHHIEasSe8ffgOoMKRTT4aj5nQHJ38qcp4TK_sV4DO3F79k',
      channel: 'qr',
      browser: null,
      created_at: 1795242989470,
      superseded_at: null,
      handed_out_at: 1795242989500,
      fetched: true,
      viewed: false,
      used_at: 1795242989500,
    },
  ],
  request_fetched: true,
  held: null,
  returned: null,
  outcome: null,
  winner: null,
  attempts: [],
  attempt_count: 0,
  deliveries: [],
  pending_log_entry: null,
  retention_ms: 172800000,
  idempotency: null,
}

/** A verified session. */
export const VERIFIED: SessionDocument = {
  schema: 6,
  erased: false,
  verification_id: 'v_94NB9AmIXomw-VpYfVXKm9CAA8V8Zh7OANhJWURDuIQ',
  relying_party_id: 'rp_KiI22sjbIB42X6JBrvMQiyM1khYdUmtEARps5JeDkLo',
  livemode: false,
  request: {
    credential_types: ['age_attestation'],
    scope: ['age_over_18'],
    required_assurance_level: 'low',
    metadata: {},
    credential_match: 'any',
    formats: ['dc+sd-jwt'],
    protocol: 'openid4vp-1.0',
    required_session_binding: 'none',
    expires_in: 600,
    allow_derived: false,
    request_options: {
      client_id_prefix: 'x509_hash',
      response_mode: 'direct_post',
      request_uri_method: 'post',
    },
    return_url: null,
    locale: null,
    retry_of: null,
    claims_encryption_jwk: null,
  },
  policy: {
    scope: ['age_over_18'],
    query: {
      credentials: [
        {
          id: 'age_attestation',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eu.europa.ec.av:1'] },
          claims: [{ path: ['age_over_18'] }],
        },
      ],
    },
    descriptors: [
      {
        query_id: 'age_attestation',
        credential_type: 'age_attestation',
        scopes: [{ scope: 'age_over_18', path: ['age_over_18'], boolean: true }],
      },
    ],
  },
  status: 'verified',
  version: 3,
  created_at: 1795246200711,
  expires_at: 1795246800711,
  ended_at: 1795246200775,
  verified_at: 1795246200775,
  verifier: {
    client_id: 'x509_hash:rvr-J4_6GGjVmEkmZ7xx3wZRB7pmqetegq9B8oRl_1Y',
    x5c: [],
    sealed_signing_jwk: '',
  },
  handle_key: 'AiswWky0dH-bhb6PaEz5FkQRfDwRSQQhDAnLjSnRvPI',
  generation_count: 1,
  generations: [],
  request_fetched: true,
  held: null,
  returned: null,
  outcome: {
    reason: null,
    checks: { age_over_18: true },
    assurance_level: 'substantial',
    derivation: [{ step: 'anchor', id: 'age_attestation', anchor: 'Test issuer', level: 'substantial' }],
    credentials: [
      {
        id: 'age_attestation',
        credential_type: 'age_attestation',
        format: 'dc+sd-jwt',
        issuer: 'https://issuer.example',
        assurance_level: 'substantial',
        status: 'not_present',
        checks: { age_over_18: true },
      },
    ],
    channel: 'qr',
    session_binding: 'none',
    trace: [
      { id: 'structure', clause: 'RFC 9901 §7.1 step 1', result: 'pass' },
      { id: 'type', clause: 'OpenID4VP 1.0 §6.1, SD-JWT VC §2.2.2', result: 'pass' },
      { id: 'issuer_trust', clause: 'RFC 5280 §6.1, HAIP 1.0 §6.1.1', result: 'pass' },
      { id: 'issuer_signature', clause: 'RFC 9901 §7.1 step 2', result: 'pass' },
      { id: 'disclosures', clause: 'RFC 9901 §7.1 step 3', result: 'pass' },
      { id: 'holder_binding', clause: 'RFC 9901 §7.3', result: 'pass' },
      { id: 'nonce', clause: 'OpenID4VP 1.0 §14.1', result: 'pass' },
      { id: 'audience', clause: 'OpenID4VP 1.0 §14.8', result: 'pass' },
      { id: 'validity', clause: 'SD-JWT VC §2.2.2', result: 'pass' },
      { id: 'status', clause: 'Token Status List §8.3', result: 'skip' },
      { id: 'policy', clause: 'OpenID4VP 1.0 §14.9', result: 'pass' },
    ],
    encrypted_claims: null,
    request_hash: null,
  },
  winner: 'rC2VSEvEYqG2nwZvaxO403wTFPvYexujO_SxC5hKc6U',
  attempts: [],
  attempt_count: 0,
  deliveries: [],
  pending_log_entry: null,
  retention_ms: 172800000,
  idempotency: null,
}
