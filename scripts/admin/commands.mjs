// Every command as data: the route it calls, the members of the body or query that its flags set, and which members of the answer are secrets.

/** A flag: the member it sets (`webhook.url`: inside `webhook`), how its text is read (call.mjs), and what it is. */
const flag = (member, kind, words) => ({ member, kind, words })

const SETTINGS = {
  name: flag('name', 'text', 'what people are shown'),
  'webhook-url': flag('webhook.url', 'text', 'where events are sent'),
  'webhook-events': flag('webhook.events', 'list', 'which events: verification.verified,…'),
  'anchor-sets': flag('anchor_sets', 'list', 'trust lists to subscribe to'),
  'trust-anchors': flag('trust_anchors', 'json-file', 'a JSON file: a list of trust anchors'),
  formats: flag('formats', 'list', 'credential formats to ask for'),
  'by-value': flag('by_value', 'boolean', 'true or false'),
  'status-unavailable': flag('status_unavailable', 'text', 'refuse or accept'),
  'return-urls': flag('return_urls', 'list', 'where browsers may be sent back to'),
  origins: flag('origins', 'list', 'pages that may ask by the Digital Credentials API, and frame ours'),
  branding: flag('branding', 'json-file', 'a JSON file: color and logo'),
  'retention-seconds': flag('retention_seconds', 'number', 'how long results are kept'),
  'claims-encryption-jwk': flag('claims_encryption_jwk', 'json-file', 'a JSON file: a public P-256 key'),
  'verifier-key': flag('verifier.signing_jwk', 'json-file', 'a JSON file: a private P-256 key'),
  'verifier-chain': flag(
    'verifier.certificate_chain_pem',
    'file',
    'a PEM file: its certificates, leaf first',
  ),
}

const LIVEMODE = { livemode: flag('livemode', 'boolean', 'true or false') }

const TRUST_LIST = {
  name: flag('name', 'text', 'what relying parties subscribe to it by'),
  ...LIVEMODE,
  kind: flag('kind', 'text', 'etsi_lote, vical or pem_bundle'),
  url: flag('url', 'text', 'where it is published'),
  pem: flag('pem', 'file', 'a PEM file, of a pem_bundle'),
  services: flag('services', 'json-file', 'a JSON file: what its certificates may vouch for'),
  signers: flag('signers', 'json-file', 'a JSON file: who signs it'),
  'list-type': flag('list_type', 'text', 'the LoTEType that it must have'),
  'refresh-seconds': flag('refresh_seconds', 'number', 'how often it is fetched'),
  'stale-after-seconds': flag('stale_after_seconds', 'number', 'how long a copy is used'),
}

const PAGE = {
  after: flag('after', 'text', 'next_cursor of the page before'),
  limit: flag('limit', 'text', 'how many at most'),
}

const PARTY = '/relying_parties/{relying_party_id}'

/** `final`: cannot be undone, so it must be said twice. */
export const COMMANDS = {
  'relying-parties create': {
    does: 'creates a relying party',
    route: 'POST /relying_parties',
    flags: { ...SETTINGS, ...LIVEMODE },
    secrets: ['api_key', 'webhook_secret'],
  },
  'relying-parties list': { does: 'lists relying parties', route: 'GET /relying_parties', flags: PAGE },
  'relying-parties show': { does: 'shows the settings of one', route: `GET ${PARTY}` },
  'relying-parties update': {
    does: 'replaces the members that are named',
    route: `PATCH ${PARTY}`,
    flags: SETTINGS,
  },
  'relying-parties delete': { does: 'deletes one, with its keys', route: `DELETE ${PARTY}`, final: true },
  'api-keys create': {
    does: 'makes another API key',
    route: `POST ${PARTY}/api_keys`,
    flags: {
      scopes: flag('scopes', 'list', 'verify:create,verify:read,…'),
      'expires-at': flag('expires_at', 'text', 'ISO 8601 in UTC'),
    },
    secrets: ['api_key'],
  },
  'api-keys revoke': { does: 'lets a key die within 60 s', route: `DELETE ${PARTY}/api_keys/{key_id}` },
  'webhook rotate-secret': {
    does: 'makes a new secret; both sign for 24 h',
    route: `POST ${PARTY}/webhook/rotate_secret`,
    secrets: ['webhook_secret'],
  },
  'webhook test': {
    does: 'sends a test event, and shows what came of it',
    route: `POST ${PARTY}/webhook/test`,
  },
  'webhook enable': { does: 'lets events flow again after a 410', route: `POST ${PARTY}/webhook/enable` },
  'trust-lists create': {
    does: 'keeps a list of trusted issuers',
    route: 'POST /trust_lists',
    flags: TRUST_LIST,
  },
  'trust-lists list': { does: 'lists them', route: 'GET /trust_lists' },
  'trust-lists show': { does: 'shows how one stands', route: 'GET /trust_lists/{name}' },
  'trust-lists refresh': { does: 'fetches one now', route: 'POST /trust_lists/{name}/refresh' },
  'trust-lists delete': {
    does: 'deletes one: nobody trusts it any more',
    route: 'DELETE /trust_lists/{name}',
    final: true,
  },
}

/** The names in a route's path, in order: what a command is given without flags. */
export function parametersOf({ route }) {
  return [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
}

/** Whether it sends a body: then `--json` gives it, or the base of it. */
export function takesBody({ route, flags }) {
  return flags !== undefined && !route.startsWith('GET ')
}
