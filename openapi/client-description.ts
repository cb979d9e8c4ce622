// The part of the description that the clients in other languages are generated from: the calls of a relying
// party's server. Each generator would otherwise write a type for each error of each call.

import { createHash } from 'node:crypto'
import type { Content, Description, Operation, Response, Schema } from './description.ts'

/** Sections whose operations a relying party's server calls. */
const SECTIONS = ['Verifications', 'Your settings']

/** Schemas of webhooks. No operation contains them. */
const WEBHOOKS = ['Event', 'TestEvent']

/** Every error of these calls has this form. */
const PROBLEM: Response = {
  description: 'Error.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

/** Returns the part for clients of a relying party: their operations, and the schemas that these reach. */
export function clientDescription(description: Description): Description {
  const paths = Object.fromEntries(
    Object.entries(description.paths).flatMap(([path, item]) => {
      const operations = Object.entries(item).filter(([, { tags }]) => SECTIONS.includes(tags[0] ?? ''))
      const kept = operations.map(([method, operation]) => [method, forClients(operation)] as const)
      return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)]]
    }),
  )
  const { schemas } = description.components
  const reached = reachedSchemas([paths, ...WEBHOOKS.map((name) => schemas[name])], schemas)
  const names = Object.keys(schemas).filter((name) => reached.has(name) || WEBHOOKS.includes(name))
  const kept = Object.fromEntries(names.map((name) => [name, schemas[name] ?? {}]))
  return {
    ...description,
    tags: description.tags.filter(({ name }) => SECTIONS.includes(name)),
    paths,
    webhooks: {},
    components: { ...description.components, schemas: kept, examples: {} },
  }
}

/**
 * Names a description by its calls and types: a service writes its own address into the other members. A
 * package has this digest, so that a client of another description is found.
 */
export function descriptionDigest({ paths, components }: Description): string {
  return createHash('sha256').update(JSON.stringify({ paths, components })).digest('hex')
}

function forClients({ requestBody, responses, ...operation }: Operation): Operation {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const body = requestBody && { ...requestBody, content: withoutExamples(requestBody.content) }
  return {
    ...operation,
    ...(body && { requestBody: body }),
    responses: {
      ...Object.fromEntries(successes.map(([status, response]) => [status, success(response)])),
      default: PROBLEM,
    },
  }
}

function success({ description, content }: Response): Response {
  return { description, ...(content && { content: withoutExamples(content) }) }
}

function withoutExamples(content: Content): Content {
  const entries = Object.entries(content)
  return Object.fromEntries(
    entries.map(([type, { schema }]) => [type, schema === undefined ? {} : { schema: viewOfKey(schema) }]),
  )
}

/** An API key always gets the first view. The others are for a token of one verification. */
function viewOfKey(schema: Schema): Schema {
  return 'discriminator' in schema ? (schema.anyOf?.[0] ?? schema) : schema
}

function reachedSchemas(start: unknown, schemas: Readonly<Record<string, Schema>>): ReadonlySet<string> {
  const found = new Set<string>()
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    for (const [key, value] of Object.entries(part)) {
      const name = key === '$ref' ? String(value).split('/').at(-1) : undefined
      if (name === undefined) walk(value)
      else if (!found.has(name)) {
        found.add(name)
        walk(schemas[name])
      }
    }
  }
  walk(start)
  return found
}
