// Requirements of client generators for the description. test/clients generates and compiles such clients.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../openapi/description.ts'
import type { Status } from '../../packages/client/src/wire.ts'
import { PROBLEMS } from '../../src/routes/edge/problems.ts'
import { REASONS } from '../../src/session/document/reasons.ts'
import { DESCRIPTION } from '../support/reading/described.ts'

const { schemas } = DESCRIPTION.components
const OPERATIONS = Object.entries(DESCRIPTION.paths).flatMap(([path, item]) =>
  Object.values(item).map((operation) => ({ path, operation })),
)

type Place = { readonly place: string; readonly schema: Schema; readonly member: string }

/** Returns a schema and all its parts, through references, each schema once. */
function partsOf(start: unknown): readonly Place[] {
  const seen = new Set<string>()
  const walk = (part: unknown, place: string, member: string): Place[] => {
    if (Array.isArray(part)) return part.flatMap((each) => walk(each, place, member))
    if (typeof part !== 'object' || part === null) return []
    const schema = part as Schema
    const name = schema.$ref?.split('/').at(-1)
    if (name !== undefined) {
      if (seen.has(name)) return []
      seen.add(name)
      return walk(schemas[name], name, '')
    }
    const { properties = {}, items, anyOf = [], additionalProperties, then, else: other } = schema
    return [
      { place, schema, member },
      ...Object.entries(properties).flatMap(([key, each]) => walk(each, `${place}/${key}`, key)),
      ...walk([items, ...anyOf, additionalProperties, then, other], place, ''),
    ]
  }
  return walk(start, '', '')
}

const requestBodies = OPERATIONS.flatMap(({ operation }) =>
  Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema),
)
const responseBodies = OPERATIONS.flatMap(({ operation }) =>
  Object.values(operation.responses).flatMap(({ content = {} }) =>
    Object.values(content).map(({ schema }) => schema),
  ),
)
const inRequests = partsOf(requestBodies)
const inResponses = partsOf(responseBodies)

describe('an enumeration of values', () => {
  it('is open in responses, so that a later version can add values', () => {
    const closed = inResponses.filter(({ schema, member }) => {
      const isConstant = schema.const !== undefined && member !== 'object' && member !== 'event_type'
      return schema.enum !== undefined || isConstant
    })
    expect(closed.map(({ place }) => place)).toEqual([])
  })

  it('is closed in requests', () => {
    expect(inRequests.filter(({ schema }) => schema['x-extensible-enum'] !== undefined)).toEqual([])
    expect(inRequests.filter(({ schema }) => schema.enum !== undefined).length).toBeGreaterThan(10)
  })

  it.each([
    ['Verification', 'status', ['pending', 'verified', 'rejected', 'declined', 'expired', 'canceled']],
    ['Reason', 'code', Object.keys(REASONS)],
    ['Problem', 'code', Object.keys(PROBLEMS)],
  ])('the enumeration of the member %s.%s lists the values of this version', (name, member, values) => {
    expect(schemas[name]?.properties?.[member]).toMatchObject({ type: 'string', 'x-extensible-enum': values })
  })

  it('is open in the client’s types, which also list the values of this version', () => {
    const later: Status = 'postponed'
    const known: Status = 'verified'
    expect([later, known]).toHaveLength(2) // the compiler has checked both
    expect(readFileSync('packages/client/src/wire.ts', 'utf8')).toContain(
      "readonly status: 'pending' | 'verified' |",
    )
  })

  it('has its values in the text of its description', () => {
    const { description } = schemas.Verification?.properties?.status ?? {}
    expect(description).toContain('`pending`, `verified`')
    expect(description).toContain('More may be added.')
  })
})

describe('the body of a request', () => {
  it('has no `default`, because some generators make such a member required', () => {
    const places = [...inRequests, ...inResponses].filter(({ schema }) => schema.default !== undefined)
    expect(places.map(({ place }) => place)).toEqual([])
    expect(schemas.CreateVerification?.properties?.expires_in?.description).toContain('Default: `600`.')
  })

  it('has no required member if the request creates a verification', () => {
    expect(schemas.CreateVerification?.required).toBeUndefined()
  })
})

describe('a union of schemas', () => {
  it('has a discriminator if it is the body of a response, and each of its schemas has a constant `object`', () => {
    const unions = responseBodies.filter((schema) => schema?.anyOf !== undefined)
    expect(unions).toHaveLength(2)
    for (const { anyOf = [], ...union } of unions as Schema[]) {
      const names = anyOf.map(({ $ref = '' }) => $ref.split('/').at(-1) ?? '')
      const constants = names.map((name) => schemas[name]?.properties?.object?.const)
      const mapping = Object.fromEntries(anyOf.map(({ $ref }, i) => [constants[i], $ref]))
      expect(constants).not.toContain(undefined)
      expect(union).toMatchObject({ discriminator: { propertyName: 'object', mapping } })
    }
  })

  it('consists of named schemas if it is itself a named schema', () => {
    const unions = Object.values(schemas).flatMap(({ anyOf }) => (anyOf === undefined ? [] : [anyOf]))
    expect(unions.length).toBeGreaterThan(0)
    expect(unions.flat().filter(({ $ref }) => $ref === undefined)).toEqual([])
  })
})

