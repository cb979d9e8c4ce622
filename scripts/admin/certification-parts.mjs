// Parts of the configurations for the suite of the OpenID Foundation: the issuer of its wallet, the clients,
// and one configuration for each plan. Names of members and plans are those of the suite (version 5.2.4).

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { loadX509 } from '../service/verifier-certificate.mjs'

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY = 86_400_000
const LIFE_DAYS = 365

/** Bodies of the creations, by the suite's name of the credential format. */
export const REQUESTS = {
  sd_jwt_vc: {
    protocol: 'haip-1.0',
    credential_types: ['pid'],
    scope: ['given_name', 'family_name'],
    formats: ['dc+sd-jwt'],
  },
  iso_mdl: {
    protocol: 'haip-1.0',
    credential_types: ['mdl'],
    scope: ['given_name', 'family_name'],
    formats: ['mso_mdoc'],
  },
}

/** Second address of the suite's clients: it checks that their query is kept. */
const QUERY_SUFFIX = '?dummy1=lorem&dummy2=ipsum'

/**
 * Makes the authority of the suite's wallet, and the key that signs its credentials, with the certificate as
 * `x5c`. HAIP 1.0: the certificate is not self-signed, and the authority is not in the chain.
 */
export async function makeIssuer(host) {
  const x509 = await loadX509()
  const [authorityKeys, keys] = await Promise.all([generateKeys(), generateKeys()])
  const now = Date.now()
  const validity = { notBefore: new Date(now - 60_000), notAfter: new Date(now + LIFE_DAYS * DAY) }
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'C=ZZ, O=Certification, CN=Authority of the suite',
    keys: authorityKeys,
    signingAlgorithm: P256,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  })
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'C=ZZ, O=Certification, CN=Signer of the suite',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: P256,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  })
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', keys.privateKey)
  const x5c = [Buffer.from(certificate.rawData).toString('base64')]
  return {
    authorityPem: `${authority.toString('pem')}\n`,
    signingJwk: { kty, crv, x, y, d, use: 'sig', alg: 'ES256', x5c },
  }
}

function generateKeys() {
  return crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
}

/** Name of the clients' policy, and the scope that chooses it. */
const POLICY = 'person'

