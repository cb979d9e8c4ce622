// Compares responses with the API description: route, status, media type, schema and error must be described.
// The body of an accepted request must match its schema, too.

import { isError, type Operation } from '../../../openapi/description.ts'
import { servedDescription } from '../../../openapi/files.ts'
import { schemaErrors } from './json-schema.ts'

/** The description as it is served. */
export const DESCRIPTION = servedDescription()
const { schemas, examples } = DESCRIPTION.components

export type Exchange = {
  readonly method: string
  /** Path, with or without a query. */
  readonly path: string
  /** The request body, if it was JSON. */
  readonly sent?: unknown
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Throws unless a call and its response are as described. Leaves the response unread. */
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
  const errors = undescribed({ method, path, sent, status, type, body })
  const call = `${method} ${path} ${status}`
  if (errors.length > 0)
    throw new Error(`not as described: ${call}\n${errors.join('\n')}\n${body.slice(0, 500)}`)
}

/** Returns the parts of a call and its response that are not described. */
export function undescribed(exchange: Exchange): readonly string[] {
  const { method, status, body, sent } = exchange
  if (method === 'HEAD') return []
  const type = exchange.type.split(';')[0] ?? ''
  const item = pathItemOf(exchange.path.split('?')[0] ?? '')
  // For a wallet, an unknown address is the OAuth error `invalid_request`.
  if (item === undefined)
    return status === 404 && /"(not_found|invalid_request)"/.test(body) ? [] : ['the path']
  const operation = item[method.toLowerCase()]
  if (operation === undefined) return status === 405 ? [] : ['the method']
  const response = operation.responses[status]
  if (response === undefined) return [`status ${status}`]
  const { content } = response
  if (content === undefined) return body === '' ? [] : ['a body']
  const media = content[type]
  if (media === undefined) return [`media type ${type}`]
  if (isError(media.schema)) return errorMismatches(JSON.parse(body), media.examples ?? {})
  return [
    ...(media.schema === undefined ? [] : schemaErrors(JSON.parse(body), media.schema, findSchema)),
    ...bodyErrors(operation, sent),
  ]
}

const TEMPLATES = Object.keys(DESCRIPTION.paths)
  .sort((a, b) => a.split('{').length - b.split('{').length) // literal paths before `/v1/verify/{id}`
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }))

function pathItemOf(path: string): Readonly<Record<string, Operation>> | undefined {
  const found = TEMPLATES.find(({ pattern }) => pattern.test(path))
  return found && DESCRIPTION.paths[found.path]
}

/** Compares an error with the listed errors: a problem by its code, an OAuth error by its whole body. */
function errorMismatches(body: Record<string, unknown>, named: object): readonly string[] {
  const names = Object.keys(named)
  if ('code' in body) {
    const errors = schemaErrors(body, findSchema('Problem'), findSchema)
    return names.includes(String(body.code)) ? errors : [...errors, `code ${String(body.code)}`]
  }
  const isKnown = names.some((name) => JSON.stringify(examples[name]?.value) === JSON.stringify(body))
  return isKnown ? [] : ['the error']
}

function bodyErrors({ requestBody }: Operation, sent: unknown): readonly string[] {
  const schema = requestBody?.content['application/json']?.schema
  return schema === undefined || sent === undefined ? [] : schemaErrors(sent, schema, findSchema, 'sent')
}

/** Returns a schema by its name. */
export function findSchema(name: string): Readonly<Record<string, unknown>> {
  const schema = schemas[name]
  if (schema === undefined) throw new Error(`no schema called ${name}`)
  return schema
}
