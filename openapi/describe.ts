// The OpenAPI 3.1 description of every route in the access table, from the schemas that validate. errors.ts
// adds the errors.
//
// A new route needs its row in access.ts and its operation in operations/; otherwise this file does not
// compile.

import { PATH_PATTERNS } from '../src/api/identifiers.ts'
import { ACCESS, type RouteName } from '../src/routes/edge/access.ts'
import type { ProblemCode } from '../src/routes/edge/problems.ts'
import { type ComponentName, describeQuery, describeSchemas, type Schema } from './components.ts'
import { EXAMPLES } from './examples.ts'
import { linksOf } from './links.ts'
import type { Operation, OperationResponse } from './operation.ts'
import { errorNamesOf } from './operation-errors.ts'
import { CONSOLE } from './operations/console.ts'
import { LISTS } from './operations/lists.ts'
import { OIDC, OIDC_CLIENTS, OPERATOR_OIDC_CLIENTS } from './operations/oidc.ts'
import { BROWSERS, PUBLIC, TOKENS, WALLETS } from './operations/public.ts'
import { OPERATOR, OWN_SETTINGS } from './operations/settings.ts'
import { VERIFICATIONS } from './operations/verifications.ts'
import { HEADERS, PARAMETERS, PATH_TEXTS, QUERY_TEXTS, SECURITY_SCHEMES, securityOf } from './parameters.ts'
import { QUERY_RULES } from './request-rules.ts'

/** Sections of the reference, in this order. */
const SECTIONS = {
  Verifications: { ...VERIFICATIONS, ...LISTS },
  'Access tokens': TOKENS,
  'Your settings': { ...OWN_SETTINGS, ...OIDC_CLIENTS },
  'OpenID Connect': OIDC,
  Operator: { ...OPERATOR, ...OPERATOR_OIDC_CLIENTS },
  Wallets: WALLETS,
  Browsers: BROWSERS,
  Console: CONSOLE,
  Public: PUBLIC,
} as const

const OPERATIONS: Readonly<Record<RouteName, Operation>> = {
  ...VERIFICATIONS,
  ...LISTS,
  ...TOKENS,
  ...OWN_SETTINGS,
  ...OIDC_CLIENTS,
  ...OIDC,
  ...OPERATOR,
  ...OPERATOR_OIDC_CLIENTS,
  ...WALLETS,
  ...BROWSERS,
  ...CONSOLE,
  ...PUBLIC,
}

const INTRODUCTION = `Requests proofs from digital identity wallets and returns what was verified.

Within \`/v1\` every change is additive: ignore members that you do not know.
Every response has an \`X-Request-Id\`.
Any other address returns 404 \`not_found\`; any other method returns 405 \`method_not_allowed\`.
A service on loopback refuses other host names by 421 \`unknown_host\`.
A change in the console may get 403 \`fresh_sign_in_required\`.`

/**
 * Problems of unknown addresses, methods and host names, and of the console's calls. No operation has them.
 */
export const PROBLEMS_WITHOUT_ROUTE = [
  'not_found',
  'method_not_allowed',
  'unknown_host',
  'fresh_sign_in_required',
] as const satisfies readonly ProblemCode[]

