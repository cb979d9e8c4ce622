// A session as the first version of the stored shape held it, recorded from that version (its certificate chain left out).

export const SCHEMA_1 = {
  schema: 1,
  erased: false,
  verification_id: 'v_dvzZ0a90LWsuPYyCEJGTvXDu1Tvp_eivv8AY0XOPlwc',
  relying_party_id: 'rp_3ux5B6msfiy8CZT7daQa8OsHwKevgpC4a2MpjgO_qpc',
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
  version: 1,
  created_at: 1795236665754,
  expires_at: 1795237265754,
  ended_at: null,
  verified_at: null,
  verifier: {
    client_id: 'x509_hash:rvr-J4_6GGjVmEkmZ7xx3wZRB7pmqetegq9B8oRl_1Y',
    x5c: [],
    sealed_signing_jwk:
      'DjU7UPQkWSfdOpmicKSa5Gl60ezDB3ieb_Kma_FDuzmoZqJkbKknL2_DkyB4t8oNA3tWPiZcSQ21PyekgJgb5obuw08RPGQAacvv5Igx5ishssXZoPgNTBADTuoigYluVYTRGxwF28Zk1zq5ECekCPkkZmnHxAsHJLc8pKI70ZFJTHgNjhyvNPzCiDxSgsOxPFrzjGiayFwqtp0qLpI4zkcBaPYthe8r5drCTP8AwFl-Nt8WhEizCAD0zX_Ec5LS6XxNOga9xlgr_Izo',
  },
  handle_key: 'oU6oKyg-VTvLJB3WvsqJm3_KmdrIALSmZK9Vxy-sKrI',
  generation_count: 1,
  generations: [
    {
      number: 1,
      nonce: 'cee42f5c4b5589825b8f43f004b4a365',
      x: 'AWnKSjVWca0psziR5INWu6We3RFoGWK5Zy4-ldVn5yI',
      y: 'ISyzy66X5uG-2-9qNlqj_JSQ5-V2mDKk5IoWxaShfyQ',
      sealed_key:
        'PrFoOpVUfCTku4lkYwVlAIt3HR84AorctuU3hyFlMwbTchgFJNNLpn3XC5XwPHCmLSGVSu4W4-u3ph1xO_d7fQTsGK8yreo',
      channel: 'qr',
      created_at: 1795236665754,
      superseded_at: null,
      handed_out_at: null,
      fetched: false,
      viewed: false,
      used_at: 1795236665754,
    },
  ],
  outcome: null,
  winner: null,
  attempts: [],
  attempt_count: 0,
  deliveries: [],
  retention_ms: 172800000,
  idempotency: null,
}
