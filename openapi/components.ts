// The schemas of the description by the names they have there. Those of requests are the very ones that validate; those of
// answers stand in answers.ts and settings-answers.ts.

import * as z from 'zod/mini'
import { dcqlQuery } from '../src/openid4vp/dcql/schema.ts'
import { addedTransactionDataTypes } from '../src/relying-party/settings/added-transaction-data-types.ts'
import { addedTypes } from '../src/relying-party/settings/added-types.ts'
import { claimsEncryptionJwk } from '../src/relying-party/settings/encryption-jwk.ts'
import { SCOPES } from '../src/relying-party/settings/settings.ts'
import {
  apiKeyGrantSchema,
  creationSchema,
  patchSchema,
  trustAnchor,
} from '../src/relying-party/settings/settings-schema.ts'
import { trustListSchema } from '../src/relying-party/trust-lists/trust-list-schema.ts'
import {
  browserReturnRequest,
  createRequest,
  dcApiRequestOptions,
  dcApiResponse,
  outcomeRequest,
  redemption,
} from '../src/routes/verifications/schemas.ts'
import { anchorShape } from '../src/trust/anchors/parse-anchor.ts'
import * as answers from './answers.ts'
import * as settings from './settings-answers.ts'
import { WORDS } from './words.ts'

/** Only the shape is taken from them, and that depends on none of these. */
const RULES = { now: 0, baseUrl: 'https://verifier.example', allowLoopback: false, trustLists: [] }

/** Every schema of the description. */
export const COMPONENTS = {
  CreateVerification: createRequest,
  DcqlQuery: dcqlQuery,
  EncryptionKey: claimsEncryptionJwk,
  ComingBack: browserReturnRequest,
  Redemption: redemption,
  OutcomeRequest: outcomeRequest,
  DcApiAsking: dcApiRequestOptions,
  DcApiAnswer: dcApiResponse,
  CreateRelyingParty: creationSchema(RULES),
  ChangeRelyingParty: patchSchema(RULES, { livemode: true }),
  TrustAnchor: anchorShape,
  CredentialTypes: addedTypes,
  TransactionDataTypes: addedTransactionDataTypes,
  CreateApiKey: apiKeyGrantSchema(0, { scopes: SCOPES, expires_at: null }),
  CreateTrustList: trustListSchema(RULES),
  TokenForm: settings.tokenForm,
  RequestForm: settings.requestForm,
  AnswerForm: settings.answerForm,

  CreatedVerification: answers.createdVerification,
  WalletRequest: answers.walletRequest,
  Verification: answers.verification,
  VerificationState: answers.verificationState,
  Reason: answers.reason,
  Credential: answers.credential,
  AuthorizationRequest: answers.openid4vpView,
  Event: answers.verificationEvent,
  TestEvent: answers.testEvent,
  EventPage: answers.eventPage,
  DeliveryLog: answers.deliveryLog,
  Link: answers.link,
  CameBack: answers.cameBack,
  Outcome: answers.producedOutcome,
  DcApiRequests: answers.dcApiRequests,

  RelyingParty: settings.relyingParty,
  CreatedRelyingParty: settings.createdRelyingParty,
  TrustList: settings.trustList,
  TrustLists: settings.trustLists,
  RelyingPartyPage: settings.relyingPartyPage,
  ApiKey: settings.apiKey,
  ApiKeyList: settings.apiKeyList,
  CreatedApiKey: settings.createdApiKey,
  RotatedSecret: settings.rotatedSecret,
  WebhookTest: settings.webhookTest,
  Token: settings.token,
  Redirect: settings.redirect,
  Problem: settings.problemDetails,
  OAuthError: settings.oauthError,
  KeySet: settings.keySet,
  DidDocument: settings.didDocument,
  OAuthMetadata: settings.oauthMetadata,
  Health: settings.health,
  Readiness: settings.readiness,
} as const satisfies Readonly<Record<string, z.ZodMiniType>>

export type ComponentName = keyof typeof COMPONENTS

/** A JSON Schema (draft 2020-12), or a part of one. */
export type Schema = { readonly [keyword: string]: unknown }

/** The schemas as JSON Schema: each refers to the others by name. */
export function describeSchemas(): Readonly<Record<string, Schema>> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input', // what is sent to us; answers are the same both ways
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      // Anchors are read by a parser of their own, of which the schema is a part.
      if (Object.is(zodSchema, trustAnchor)) jsonSchema.$ref = '#/components/schemas/TrustAnchor'
    },
  })
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => name !== RECURSIVE)
      .map(([name, schema]) => [name, withWords(name, tidy(schema as Schema))]),
  )
}

/** The members of a query string. */
export function describeQuery(query: z.ZodMiniType): Readonly<Record<string, Schema>> {
  const { properties } = tidy(z.toJSONSchema(query, { io: 'input' }) as Schema)
  return (properties ?? {}) as Readonly<Record<string, Schema>>
}

function withWords(name: string, schema: Schema): Schema {
  const words: Readonly<Record<string, string>> = (WORDS as Readonly<Record<string, object>>)[name] as never
  if (words === undefined || !isObject(schema.properties)) return schema
  const properties = Object.entries(schema.properties).map(([member, described]) => {
    const description = words[member]
    return [member, description === undefined ? described : { ...(described as Schema), description }]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** Without what says nothing to a reader: identifiers of the generator's, the bounds of every integer, the grammar of dates. */
function tidy(schema: Schema): Schema {
  const { $schema, $id, oneOf, ...others } = schema
  // Alternatives told apart by one member: any that fits is the only one.
  const rest: Schema = oneOf === undefined ? others : { ...others, anyOf: oneOf }
  if (String(rest.$ref).includes(RECURSIVE)) return {}
  const kept = Object.entries(rest).filter(([keyword, value]) => !isNoise(rest, keyword, value))
  return nullable(Object.fromEntries(kept.map(([keyword, value]) => [keyword, tidyValue(keyword, value)])))
}

/** Where the generator puts what refers to itself: that is `z.json()`, any JSON. */
const RECURSIVE = '__shared'

function isNoise(schema: Schema, keyword: string, value: unknown): boolean {
  if (keyword === 'minimum' || keyword === 'maximum')
    return Math.abs(value as number) === Number.MAX_SAFE_INTEGER
  if (keyword === 'pattern') return schema.format === 'date-time'
  return keyword === 'propertyNames' && Object.keys(value as object).join() === 'type'
}

function tidyValue(keyword: string, value: unknown): unknown {
  if (keyword === 'enum' || keyword === 'default' || keyword === 'required') return value
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? tidy(item) : item))
  if (!isObject(value)) return value
  if (keyword !== 'properties') return tidy(value)
  // A member that is refused with a word of its own is one that is not there.
  const there = Object.entries(value).filter(([, member]) => !isNever(member))
  return Object.fromEntries(there.map(([name, member]) => [name, tidy(member as Schema)]))
}

/** `{anyOf: [X, {type: 'null'}]}` in fewer words, where X has a plain type. */
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
