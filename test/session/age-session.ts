// The request of a session for an age of 18 in one format, for recorded and simulated sessions.

import type { SessionDocument } from '../../src/session/document/document.ts'

/** The request, with plain responses. Its members are the defaults of a creation. */
export const AGE_REQUEST: SessionDocument['request'] = {
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
}

/** The policy that is built from the request. */
export const AGE_POLICY: SessionDocument['policy'] = {
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
}
