// A session as the second version of the stored shape held it, recorded from that version (its certificate chain left out), after
// a wallet fetched its request.

export const SCHEMA_2 = {
  schema: 2,
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
    credential_types: ['age_attestation'],
    scope: ['age_over_18'],
    required_assurance_level: 'low',
    credential_match: 'any',
    formats: ['dc+sd-jwt'],
    allow_derived: false,
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
  held: null,
  returned: null,
  outcome: null,
  winner: null,
  attempts: [],
  attempt_count: 0,
  deliveries: [],
  owed_to_log: null,
  retention_ms: 172800000,
  idempotency: null,
}
