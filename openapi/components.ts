// Schemas of the description, by name. The schemas of requests are those that validate; the schemas of
// responses are in responses/.

import * as z from 'zod/mini'
import { codeRequest, signInRequest, startRequest } from '../src/api/console-requests.ts'
import { clientCreation, clientPatch, knownKey, sentKey } from '../src/api/oidc-clients.ts'
import {
  browserReturnRequest,
  createRequest,
  dcApiRequestOptions,
  dcApiResponse,
  linkOptions,
  redeliveryRange,
  redemption,
} from '../src/api/requests.ts'
import { auditPage } from '../src/api/responses/audit.ts'
import {
  consoleCode,
  consoleSession,
  consoleSignIn,
  consoleSignOut,
  consoleStart,
} from '../src/api/responses/console.ts'
import { deliveryLog } from '../src/api/responses/deliveries.ts'
import { evidenceEnvelope } from '../src/api/responses/evidence.ts'
import * as lists from '../src/api/responses/lists.ts'
import * as oidc from '../src/api/responses/oidc.ts'
import * as operator from '../src/api/responses/operator.ts'
import * as open from '../src/api/responses/public.ts'
import * as settings from '../src/api/responses/settings.ts'
import * as verifications from '../src/api/responses/verifications.ts'
import { UTC } from '../src/codec/schema.ts'
import { dcqlQuery } from '../src/openid4vp/dcql/query.ts'
import { claimsEncryptionJwk } from '../src/relying-party/document/encryption-jwk.ts'
import { SCOPES } from '../src/relying-party/document/settings.ts'
import { addedTransactionDataTypes } from '../src/relying-party/settings/added-transaction-data-types.ts'
import { addedTypes } from '../src/relying-party/settings/added-types.ts'
import {
  apiKeyGrantSchema,
  creationSchema,
  patchSchema,
  trustAnchor,
} from '../src/relying-party/settings/settings-schema.ts'
import { trustListSchema } from '../src/relying-party/trust-lists/trust-list-schema.ts'
import { outcomeRequest } from '../src/routes/public/outcome-request.ts'
import { anchorShape } from '../src/trust/anchors/parse-anchor.ts'
import * as forms from './forms.ts'
import { MEMBER_TEXTS } from './member-texts.ts'
import { openResponse, STORED, withDefaultTexts } from './open-lists.ts'
import { withRules } from './request-rules.ts'
import { withNamedUnion } from './union-members.ts'

/** Rules of validation. The description shows the shape only, which depends on none of them. */
const RULES = { now: 0, baseUrl: 'https://verifier.example', allowLoopback: false, trustLists: [] }

/** Schemas of requests. Names are nouns: generated clients use them for types. */
const REQUESTS = {
  CreateVerification: createRequest,
  DcqlQuery: dcqlQuery,
  EncryptionKey: claimsEncryptionJwk,
  BrowserReturnRequest: browserReturnRequest,
  Redemption: redemption,
  OutcomeRequest: outcomeRequest,
  RedeliveryRange: redeliveryRange,
  LinkOptions: linkOptions,
  DcApiRequestOptions: dcApiRequestOptions,
  DcApiResponse: dcApiResponse,
  CreateRelyingParty: creationSchema(RULES),
  ChangeRelyingParty: patchSchema(RULES, { livemode: true }),
  TrustAnchor: anchorShape,
  CredentialTypes: addedTypes,
  TransactionDataTypes: addedTransactionDataTypes,
  CreateApiKey: apiKeyGrantSchema(0, { scopes: SCOPES, expires_at: null }),
  CreateTrustList: trustListSchema(RULES),
  CreateOidcClient: clientCreation,
  ChangeOidcClient: clientPatch,
  SignIn: signInRequest,
  ConsoleCodeRequest: codeRequest,
  ConsoleStartRequest: startRequest,
  TokenForm: forms.tokenForm,
  PushedRequestForm: forms.pushedRequestForm,
  CodeForm: forms.codeForm,
  RequestObjectForm: forms.requestObjectForm,
  ResponseForm: forms.responseForm,
} as const satisfies Readonly<Record<string, z.ZodMiniType>>

