// Holds what the service answers against its own description: the route is described, with this status, media type, schema and error.
// What it took and did not refuse is held against the description of the body.

import served from '../../../assets/openapi.json' with { type: 'json' }
import { type Description, isError, type Operation } from '../../../openapi/description.ts'
import { schemaFaults } from './json-schema.ts'

/** As it is served. */
export const DESCRIPTION = served as unknown as Description
const { schemas, examples } = DESCRIPTION.components

export type Answered = {
  readonly method: string
  /** Below the origin; a query does no harm. */
  readonly path: string
  /** What was sent, where it was JSON. */
  readonly sent?: unknown
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Throws where a call and its answer are not as described. The response stays unread. */
export async function expectDescribed(
  method: string,
  path: string,
  response: Response,
  sent?: unknown,
): Promise<void> {
  const { status } = response
  const type = response.headers.get('Content-Type') ?? ''
  const isText = status !== 101 && !type.startsWith('image/')
  const body = isText ? await response.clone().text() : ''
  const faults = undescribed({ method, path, sent, status, type, body })
  const call = `${method} ${path} ${status}`
  if (faults.length > 0)
    throw new Error(`not as described: ${call}\n${faults.join('\n')}\n${body.slice(0, 500)}`)
}

/** What is not described of a call and its answer. */
export function undescribed(answered: Answered): readonly string[] {
  const { method, status, body, sent } = answered
  if (method === 'HEAD') return []
  const type = answered.type.split(';')[0] ?? ''
  const item = pathItemOf(answered.path.split('?')[0] ?? '')
  // Wallets are told in their own words that nothing is there.
  if (item === undefined)
    return status === 404 && /"(not_found|invalid_request)"/.test(body) ? [] : ['the path']
  const operation = item[method.toLowerCase()]
  if (operation === undefined) return status === 405 ? [] : ['the method']
  const answer = operation.responses[status]
  if (answer === undefined) return [`status ${status}`]
  const { content } = answer
  if (content === undefined) return body === '' ? [] : ['a body']
  const media = content[type]
  if (media === undefined) return [`media type ${type}`]
  if (isError(media.schema)) return errorFaults(JSON.parse(body), media.examples ?? {})
  return [
    ...(media.schema === undefined ? [] : schemaFaults(JSON.parse(body), media.schema, findSchema)),
    ...bodyFaults(operation, sent),
  ]
}

const TEMPLATES = Object.keys(DESCRIPTION.paths)
  .sort((a, b) => a.split('{').length - b.split('{').length) // `/v1/verify/{id}` after what is spelled out
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }))

function pathItemOf(path: string): Readonly<Record<string, Operation>> | undefined {
  const found = TEMPLATES.find(({ pattern }) => pattern.test(path))
  return found && DESCRIPTION.paths[found.path]
}

/** An error is one of those that stand there: a problem by its code, OAuth's word for word. */
function errorFaults(body: Record<string, unknown>, named: object): readonly string[] {
  const names = Object.keys(named)
  if ('code' in body) {
    const faults = schemaFaults(body, findSchema('Problem'), findSchema)
    return names.includes(String(body.code)) ? faults : [...faults, `code ${String(body.code)}`]
  }
  const isKnown = names.some((name) => JSON.stringify(examples[name]?.value) === JSON.stringify(body))
  return isKnown ? [] : ['the error']
}

function bodyFaults({ requestBody }: Operation, sent: unknown): readonly string[] {
  const schema = requestBody?.content['application/json']?.schema
  return schema === undefined || sent === undefined ? [] : schemaFaults(sent, schema, findSchema, 'sent')
}

/** A schema by its name. */
export function findSchema(name: string): Readonly<Record<string, unknown>> {
  const schema = schemas[name]
  if (schema === undefined) throw new Error(`no schema called ${name}`)
  return schema
}
