// Table of commands: each has its route, the members that its flags set, and the secret members of its
// response.

/**
 * A flag: the member it sets (`webhook.url`: inside `webhook`), how its text is read (call.mjs), and what it
 * is.
 */
const flag = (member, kind, words) => ({ member, kind, words })

const SETTINGS = {
  name: flag('name', 'text', 'name that people see'),
  'webhook-url': flag('webhook.url', 'text', 'URL that receives events'),
  'webhook-events': flag('webhook.events', 'list', 'events to send: verification.verified,…'),
  'anchor-sets': flag('anchor_sets', 'list', 'trust lists to subscribe to'),
  'trust-anchors': flag('trust_anchors', 'json-file', 'a JSON file: a list of trust anchors'),
  formats: flag('formats', 'list', 'credential formats to request'),
  'by-value': flag('by_value', 'boolean', 'true or false'),
  'enforce-registration': flag('enforce_registration', 'boolean', 'true or false'),
  'eu-age-verification': flag('eu_age_verification', 'boolean', 'true or false'),
  index: flag('index', 'boolean', 'true or false'),
  'google-wallet': flag('google_wallet', 'json-file', 'a JSON file: what Google Wallet shows'),
  'status-unavailable': flag('status_unavailable', 'text', 'refuse or accept'),
  'return-urls': flag('return_urls', 'list', 'URLs that browsers may return to'),
  origins: flag('origins', 'list', 'origins that may use the Digital Credentials API and frame our pages'),
  'privacy-policy-uri': flag('privacy_policy_uri', 'text', 'URL of the privacy notice'),
  'alternative-url': flag('alternative_url', 'text', 'URL of a page for people without a wallet'),
  'values-retention-days': flag(
    'values_retention_days',
    'number',
    'days for which you store values that you got',
  ),
  branding: flag('branding', 'json-file', 'a JSON file: color and logo'),
  'retention-seconds': flag('retention_seconds', 'number', 'seconds until results are deleted'),
  'claims-encryption-jwk': flag('claims_encryption_jwk', 'json-file', 'a JSON file: a public P-256 key'),
  'console-sign-in': flag(
    'console_sign_in',
    'json-file',
    'a JSON file: the OpenID Provider by which people sign in to the console',
  ),
  'verifier-key': flag('verifier.signing_jwk', 'json-file', 'a JSON file: a private P-256 key'),
  'verifier-chain': flag(
    'verifier.certificate_chain_pem',
    'file',
    'a PEM file: the certificate chain of the key, leaf first',
  ),
  'verifier-root': flag(
    'verifier.root_certificate_pem',
    'file',
    'a PEM file: the root of that chain, for wallets that expect it',
  ),
  'verifier-further': flag(
    'verifier.further',
    'json-file',
    'a JSON file: further identities, for multi-signed requests; needs the other flags of verifier too',
  ),
  'reader-certificates': flag(
    'verifier.reader_certificates',
    'json-file',
    'a JSON file: reader certificates; replaces verifier as a whole, as its other flags do',
  ),
}

const LIVEMODE = { livemode: flag('livemode', 'boolean', 'true or false') }

const TRUST_LIST = {
  name: flag('name', 'text', 'name that relying parties subscribe to'),
  ...LIVEMODE,
  kind: flag('kind', 'text', 'etsi_lote, etsi_tl, eu_lotl, vical or pem_bundle'),
  url: flag('url', 'text', 'URL of the published list'),
  pem: flag('pem', 'file', 'a PEM file, for the kind pem_bundle'),
  services: flag('services', 'json-file', 'a JSON file: credential types for each kind of service'),
  signers: flag('signers', 'json-file', 'a JSON file: certificates or keys that sign the list'),
  'list-type': flag('list_type', 'text', 'required LoTEType or TSLType'),
  territory: flag('territory', 'text', 'required SchemeTerritory of an etsi_tl: SE'),
  schemes: flag('schemes', 'text', 'a scheme in place of services and list-type: eu_age_verification, …'),
  'credential-types': flag(
    'credential_types',
    'list',
    'credential types of a scheme that names none: pid,mdl',
  ),
  'assurance-level': flag('assurance_level', 'text', 'low, substantial or high, with schemes'),
  territories: flag(
    'territories',
    'list',
    'national lists that an eu_lotl follows: HU,SE; for all use --json',
  ),
  'oj-url': flag('oj_url', 'text', 'address in the Official Journal that names the signers of an eu_lotl'),
  'refresh-seconds': flag('refresh_seconds', 'number', 'seconds between two fetches'),
  'stale-after-seconds': flag('stale_after_seconds', 'number', 'seconds until a copy is no longer used'),
}