/** Schemas of responses. */
const RESPONSES = {
  CreatedVerification: verifications.createdVerification,
  WalletRequest: verifications.walletRequest,
  Verification: verifications.verification,
  VerificationState: verifications.verificationState,
  Reason: verifications.reason,
  Credential: verifications.credential,
  AuthorizationRequest: verifications.openid4vpView,
  Event: verifications.verificationEvent,
  TestEvent: verifications.testEvent,
  EventPage: verifications.eventPage,
  VerificationPage: lists.verificationPage,
  Insights: lists.insights,
  WalletList: lists.walletList,
  Timeline: lists.timeline,
  RedeliveryPage: verifications.redeliveryPage,
  DeliveryLog: deliveryLog,
  Evidence: evidenceEnvelope,
  Link: verifications.link,
  BrowserReturnResult: verifications.browserReturnResult,
  Outcome: verifications.producedOutcome,
  DcApiRequests: verifications.dcApiRequests,

  OperatorVerification: operator.operatorVerification,
  RelyingParty: settings.relyingParty,
  CreatedRelyingParty: settings.createdRelyingParty,
  TrustList: settings.trustList,
  TrustLists: settings.trustLists,
  RelyingPartyPage: settings.relyingPartyPage,
  AuditPage: auditPage,
  ApiKey: settings.apiKey,
  ApiKeyList: settings.apiKeyList,
  CreatedApiKey: settings.createdApiKey,
  RotatedSecret: settings.rotatedSecret,
  WebhookTest: settings.webhookTest,
  OidcClient: oidc.oidcClient,
  OidcClientList: oidc.oidcClientList,
  CreatedOidcClient: oidc.createdOidcClient,
  OidcSecret: oidc.oidcSecret,
  OidcMetadata: oidc.oidcMetadata,
  OidcKeySet: oidc.oidcKeySet,
  OidcTokens: oidc.oidcTokens,
  PushedRequest: oidc.pushedRequest,
  UserInfo: oidc.userInfo,
  ConsoleSession: consoleSession,
  ConsoleSignIn: consoleSignIn,
  ConsoleCode: consoleCode,
  ConsoleStart: consoleStart,
  ConsoleSignOut: consoleSignOut,
  Token: open.token,
  Redirect: open.redirect,
  Problem: open.problemDetails,
  OAuthError: open.oauthError,
  KeySet: open.keySet,
  DidDocument: open.didDocument,
  OAuthMetadata: open.oauthMetadata,
  Health: open.health,
  Readiness: open.readiness,
} as const satisfies Readonly<Record<string, z.ZodMiniType>>

/** Rules of a key of a client. Generators do not read conditions, so the type stays an open object. */
const KEY_RULES = {
  if: { required: ['kty'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: z.toJSONSchema(knownKey, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'object') jsonSchema.additionalProperties = {}
    },
  }),
  required: ['kty'],
}

/** Every schema of the description. */
export const COMPONENTS = { ...REQUESTS, ...RESPONSES } as const

export type ComponentName = keyof typeof COMPONENTS

/** A JSON Schema (draft 2020-12), or a part of one. */
export type Schema = { readonly [keyword: string]: unknown }

