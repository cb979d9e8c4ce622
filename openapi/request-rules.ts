// Rules over several members of a request, as conditions of JSON Schema. The service checks them where it
// reads the request: in `src/policy`, `src/routes/verifications` and `src/routes/oidc`. Generators do not
// read conditions, so the types in their clients stay the same.

import { oneOfTexts } from '../src/codec/schema.ts'
import { FORMATS, type FormatId } from '../src/formats/index.ts'
import { BASE_TYPES } from '../src/formats/jwt-vc-json/jwt-vc-json.ts'
import { PROTOCOL_IDS, PROTOCOLS } from '../src/openid4vp/protocols/index.ts'
import { KEY_ALGORITHMS } from '../src/relying-party/oidc/client.ts'
import { REASONS } from '../src/session/document/reasons.ts'
import type { Schema } from './components.ts'

const NAME = { type: 'string', minLength: 1 }

/** Form of `meta` by the format of a credential query (OpenID4VP 1.0 Appendix B). */
const META: Readonly<Record<FormatId, Schema>> = {
  'dc+sd-jwt': { vct_values: { type: 'array', minItems: 1, items: NAME } },
  mso_mdoc: { doctype_value: NAME },
  jwt_vc_json: {
    type_values: {
      type: 'array',
      minItems: 1,
      // One type besides those of every credential.
      items: { type: 'array', items: NAME, contains: { not: { enum: BASE_TYPES } }, maxContains: 1 },
    },
  },
}

const NO_RETENTION = { not: { required: ['intent_to_retain'] } } // B.2.4: an mdoc has it
const FROM_ROOT = { properties: { path: { prefixItems: [NAME] } } } // §7.1: the root is an object

/** Form of a claims query by the format. */
const CLAIM: Readonly<Record<FormatId, Schema>> = {
  'dc+sd-jwt': { ...FROM_ROOT, ...NO_RETENTION },
  mso_mdoc: { properties: { path: { items: NAME, minItems: 2, maxItems: 2 } } }, // §7.2
  jwt_vc_json: { ...FROM_ROOT, ...NO_RETENTION },
}

const FORMAT_IDS = Object.keys(FORMATS) as FormatId[]

/** Rules of a credential query. A format that the service does not verify is an error. */
const CREDENTIAL_QUERY: Schema = {
  ...FORMAT_IDS.reduceRight<Schema>((others, id) => conditional('format', id, queryOf(id), others), {
    properties: { format: { enum: FORMAT_IDS } },
  }),
  dependentRequired: { claim_sets: ['claims'] },
  // With `claim_sets` every claim needs an id (§6.3).
  not: {
    required: ['claim_sets'],
    properties: { claims: { contains: { not: { required: ['id'] } } } },
  },
}

function queryOf(id: FormatId): Schema {
  const meta = { required: Object.keys(META[id]), properties: META[id], additionalProperties: false }
  // An mdoc always has holder binding (B.2).
  const binding = id === 'mso_mdoc' ? { require_cryptographic_holder_binding: { const: true } } : {}
  return { properties: { meta, claims: { items: CLAIM[id] }, ...binding } }
}

/** Rules of a trusted authority (§6.1.1). The service can check two types. */
const AUTHORITY = conditional('type', 'aki', valuesLike('^[A-Za-z0-9_-]+$'), {
  properties: { type: { enum: ['etsi_tl'] }, ...valuesLike('^https?://[\\x21-\\x7e]+$').properties },
})

function valuesLike(pattern: string) {
  return { properties: { values: { items: { pattern } } } }
}

function conditional(member: string, value: string, rules: Schema, others: Schema): Schema {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: { properties: { [member]: { const: value } } }, then: rules, else: others }
}

const DEFAULT_PROTOCOL = 'openid4vp-1.0'

/** Questions that the service refuses, in a creation and in a policy of a client. */
const REFUSED_QUESTIONS: readonly Schema[] = [
  havingValues({ evidence: true, intent_to_retain: false }),
  ...PROTOCOL_IDS.map((id) => {
    const { clientIdPrefixes, responseModes, requestUriMethods } = PROTOCOLS[id]
    const options = {
      client_id_prefix: oneOf(clientIdPrefixes),
      response_mode: oneOf(responseModes),
      request_uri_method: oneOf(requestUriMethods),
    }
    return {
      properties: { protocol: { const: id }, request_options: { not: { properties: options } } },
      required: id === DEFAULT_PROTOCOL ? ['request_options'] : ['request_options', 'protocol'],
    }
  }),
]