/** Makes the key pair of a client, as JWKs. `alg`: `ES256` or `PS256`. */
export function makeSigningKeys(alg) {
  const { privateKey, publicKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const members = { use: 'sig', alg, kid: randomUUID() }
  return {
    privateJwk: { ...privateKey.export({ format: 'jwk' }), ...members },
    publicJwk: { ...publicKey.export({ format: 'jwk' }), ...members },
  }
}

/**
 * Returns the trust anchors of the verifier. `mdocSigner`: PEM of the suite's document signer, if known.
 * Without it, the anchor for mdocs is the authority of SD-JWT VC, so that a request can be made. The response
 * is refused, and the attempt names the signer.
 */
export function verifierAnchors(authorityPem, mdocSigner) {
  const level = { assurance_level: 'substantial' }
  const suite = { name: 'Suite, SD-JWT VC', credential_types: ['pid'], x509_ca_pem: authorityPem, ...level }
  const signer =
    mdocSigner === undefined ? { x509_ca_pem: authorityPem } : { x509_certificate_pem: mdocSigner }
  return [suite, { name: 'Suite, mdoc', credential_types: ['mdl'], ...signer, ...level }]
}

/** Returns the bodies that register the clients of the provider plans. `keys`: those for FAPI 2.0. */
export function clientBodies(callback, keys) {
  const shared = {
    redirect_uris: [callback, `${callback}${QUERY_SUFFIX}`],
    subject: { type: 'pairwise', claims: ['personal_administrative_number'] },
    policies: [
      { name: POLICY, credential_types: ['pid'], scope: ['personal_administrative_number', 'age_over_18'] },
    ],
  }
  // The plans of OpenID Connect send no PKCE.
  const basic = (name, method) => ({
    ...shared,
    name,
    token_endpoint_auth_method: method,
    require_pkce: false,
  })
  const fapi = (name, { publicJwk }) => ({
    ...shared,
    name,
    token_endpoint_auth_method: 'private_key_jwt',
    require_pushed_authorization_requests: true,
    dpop_bound_access_tokens: true,
    // FAPI 2.0 §5.4.1 allows no RS256, which is the default.
    id_token_signed_response_alg: 'ES256',
    jwks: { keys: [publicJwk] },
  })
  return {
    basic: basic('Suite, Basic', 'client_secret_basic'),
    basic2: basic('Suite, Basic, second', 'client_secret_basic'),
    post: basic('Suite, Basic, secret by POST', 'client_secret_post'),
    fapi: fapi('Suite, FAPI 2.0', keys.client),
    fapi2: fapi('Suite, FAPI 2.0, second', keys.client2),
  }
}

/** Returns each plan with its variant, its expected results, its file and its configuration. */
export function plansOf({ alias, issuer, rootPem, clients, keys }) {
  const haip = (format) => ({
    plan: 'oid4vp-1final-verifier-haip-test-plan',
    variant: { credential_format: format, response_mode: 'direct_post.jwt' },
    configuration: {
      alias,
      description: `Verifier, HAIP 1.0, ${format}`,
      client: { request_object_trust_anchor_pem: rootPem },
      credential: { signing_jwk: issuer.signingJwk },
    },
  })
  const server = {
    discoveryUrl: `${clients.basic.issuer}/.well-known/openid-configuration`,
    // A member of OpenID Connect for Identity Assurance, which the suite's schema does not know.
    allow_unexpected_metadata_fields: ['verified_claims_supported'],
  }
  const withSecret = ({ client_id, client_secret }) => ({ client_id, client_secret })
  const withKey = ({ client_id }, { privateJwk }) => ({
    client_id,
    // A module exchanges the values of the scope, so it needs two.
    scope: `openid ${POLICY}`,
    jwks: { keys: [privateJwk] },
    dpop_signing_alg: 'ES256',
  })
  return [
    {
      file: 'verifier-sd-jwt-vc.json',
      expected: '7 PASSED, 4 REVIEW',
      ...haip('sd_jwt_vc'),
    },
    {
      file: 'verifier-iso-mdl.json',
      expected: '1 PASSED, 3 REVIEW',
      ...haip('iso_mdl'),
    },
    {
      file: 'provider-config.json',
      plan: 'oidcc-config-certification-test-plan',
      variant: {},
      expected: '1 PASSED',
      configuration: {
        alias,
        description: 'Provider, Config',
        server,
        client: withSecret(clients.basic),
      },
    },
    {
      file: 'provider-basic.json',
      plan: 'oidcc-basic-certification-test-plan',
      variant: { server_metadata: 'discovery', client_registration: 'static_client' },
      expected: '16 PASSED, 4 REVIEW, 3 WARNING, 8 SKIPPED, 4 FAILED: no certificate',
      configuration: {
        alias,
        description: 'Provider, Basic',
        server,
        client: withSecret(clients.basic),
        client2: withSecret(clients.basic2),
        client_secret_post: withSecret(clients.post),
      },
    },
    {
      file: 'provider-fapi2.json',
      plan: 'fapi2-security-profile-final-test-plan',
      variant: {
        client_auth_type: 'private_key_jwt',
        sender_constrain: 'dpop',
        openid: 'openid_connect',
        fapi_profile: 'plain_fapi',
        authorization_request_type: 'simple',
      },
      expected: '53 PASSED, 2 WARNING, 1 SKIPPED',
      configuration: {
        alias,
        description: 'Provider, FAPI 2.0',
        server,
        client: withKey(clients.fapi, keys.client),
        client2: withKey(clients.fapi2, keys.client2),
        resource: { resourceUrl: `${clients.fapi.issuer}/userinfo` },
      },
    },
  ]
}