/** Returns the schemas as JSON Schema; they refer to each other by name. */
export function describeSchemas(): Readonly<Record<string, Schema>> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input', // as sent to the service; responses have the same shape both ways
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      // A trust anchor has a parser of its own, which uses this schema.
      if (Object.is(zodSchema, trustAnchor)) jsonSchema.$ref = '#/components/schemas/TrustAnchor'
      if (Object.is(zodSchema, sentKey)) Object.assign(jsonSchema, KEY_RULES)
    },
  })
  const described = Object.entries(schemas).map(
    ([name, schema]) => [name, withDefaultTexts(withTexts(name, tidy(schema as Schema)))] as const,
  )
  const requests = Object.fromEntries(described)
  const stored = Object.entries(STORED).map(([name, own]) => [own, requests[name] ?? {}] as const)
  const ruled = described.map(([name, schema]) => [name, withRules(name, schema)] as const)
  const responses = [...described.filter(([name]) => name in RESPONSES), ...stored]
  return {
    ...withNamedUnion(Object.fromEntries(ruled), 'CreateTrustList', {
      etsi_lote: 'CreateEtsiList',
      vical: 'CreateVical',
      etsi_tl: 'CreateXmlList',
      eu_lotl: 'CreateListOfLists',
      pem_bundle: 'CreatePemBundle',
    }),
    ...Object.fromEntries(responses.map(([name, schema]) => [name, openResponse(name, schema)])),
  }
}

/** Returns the schemas of the members of a query string, and the names of those that must be sent. */
export function describeQuery(query: z.ZodMiniType) {
  // As after parsing: a number is an integer with bounds, not a text of digits.
  const { properties } = tidy(z.toJSONSchema(query, { io: 'output' }) as Schema)
  const { required } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  return {
    properties: (properties ?? {}) as Readonly<Record<string, Schema>>,
    required: required ?? [],
  }
}

/** Adds the descriptions of members. */
function withTexts(name: string, schema: Schema): Schema {
  const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = MEMBER_TEXTS
  if (texts[name] === undefined || !isObject(schema.properties)) return schema
  const properties = Object.entries(schema.properties).map(([member, described]) => {
    const description = texts[name]?.[member]
    return [member, description === undefined ? described : { ...(described as Schema), description }]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/**
 * Removes what does not help a reader: the generator's identifiers and the long pattern of dates.
 */
function tidy(schema: Schema): Schema {
  const { $schema, $id, oneOf, ...others } = schema
  const rest: Schema = oneOf === undefined ? others : { ...others, ...alternatives(oneOf) }
  const remaining = Object.entries(rest).filter(([keyword, value]) => !isNoise(rest, keyword, value))
  return nullable(
    Object.fromEntries(remaining.map(([keyword, value]) => [keyword, tidyValue(keyword, value)])),
  )
}

/** Returns alternatives with members as `anyOf`: one member distinguishes them, so at most one matches. */
function alternatives(oneOf: unknown): Schema {
  const haveMembers = (oneOf as readonly Schema[]).every(({ properties }) => properties !== undefined)
  return haveMembers ? { anyOf: oneOf } : { oneOf }
}

function isNoise(schema: Schema, keyword: string, value: unknown): boolean {
  if (keyword === 'readOnly') return true // a fact about the TypeScript type only
  if (keyword === 'pattern') return schema.format === 'date-time' && value !== UTC
  return keyword === 'propertyNames' && Object.keys(value as object).join() === 'type'
}

function tidyValue(keyword: string, value: unknown): unknown {
  if (keyword === 'enum' || keyword === 'default' || keyword === 'required') return value
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? tidy(item) : item))
  if (!isObject(value)) return value
  if (keyword !== 'properties') return tidy(value)
  // A schema that never matches only gives a member an error of its own: the member does not exist.
  const existing = Object.entries(value).filter(([, member]) => !isNever(member))
  return Object.fromEntries(existing.map(([name, member]) => [name, tidy(member as Schema)]))
}

/** Shortens `{anyOf: [X, {type: 'null'}]}` to a list of types, where X has a plain type. */
function nullable(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [some, nothing] = anyOf as Schema[]
  if (some === undefined || nothing?.type !== 'null' || typeof some.type !== 'string') return schema
  const values = Array.isArray(some.enum) ? { enum: [...some.enum, null] } : {}
  return { ...rest, ...some, type: [some.type, 'null'], ...values }
}

function isNever(schema: unknown): boolean {
  return isObject(schema) && isObject(schema.not) && Object.keys(schema.not).length === 0
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