describe('a type of a member', () => {
  it('does not combine a list with another type, because the Java code of openapi-generator would not compile', () => {
    const unions = [...inRequests, ...inResponses].filter(({ schema: { anyOf = [] } }) =>
      anyOf.some(({ type }) => type === 'array'),
    )
    expect(unions.map(({ place }) => place)).toEqual([])
    const { meta } =
      schemas.CredentialTypes?.items?.properties?.formats?.properties?.['dc+sd-jwt']?.properties ?? {}
    const { if: isList, then: list, else: one } = meta ?? {}
    expect([isList?.type, list?.type, one?.type]).toEqual(['array', 'array', 'object'])
  })

  it('is never only null', () => {
    const alone = [...inRequests, ...inResponses].filter(({ schema, member }) => {
      return schema.type === 'null' && member !== ''
    })
    expect(alone.map(({ place }) => place)).toEqual([])
  })
})

describe('a webhook', () => {
  it('has an operationId', () => {
    const ids = Object.values(DESCRIPTION.webhooks).map(({ post }) => post.operationId)
    expect(ids).toEqual(['receiveEvent'])
  })
})

describe('the paths of the description', () => {
  it('reach every schema, because a generator may read paths only', () => {
    const reached = new Set([...inRequests, ...inResponses].map(({ place }) => place.split('/')[0]))
    expect(Object.keys(schemas).filter((name) => !reached.has(name))).toEqual([])
    expect([...reached]).toEqual(expect.arrayContaining(['Event', 'TestEvent']))
  })

  it('define each number in a query as an integer with bounds', () => {
    const queries = OPERATIONS.flatMap(({ operation }) => operation.parameters ?? []).filter(
      (parameter) => parameter.in === 'query',
    )
    const named = Object.fromEntries(queries.map(({ name, schema }) => [name, schema]))
    expect(named.wait).toEqual({ type: 'integer', minimum: 1, maximum: 25 })
    expect(named.limit).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 })
    expect(named.after_version).toMatchObject({ type: 'integer', minimum: 0 })
  })

  it('have a pattern for each id', () => {
    const ids = OPERATIONS.flatMap(({ path, operation }) =>
      (operation.parameters ?? [])
        .filter(({ name }) => /^(id|delivery|key|rp|list)$/.test(name))
        .map((parameter) => ({ path, ...parameter })),
    ).filter(({ path }) => !path.endsWith('/did.json'))
    expect(ids.filter(({ schema }) => schema.pattern === undefined)).toEqual([])
    const examples = DESCRIPTION.components.examples as Record<string, { value: Record<string, string> }>
    const pattern = ids.find(({ name }) => name === 'id')?.schema.pattern ?? ''
    expect(examples.CreatedVerification?.value.verification_id).toMatch(new RegExp(pattern))
  })

  it('have patterns that reject invalid values', () => {
    const patternOf = (name: string, member: string) => schemas[name]?.properties?.[member]?.pattern ?? 'none'
    expect('').not.toMatch(new RegExp(patternOf('RequestObjectForm', 'wallet_nonce')))
    expect('a cursor').not.toMatch(new RegExp(patternOf('RedeliveryRange', 'after')))
    expect('4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFy=').not.toMatch(
      new RegExp(patternOf('EncryptionKey', 'y')),
    )
    const events = DESCRIPTION.paths['/v1/events']?.get?.parameters ?? []
    const after = events.find(({ name }) => name === 'after')
    expect(
      ['', 'AABRYAAAAAFqZ0l4c3R1dnd4eXphYmNk', 'a cursor'].map((text) =>
        new RegExp(after?.schema.pattern ?? '').test(text),
      ),
    ).toEqual([true, true, false])
    const wait = DESCRIPTION.paths['/v1/verify/{id}']?.get?.parameters ?? []
    expect(wait.find(({ name }) => name === 'after_version')?.description).toContain('Needs `wait`.')
  })

  it('link the response with a new verification_id to every operation that needs it, except a delivery and the end of a login', () => {
    const created = DESCRIPTION.paths['/v1/verify']?.post?.responses[201]
    const linked = Object.values(created?.links ?? {})
    // The end of a login is opened by the page of its session.
    const others = /\{delivery\}|\/finish\//
    const taking = OPERATIONS.filter(({ path }) => /\{id\}/.test(path) && !others.test(path))
    expect(linked.map(({ operationId }) => operationId).sort()).toEqual(
      taking.map(({ operation }) => operation.operationId).sort(),
    )
    expect(linked.every(({ parameters }) => parameters.id === '$response.body#/verification_id')).toBe(true)
  })

  it('with an id are linked from a response, except those of DID documents and of the end of a login', () => {
    const operations = OPERATIONS.flatMap(({ operation }) => Object.values(operation.responses))
    const linked = new Set(operations.flatMap(({ links = {} }) => Object.keys(links)))
    const taking = OPERATIONS.filter(
      ({ path }) => /\{(id|key|rp|list|client)\}/.test(path) && !/\/did\.json$|\/finish\//.test(path),
    )
    expect(taking.map(({ operation }) => operation.operationId).filter((id) => !linked.has(id))).toEqual([])
  })
})

it('the description has a server, a licence and a contact', () => {
  expect(DESCRIPTION).toMatchObject({
    info: { contact: { name: expect.any(String) }, license: { identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
  })
})
