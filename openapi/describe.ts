// The OpenAPI 3.1 description of every route in the access table, made of the schemas that validate. errors.ts completes it.
//
// A new route has its row in access.ts and its operation in operations/, or this does not compile.

import { ACCESS, type RouteName } from '../src/routes/edge/access.ts'
import type { ProblemCode } from '../src/routes/edge/problems.ts'
import { type ComponentName, describeQuery, describeSchemas, type Schema } from './components.ts'
import { EXAMPLES } from './examples.ts'
import type { Answer, Operation } from './operation.ts'
import { ANYONE, BROWSERS, TOKENS, WALLETS } from './operations/others.ts'
import { OPERATOR, OWN_SETTINGS } from './operations/settings.ts'
import { VERIFICATIONS } from './operations/verifications.ts'
import { HEADERS, PARAMETERS, PATH_WORDS, QUERY_WORDS, SECURITY_SCHEMES, securityOf } from './parameters.ts'
import { refusalsOf } from './refusals.ts'

/** The sections of the description, in the order of reading. */
const SECTIONS = {
  Verifications: VERIFICATIONS,
  'Access tokens': TOKENS,
  'Your settings': OWN_SETTINGS,
  Operator: OPERATOR,
  Wallets: WALLETS,
  "A person's browser": BROWSERS,
  Anyone: ANYONE,
} as const

const OPERATIONS: Readonly<Record<RouteName, Operation>> = {
  ...VERIFICATIONS,
  ...TOKENS,
  ...OWN_SETTINGS,
  ...OPERATOR,
  ...WALLETS,
  ...BROWSERS,
  ...ANYONE,
}

/** Problems of addresses that are no route, or not by that method. */
export const ELSEWHERE = ['not_found', 'method_not_allowed'] as const satisfies readonly ProblemCode[]

/** The whole description. */
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
      description:
        'Asks digital identity wallets to prove something, and tells what was proven. Within /v1 everything is additive: pass over members you do not know. Any other address is 404 `not_found`, any other method 405 `method_not_allowed`; every answer has an `X-Request-Id`.',
    },
    servers: [{ url: '/' }],
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
    responses: describeAnswers(operation),
    refusals: refusalsOf(name, operation, ACCESS[name]), // errors.ts
  }
}

function parametersOf(name: RouteName, { query, parameters = [] }: Operation): readonly Schema[] {
  const inPath = [...name.matchAll(/:(\w+)/g)].map(([, part = '']) => ({
    name: part,
    in: 'path',
    required: true,
    description: PATH_WORDS[part],
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(query === undefined ? {} : describeQuery(query)).map(([part, schema]) => ({
    name: part,
    in: 'query',
    description: QUERY_WORDS[part],
    schema,
  }))
  return [...inPath, ...inQuery, ...parameters.map((parameter) => PARAMETERS[parameter])]
}

function describeBody(body: NonNullable<Operation['body']>) {
  const [type, component] =
    'json' in body ? ['application/json', body.json] : ['application/x-www-form-urlencoded', body.form]
  return { required: true, content: { [type]: contentOf([component]) } }
}

/** One of several schemas, with an example of each. */
function contentOf(components: readonly ComponentName[]) {
  const schemas = components.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const examples = components.map((name) => [name, exampleRef(name)])
  return {
    schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
    examples: Object.fromEntries(examples),
  }
}

function exampleRef(name: string) {
  return { $ref: `#/components/examples/${name}` }
}

function describeAnswers({ answers }: Operation) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)]),
  )
}

function describeAnswer({ description, json, type = 'application/json', other = {}, headers = [] }: Answer) {
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

/** CONTRACT 7. */
function describeWebhooks() {
  const signature = {
    name: 'X-Service-Signature',
    in: 'header',
    required: true,
    description: '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>` under your secret.',
    schema: { type: 'string' },
  }
  const post = {
    summary: 'How a verification ended',
    description: 'Answer with any 2xx within 15 seconds. Otherwise it is sent up to five times more.',
    parameters: [signature],
    requestBody: { content: { 'application/json': contentOf(['Event', 'TestEvent']) } },
    responses: { 200: { description: 'Heard.' } },
  }
  return { event: { post } }
}