/** Returns the description without its errors. */
export function describe() {
  const sections = Object.entries(SECTIONS) as [string, { readonly [name in RouteName]?: Operation }][]
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [tag, operations] of sections) {
    for (const name of Object.keys(operations) as RouteName[]) {
      const [method = '', path = ''] = name.split(' ')
      const template = path.replace(/:(\w+)/g, '{$1}')
      const operation = { tags: [tag], ...describeOperation(name, OPERATIONS[name]) }
      paths[template] = { ...paths[template], [method.toLowerCase()]: operation }
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Wallet verifier',
      version: 'v1',
      description: INTRODUCTION,
      contact: { name: 'The wallet-verifier maintainers' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that serves this description.' }],
    tags: sections.map(([name]) => ({ name })),
    paths,
    webhooks: describeWebhooks(),
    components: {
      schemas: describeSchemas(),
      examples: describeExamples(),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function describeOperation(name: RouteName, operation: Operation) {
  const { id, summary, description, body } = operation
  const parameters = parametersOf(name, operation)
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(ACCESS[name]),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: describeBody(body) }),
    responses: describeResponses(name, operation),
    errors: errorNamesOf(name, operation, ACCESS[name]), // errors.ts replaces the names by responses
  }
}

function parametersOf(name: RouteName, { query, parameters = [] }: Operation): readonly Schema[] {
  const inPath = [...name.matchAll(/:(\w+)/g)].map(([, part = '']) => ({
    name: part,
    in: 'path',
    required: true,
    description: PATH_TEXTS[part],
    schema: { type: 'string', ...patternOf(name, part) },
  }))
  const { properties, required } =
    query === undefined ? { properties: {}, required: [] } : describeQuery(query)
  const inQuery = Object.entries(properties).map(([part, schema]) => ({
    name: part,
    in: 'query',
    ...(required.includes(part) && { required: true }),
    description: QUERY_TEXTS[part],
    schema: { ...repeatable(schema), ...QUERY_RULES[part] },
  }))
  const isLogged = ACCESS[name].caller === 'operator' && !name.startsWith('GET ')
  const inHeader = isLogged ? [PARAMETERS.operatorName] : []
  return [...inPath, ...inQuery, ...parameters.map((parameter) => PARAMETERS[parameter]), ...inHeader]
}

/** Describes a value or a list of them as a list: by default, a parameter is repeated for each element. */
function repeatable(schema: Schema): Schema {
  const alternatives = (schema.anyOf ?? []) as readonly Schema[]
  return alternatives.find(({ type }) => type === 'array') ?? schema
}

/** The path of a DID document has a part of the id only. */
function patternOf(name: RouteName, part: string) {
  const pattern = name.includes('/did.json') ? undefined : PATH_PATTERNS[part]
  return pattern === undefined ? {} : { pattern: pattern.source }
}

function describeBody(body: NonNullable<Operation['body']>) {
  const [type, component] =
    'json' in body ? ['application/json', body.json] : ['application/x-www-form-urlencoded', body.form]
  return { required: !('optional' in body), content: { [type]: contentOf([component]) } }
}

/** Returns the content of a body that matches one of the schemas, with an example of each. */
function contentOf(components: readonly ComponentName[]) {
  const schemas = components.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const examples = components.map((name) => [name, exampleRef(name)])
  return {
    schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas, ...discriminatorOf(components) },
    examples: Object.fromEntries(examples),
  }
}

/** Constant of each schema that is part of a union of views. */
const VIEWS: { readonly [name in ComponentName]?: string } = {
  Verification: 'verification',
  VerificationState: 'verification_state',
  BrowserReturnResult: 'browser_return',
}

function discriminatorOf(components: readonly ComponentName[]) {
  const views = components.flatMap((name) => {
    const view = VIEWS[name]
    return view === undefined ? [] : [[view, `#/components/schemas/${name}`] as const]
  })
  const mapping = Object.fromEntries(views)
  return views.length === 0 ? {} : { discriminator: { propertyName: 'object', mapping } }
}

function exampleRef(name: string) {
  return { $ref: `#/components/examples/${name}` }
}

function describeResponses(name: RouteName, { responses }: Operation) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const links = linksOf(name, status, OPERATIONS)
      const linked = Object.keys(links).length > 0 && { links }
      return [status, { ...describeResponse(response), ...linked }]
    }),
  )
}

function describeResponse(response: OperationResponse) {
  const { description, json, type = 'application/json', other = {}, headers = [] } = response
  const content = Object.fromEntries([
    ...(json === undefined ? [] : [[type, contentOf(json)]]),
    ...Object.entries(other).map(([type, example]) => [type, example === null ? {} : { example }]),
  ])
  return {
    description,
    ...(headers.length > 0 && { headers: describeHeaders(headers) }),
    ...(Object.keys(content).length > 0 && { content }),
  }
}

function describeHeaders(names: readonly (keyof typeof HEADERS)[]) {
  return Object.fromEntries(
    names.map((name) => [name, { description: HEADERS[name], schema: { type: 'string' } }]),
  )
}

function describeExamples() {
  return Object.fromEntries(Object.entries(EXAMPLES).map(([name, value]) => [name, { value }]))
}

/** api/webhooks. */
function describeWebhooks() {
  const signature = {
    name: 'X-Service-Signature',
    in: 'header',
    required: true,
    description: '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>` with your webhook secret.',
    schema: { type: 'string' },
  }
  const post = {
    operationId: 'receiveEvent',
    summary: 'Receive the end of a verification, and the steps before it that you subscribe to',
    description:
      'Respond with any 2xx status within 15 seconds. Otherwise the service sends the event up to five more times.',
    parameters: [signature],
    requestBody: { content: { 'application/json': contentOf(['Event', 'TestEvent']) } },
    responses: { 200: { description: 'The event is accepted.' } },
  }
  return { event: { post } }
}