const OIDC_CLIENT = {
  name: flag('name', 'text', 'name that people see'),
  'redirect-uris': flag('redirect_uris', 'list', 'addresses that browsers return to'),
  policies: flag('policies', 'json-file', 'a JSON file: a list of policies'),
  'default-policy': flag('default_policy', 'text', 'name of the policy of a request that names none'),
  authentication: flag('token_endpoint_auth_method', 'text', 'client_secret_basic, private_key_jwt, none, …'),
  jwks: flag('jwks', 'json-file', 'a JSON file: public keys of the client'),
  'cross-device': flag('cross_device', 'boolean', 'true or false: a QR code may answer'),
}

const PAGE = {
  after: flag('after', 'text', 'next_cursor of the previous page'),
  limit: flag('limit', 'text', 'largest number of items'),
}

const PARTY = '/relying_parties/{relying_party_id}'
const CLIENT = `${PARTY}/oidc_clients/{client_id}`

/** `final`: the command cannot be undone and needs `--yes`. */
export const COMMANDS = {
  'relying-parties create': {
    does: 'creates a relying party',
    route: 'POST /relying_parties',
    flags: { ...SETTINGS, ...LIVEMODE },
    secrets: ['api_key', 'webhook_secret'],
  },
  'relying-parties list': { does: 'lists relying parties', route: 'GET /relying_parties', flags: PAGE },
  'relying-parties show': { does: 'shows the settings of a relying party', route: `GET ${PARTY}` },
  'relying-parties update': {
    does: 'replaces the members that are given',
    route: `PATCH ${PARTY}`,
    flags: SETTINGS,
  },
  'relying-parties delete': {
    does: 'deletes a relying party and its keys',
    route: `DELETE ${PARTY}`,
    final: true,
  },
  'api-keys create': {
    does: 'creates another API key',
    route: `POST ${PARTY}/api_keys`,
    flags: {
      name: flag('name', 'text', 'shown in the audit log'),
      scopes: flag('scopes', 'list', 'verify:create,verify:read,…'),
      'expires-at': flag('expires_at', 'text', 'ISO 8601 in UTC'),
    },
    secrets: ['api_key'],
  },
  'api-keys revoke': { does: 'revokes an API key within 60 s', route: `DELETE ${PARTY}/api_keys/{key_id}` },
  'oidc-clients create': {
    does: 'registers an OpenID Connect client; --json gives further members',
    route: `POST ${PARTY}/oidc_clients`,
    flags: OIDC_CLIENT,
    secrets: ['client_secret'],
  },
  'oidc-clients list': { does: 'lists OpenID Connect clients', route: `GET ${PARTY}/oidc_clients` },
  'oidc-clients show': { does: 'shows an OpenID Connect client', route: `GET ${CLIENT}` },
  'oidc-clients update': {
    does: 'replaces the members that are given',
    route: `PATCH ${CLIENT}`,
    flags: OIDC_CLIENT,
  },
  'oidc-clients delete': {
    does: 'deletes an OpenID Connect client within 60 s',
    route: `DELETE ${CLIENT}`,
    final: true,
  },
  'oidc-clients rotate-secret': {
    does: 'creates a new secret; the old one works for 24 h',
    route: `POST ${CLIENT}/rotate_secret`,
    secrets: ['client_secret'],
  },
  'webhook rotate-secret': {
    does: 'creates a new secret; events are signed with both for 24 h',
    route: `POST ${PARTY}/webhook/rotate_secret`,
    secrets: ['webhook_secret'],
  },
  'webhook test': {
    does: 'sends a test event and shows the result',
    route: `POST ${PARTY}/webhook/test`,
  },
  'webhook enable': {
    does: 'sends events again after the receiver returned 410',
    route: `POST ${PARTY}/webhook/enable`,
  },
  'verifications show': {
    does: 'shows the course of a verification: refused responses, webhook attempts',
    route: 'GET /verifications/{verification_id}',
  },
  'trust-lists create': {
    does: 'adds a list of trusted issuers',
    route: 'POST /trust_lists',
    flags: TRUST_LIST,
  },
  'trust-lists list': { does: 'lists the trust lists', route: 'GET /trust_lists' },
  'trust-lists show': { does: 'shows a trust list and its last fetch', route: 'GET /trust_lists/{name}' },
  'trust-lists refresh': { does: 'fetches a trust list now', route: 'POST /trust_lists/{name}/refresh' },
  'trust-lists delete': {
    does: 'deletes a trust list, which is then no longer trusted',
    route: 'DELETE /trust_lists/{name}',
    final: true,
  },
}

/** Returns the names in a route's path, in order: the positional arguments of the command. */
export function parametersOf({ route }) {
  return [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
}

/** Returns `true` if the command sends a body. Such a command accepts `--json`. */
export function takesBody({ route, flags }) {
  return flags !== undefined && !route.startsWith('GET ')
}
