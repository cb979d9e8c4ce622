// Compares the description with the tables of the service, and its examples with its schemas. Real
// responses are compared with it by access-world.ts, for every route and caller, and by every conformance
// test (support/reading/described.ts).

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import errors from '../../assets/oauth-errors.json' with { type: 'json' }
import { PROBLEMS_WITHOUT_ROUTE } from '../../openapi/describe.ts'
import { isError, type Schema } from '../../openapi/description.ts'
import { clientTypesFile, descriptionFile } from '../../openapi/files.ts'
import WIRE from '../../packages/client/src/wire.ts?raw'
import { ACCESS } from '../../src/routes/edge/access.ts'
import { PROBLEMS } from '../../src/routes/edge/problems.ts'
import { WALLET_ERRORS } from '../../src/routes/wallet/wallet-errors.ts'
import { DESCRIPTION, findSchema, undescribed } from '../support/reading/described.ts'
import { schemaErrors } from '../support/reading/json-schema.ts'

const OPERATIONS = Object.entries(DESCRIPTION.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)
const { examples, schemas } = DESCRIPTION.components

/** Every described body, with the names of its examples. */
const BODIES = [
  ...OPERATIONS.map(({ operation }) => operation),
  ...Object.values(DESCRIPTION.webhooks).map(({ post }) => post),
].flatMap(({ requestBody, responses }) =>
  [requestBody?.content, ...Object.values(responses).map(({ content }) => content)].flatMap((content = {}) =>
    Object.values(content).flatMap(({ schema, examples: named = {} }) =>
      schema === undefined ? [] : [{ schema, names: Object.keys(named) }],
    ),
  ),
)

/** Names of all errors of all operations. */
const ERRORS = new Set(BODIES.filter(({ schema }) => isError(schema)).flatMap(({ names }) => names))

/** Errors of logins that only a browser can cause: it gets a page or a redirect. */
const ON_PAGES = ['parameter_repeated', 'request_uri_over', 'par_required', 'policy_unsatisfiable'].map(
  (name) => `oidc.${name}`,
)

describe('the description', () => {
  it('accepts a colour with upper-case hexadecimal digits', () => {
    const body = { branding: { color: '#1D4ED8' } }
    expect(schemaErrors(body, findSchema('ChangeRelyingParty'), findSchema)).toEqual([])
  })

  it('is the same as the file that the Worker serves', async () => {
    const served = await env.ASSETS.fetch('https://assets/openapi.json')
    expect(await served.text()).toBe(descriptionFile())
  })

  it('matches the client’s types: `npm run generate` would not change their file', () => {
    expect(WIRE).toBe(clientTypesFile())
  })

  it('has exactly the routes and methods of the access table', () => {
    const described = OPERATIONS.map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    )
    expect(described.sort()).toEqual(Object.keys(ACCESS).sort())
  })

  it('gives every operation a unique id, and says who may call the operation', () => {
    const names = OPERATIONS.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    expect(OPERATIONS.every(({ operation }) => Array.isArray(operation.security))).toBe(true)
  })

  it('has exactly the problem codes of the catalogue', () => {
    const problems = [...ERRORS].filter((name) => !name.includes('.'))
    expect([...new Set([...problems, ...PROBLEMS_WITHOUT_ROUTE])].sort()).toEqual(
      Object.keys(PROBLEMS).sort(),
    )
  })

  it('has every error that wallets and OAuth clients can get, except errors for a wrong method and errors on pages', () => {
    const expected = [
      ...Object.keys(WALLET_ERRORS).map((kind) => `wallet.${kind}`),
      ...Object.keys(errors.token).map((kind) => `token.${kind}`),
      ...[...Object.keys(errors.oidc), ...Object.keys(errors.request)].map((kind) => `oidc.${kind}`),
    ].filter((name) => !/\.method(_not_allowed)?$/.test(name) && !ON_PAGES.includes(name))
    const described = [...ERRORS].map((name) => name.replace(/^userinfo\./, 'oidc.'))
    expect([...new Set(described)].filter((name) => name.includes('.')).sort()).toEqual(expected.sort())
  })

  it('has an example of every body and error, each valid by its schema', () => {
    expect(BODIES.length).toBeGreaterThan(100)
    for (const { schema, names } of BODIES) {
      expect(names).not.toEqual([])
      for (const name of names) {
        expect([name, schemaErrors(examples[name]?.value, schema, findSchema)]).toEqual([name, []])
      }
    }
  })

  it('has an example of every response body, except two binary bodies', () => {
    const without = OPERATIONS.flatMap(({ method, path, operation }) =>
      Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content)
          .filter(([, media]) => !('example' in media) && !('examples' in media))
          .map(([type]) => `${method} ${path} ${status} ${type}`),
      ),
    )
    expect(without.sort()).toEqual([
      'get /v1/evidence/materials/{sha256} 200 application/octet-stream',
      'get /v1/verify/{id}/qr 200 image/png',
    ])
  })

  it('has no dangling reference and no unused schema', () => {
    const text = JSON.stringify(DESCRIPTION)
    const references = [...text.matchAll(/"#\/components\/(schemas|examples)\/([\w.]+)"/g)]
    for (const [, kind, name = ''] of references) {
      expect(kind === 'schemas' ? schemas[name] : examples[name]).toBeDefined()
    }
    expect(
      [...new Set(references.filter(([, kind]) => kind === 'schemas').map(([, , name]) => name))].sort(),
    ).toEqual(Object.keys(schemas).sort())
  })

  it('allows unknown members in responses', () => {
    const closed = (schema: Schema): boolean => schema.additionalProperties === false
    const responses = ['Verification', 'CreatedVerification', 'Event', 'EventPage', 'RelyingParty', 'Problem']
    expect(responses.filter((name) => closed(schemas[name] ?? {}))).toEqual([])
  })
})

describe('the comparison of a response with the description', () => {
  const good = {
    method: 'GET',
    path: '/readyz',
    status: 200,
    type: 'application/json',
    body: '{"status":"ready","warnings":[]}',
  }

  it('accepts a described response', () => {
    expect(undescribed(good)).toEqual([])
  })

  it.each([
    ['an undescribed path', { path: '/ready' }],
    ['an undescribed method', { method: 'PUT' }],
    ['an undescribed status', { status: 201 }],
    ['an undescribed media type', { type: 'text/plain' }],
    ['an undescribed member', { body: '{"status":"ready","warnings":[],"more":1}' }],
    ['a missing member', { body: '{"status":"ready"}' }],
    ['a value that is not described', { body: '{"status":"steady","warnings":[]}' }],
    ['a type that is not described', { body: '{"status":"ready","warnings":{}}' }],
    [
      'a problem that this route does not have',
      { status: 503, type: 'application/problem+json', body: JSON.stringify(examples.not_found?.value) },
    ],
    [
      'an accepted request body that is not described',
      {
        method: 'POST',
        path: '/v1/api_keys',
        status: 201,
        body: JSON.stringify(examples.CreatedApiKey?.value),
        sent: { scope: [] },
      },
    ],
  ])('reports %s', (_, changed) => {
    expect(undescribed({ ...good, ...changed })).not.toEqual([])
  })
})