/** Creations that the service refuses. Only a `return_url` sends the browser back. */
const REFUSED_CREATIONS: readonly Schema[] = [
  ...REFUSED_QUESTIONS,
  ...[{ return_automatically: true }, { required_session_binding: 'relying_party' }].map((values) => ({
    ...havingValues(values),
    not: { required: ['return_url'] },
  })),
  {
    properties: { protocol: { enum: PROTOCOL_IDS.filter((id) => !PROTOCOLS[id].supportsTransactionData) } },
    required: ['protocol', 'transaction_data'],
  },
]

/** Returns a schema of the objects that have these members with these values. */
function havingValues(values: Readonly<Record<string, unknown>>): Schema {
  const members = Object.entries(values).map(([name, value]) => [name, { const: value }])
  return { properties: Object.fromEntries(members), required: Object.keys(values) }
}

function oneOf(texts: readonly string[]): Schema {
  return texts.length === 0 ? { not: {} } : { enum: texts }
}

/** A client without a secret cannot redeem a return code, so it has no binding by the relying party. */
const PUBLIC_POLICY = { properties: { required_session_binding: { not: { const: 'relying_party' } } } }

const SIGNING_KEY = { not: havingValues({ use: 'enc' }) }

/** Returns a key that a client has for encryption with an algorithm. */
function encryptionKey(alg: string, kty: string): Schema {
  const use = { not: { const: 'sig' } }
  return { required: ['kty'], properties: { kty: { const: kty }, use, alg: { const: alg } } }
}

/** New clients that the service refuses: they lack a key that another member requires. */
const CLIENTS_WITHOUT_KEY: readonly Schema[] = [
  withoutKey({ token_endpoint_auth_method: 'private_key_jwt' }, SIGNING_KEY),
  ...['id_token', 'userinfo'].flatMap((token) =>
    KEY_ALGORITHMS.map((alg) =>
      withoutKey(
        { [`${token}_encrypted_response_alg`]: alg },
        encryptionKey(alg, alg === 'ECDH-ES' ? 'EC' : 'RSA'),
      ),
    ),
  ),
]

function withoutKey(values: Readonly<Record<string, unknown>>, key: Schema): Schema {
  const jwks = { not: { const: null }, properties: { keys: { contains: key } } }
  return { ...havingValues(values), not: { required: ['jwks'], properties: { jwks } } }
}

/** Rules of the schema at a path below another schema. An empty path is the schema itself. */
type PlacedRules = readonly [path: readonly string[], rules: Schema]

const POLICY_RULES: readonly PlacedRules[] = [
  [['properties', 'policies', 'items'], { not: { anyOf: REFUSED_QUESTIONS } }],
  [['then', 'properties'], { policies: { items: PUBLIC_POLICY } }],
]

const RULES: Readonly<Record<string, readonly PlacedRules[]>> = {
  CreateVerification: [
    [[], { dependentRequired: { failure_return_url: ['return_url'] }, not: { anyOf: REFUSED_CREATIONS } }],
  ],
  DcqlQuery: [
    [['properties', 'credentials', 'items'], CREDENTIAL_QUERY],
    [['properties', 'credentials', 'items', 'properties', 'trusted_authorities', 'items'], AUTHORITY],
  ],
  CreateOidcClient: [...POLICY_RULES, [[], { not: { anyOf: CLIENTS_WITHOUT_KEY } }]],
  ChangeOidcClient: POLICY_RULES, // a change may leave the stored keys
}

/** Rules of query parameters, by name. */
export const QUERY_RULES: Readonly<Record<string, Schema>> = { reason: oneOfTexts(Object.keys(REASONS)) }

/** Returns a schema of a request with its rules. Throws if it has a keyword of a rule already. */
export function withRules(name: string, schema: Schema): Schema {
  return (RULES[name] ?? []).reduce((changed, [path, rules]) => addAt(changed, path, rules), schema)
}

function addAt(schema: Schema, [first, ...path]: readonly string[], rules: Schema): Schema {
  if (first !== undefined) return { ...schema, [first]: addAt((schema[first] ?? {}) as Schema, path, rules) }
  const taken = Object.keys(rules).filter((keyword) => keyword in schema)
  if (taken.length > 0) throw new Error(`the schema has ${taken.join(', ')} already`)
  return { ...schema, ...rules }
}
