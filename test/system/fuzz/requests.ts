// Requests from a seeded generator: real routes with real and invented ids, methods, tokens, headers and
// bodies, in every combination. Most have an error; some are correct.

import { ACCESS, type Access, type RouteName } from '../../../src/routes/edge/access.ts'
import type { Random } from '../../formats/sd-jwt-vc/random.ts'
import { VERIFIER_CERTIFICATE_PEM } from '../../support/service/environment.ts'
import { type Body, drawDescribedBody } from './bodies.ts'
import { ODD_VALUES } from './mutations.ts'
import { drawGoodQuery, drawOddPair, type Pair } from './parameters.ts'

export type FuzzRequest = {
  /** The drawn route by its own method, or null if method or route is unknown. */
  readonly route: RouteName | null
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  /** For the service whose address is on loopback. */
  readonly isLocal?: true
}

/** Real values of the service under test, mixed with invented values. */
export type Pool = {
  readonly verificationIds: readonly string[]
  readonly capabilities: readonly string[]
  readonly relyingPartyIds: readonly string[]
  readonly keyIds: readonly string[]
  readonly clientIds: readonly string[]
  /** Tokens that the routes of each caller accept; for the console its cookie. */
  readonly opening: Readonly<Partial<Record<Access['caller'], readonly string[]>>>
  /** Origin of the service's own page. */
  readonly origin: string
  readonly tokens: readonly string[]
  readonly clientTokens: readonly string[]
  /** Bodies that some route accepts. */
  readonly bodies: readonly object[]
  readonly forms: readonly string[]
  /** Forms that the token endpoint accepts. */
  readonly tokenForms: readonly string[]
  /** An address on loopback that the service may call. */
  readonly receiverUrl: string
}

/** Draws the next request. */
export function drawRequest(random: Random, pool: Pool): FuzzRequest {
  const [own, route] = random.pick(ROUTES)
  // A fifth of the requests use a method that their route does not have.
  const method = random.below(5) === 0 ? random.pick(METHODS) : own
  const name = `${method} ${route}`
  const known = isRoute(name) ? name : null
  // workerd closes the connection when a body is not read, which cuts off a long response.
  const isLong = LONG.includes(name)
  const body = isLong || random.below(3) === 0 ? undefined : drawBody(random, pool, known)
  return {
    route: known,
    method,
    path: drawPath(random, pool, route) + drawQuery(random, pool, known),
    headers: {
      ...drawHeaders(random, pool, known),
      ...(body === undefined ? {} : { 'content-type': body.type }),
    },
    body: body?.content,
  }
}

const LONG = [
  'GET /assets/api-reference.js',
  'GET /console/assets/:name',
  'GET /openapi.json',
  'GET /metrics',
]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE', 'SEARCH']

/** All mounted routes, with more weight on sessions and wallets, and paths that are not mounted. */
const ROUTES: readonly (readonly [method: string, route: string])[] = [
  ...Object.keys(ACCESS).flatMap((key) => {
    const [method = '', route = ''] = key.split(' ')
    return Array.from({ length: /^\/(r|v1\/verify)\b/.test(route) ? 4 : 1 }, () => [method, route] as const)
  }),
  ...[
    '/',
    '//',
    '/v1',
    '/v1/',
    '/V1/verify',
    '/v1/verify/',
    '/v1/verify/:id/',
    '/v1/verify/:id/nothing',
    '/r',
  ].map((route) => ['GET', route] as const),
  ...[
    '/r/:capability/more',
    '/v1//verify',
    '/v1/verify/..%2f',
    '/%',
    '/%ff%fe',
    '/index.php',
    '/.env',
    '/s/',
  ].map((route) => ['GET', route] as const),
]

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  '%00',
  '%2e%2e',
  'a'.repeat(2_000),
  '%F0%9F%92%A5',
  'v_',
  '0',
  '*',
]

function drawPath(random: Random, pool: Pool, route: string): string {
  return route.replace(/:(\w+)/g, (_, parameter: string) => {
    if (random.below(4) === 0) return random.pick(NAMES)
    const known = {
      id: pool.verificationIds,
      capability: pool.capabilities,
      rp: pool.relyingPartyIds,
      code: ['invalid_request', 'nothing'],
      delivery: ['dlv_1', 'evt_1'],
      name: ['console.js', 'console.css', 'texts-de.json'],
      key: [...pool.keyIds, 'key_1', 'ak_0000'],
      client: [...pool.clientIds, 'oc_1'],
      list: ['shops', 'nothing'],
      page: ['wallet', 'state', 'choose'],
    }[parameter]
    const value = random.pick(known ?? ['x'])
    return random.below(4) === 0 ? spoiled(random, value) || 'x' : value // an empty one is another route
  })
}

function drawQuery(random: Random, pool: Pool, route: RouteName | null): string {
  if (random.below(3) > 0) return ''
  const good = route === null ? [] : drawGoodQuery(random, route)
  const odd = Array.from(
    { length: random.below(3) },
    (): Pair =>
      random.pick([
        ['token', random.pick([...pool.clientTokens, ...pool.tokens, '', 'junk'])],
        ['wait', random.pick(['0', '26', '1.5', 'x'])],
        [decoded(random.pick(NAMES)), random.pick(['1', '%zz', '%'])],
        route === null ? ['size', '320'] : drawOddPair(random, route),
      ]),
  )
  return `?${[...good, ...odd].map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`
}

function decoded(text: string): string {
  return text.replaceAll('%', '')
}

function isRoute(name: string): name is RouteName {
  return Object.hasOwn(ACCESS, name)
}

function drawHeaders(random: Random, pool: Pool, route: RouteName | null): Record<string, string> {
  const headers: Record<string, string> = {}
  const caller = route === null ? 'anyone' : ACCESS[route].caller
  // A session that is deleted is of no use for later requests. A page needs the token of its own session.
  const rarity = route === 'DELETE /v1/verify/:id' ? 15 : caller === 'page' ? 1 : 3
  const fitting = random.below(rarity) === 0 ? pool.opening[caller] : undefined
  const token =
    (caller === 'console' ? undefined : fitting && random.pick(fitting)) ??
    (random.below(4) === 0 ? spoiled(random, random.pick(pool.tokens)) : random.pick(pool.tokens))
  const scheme =
    random.below(12) === 0 ? random.pick(['Basic', 'bearer', 'Bearer  ', 'DPoP', 'Bearer\t']) : 'Bearer'
  if (random.below(8) > 0) headers.authorization = `${scheme} ${token}`
  if (route?.endsWith('/watch') && random.below(4) > 0) headers['sec-fetch-mode'] = 'websocket'
  if (caller === 'console' && fitting !== undefined) headers.cookie = random.pick(fitting)
  if (['page', 'browser', 'console'].includes(caller) && random.below(2) === 0) headers.origin = pool.origin
  if (route?.endsWith('/qr') && random.below(2) === 0)
    headers.accept = random.pick(['text/html', 'image/png;q=0'])
  for (const [name, values] of HEADERS) if (random.below(10) === 0) headers[name] = random.pick(values)
  return headers
}

/** Draws a header that most routes ignore, or that is odd. */
export function drawOddHeader(random: Random): Readonly<Record<string, string>> {
  const [name, values] = random.pick(HEADERS)
  return { [name]: random.pick(values) }
}

const HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'accept',
    ['image/svg+xml', 'image/png;q=0', 'text/html', '*/*;q=0.1, image/*', ';;;,,,q=', 'a'.repeat(3_000)],
  ],
  ['accept-language', ['de', 'xx-YY;q=2', '*', ',,,', 'de-'.repeat(200)]],
  ['idempotency-key', ['one', 'two', ' ', 'x'.repeat(256), 'é', '"quoted"']],
  ['operator', ['fuzz', 'é', 'x'.repeat(65), '']],
  ['traceparent', [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, `ff-${'0'.repeat(32)}`, 'x']],
  ['if-none-match', ['*', 'W/"x"']],
  ['range', ['bytes=0-10', 'bytes=-1']],
  ['sec-purpose', ['prefetch', 'prefetch;prerender', 'nothing']],
  ['origin', ['https://attacker.example', 'null', 'http://localhost']],
  ['sec-fetch-site', ['cross-site', 'same-origin', 'x']],
  ['cookie', ['a=b', `__Host-x=${'y'.repeat(500)}`, '=;=;', 'a']],
  ['x-request-id', ['mine', 'x'.repeat(1_000)]],
  ['x-forwarded-for', ['127.0.0.1', 'junk']],
  ['cf-connecting-ip', ['10.0.0.1']],
  ['x-http-method-override', ['DELETE']],
  ['content-encoding', ['gzip', 'br']],
  ['expect', ['']],
]

const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/problem+json',
  '',
  ';',
]

function drawBody(random: Random, pool: Pool, route: RouteName | null): Body {
  const json = (content: string) => ({ type: 'application/json', content })
  const form = (content: string) => ({ type: 'application/x-www-form-urlencoded', content })
  const described =
    route === null || random.below(3) > 0 ? undefined : drawDescribedBody(random, route, pool.receiverUrl)
  if (described !== undefined) return described
  const fitting = route === null ? undefined : FITTING[route]
  if (fitting !== undefined && random.below(3) === 0)
    return json(JSON.stringify(random.pick([fitting].flat())))
  if (route === 'POST /oauth/token' && random.below(3) === 0) return form(random.pick(pool.tokenForms))
  const drawn = random.pick([
    () => json(JSON.stringify(random.pick(pool.bodies))),
    () => json(JSON.stringify(mutated(random, random.pick(pool.bodies)))),
    () => json(JSON.stringify(mutated(random, random.pick(pool.bodies)))),
    () => json(spoiled(random, JSON.stringify(random.pick(pool.bodies)))),
    () => json(random.pick(ODD_JSON)),
    () => form(random.pick(pool.forms)),
    () => form(spoiled(random, random.pick(pool.forms))),
    () => form(random.pick(ODD_FORMS)),
    () => json('x'.repeat(random.pick([0, 1, 16_384, 16_385, 70_000]))),
    () => ({ type: random.pick(TYPES), content: Uint8Array.from({ length: 64 }, () => random.below(256)) }),
  ])()
  return random.below(8) === 0 ? { ...drawn, type: random.pick(TYPES) } : drawn
}

/** Bodies that their route processes completely. */
const FITTING: { readonly [name in RouteName]?: object | readonly object[] } = {
  'POST /v1/verify': [
    { credential_types: ['age_attestation'], scope: ['age_over_18'] },
    { credential_types: ['age_attestation'], scope: ['family_name'] },
  ],
  'POST /v1/verify/:id/response_code': { response_code: 'x'.repeat(43) },
  'POST /v1/verify/:id/return': { return_code: 'x'.repeat(43) },
  'PATCH /v1/relying_party': { by_value: false },
  'POST /v1/api_keys': { scopes: ['verify:read'] },
  'POST /v1/admin/relying_parties': { name: 'Shop' },
  'PATCH /v1/admin/relying_parties/:rp': { by_value: false },
  'POST /v1/admin/relying_parties/:rp/api_keys': { scopes: ['verify:read'] },
  'POST /v1/admin/trust_lists': {
    name: 'shops',
    kind: 'pem_bundle',
    pem: VERIFIER_CERTIFICATE_PEM,
    services: [{ credential_types: ['pid'], assurance_level: 'low' }],
  },
}

const ODD_JSON = [
  '',
  'null',
  '[]',
  '{}',
  '""',
  '1e999',
  '{"a":1,"a":2}',
  '{"__proto__":{"credential_types":["pid"]}}',
  '['.repeat(200) + ']'.repeat(200),
  '{"credential_types":',
  '\ufeff{}',
  '{"scope":["\\ud800"],"credential_types":["pid"]}',
]

const ODD_FORMS = [
  '&&&=',
  'state=%ff',
  'state=%',
  'a=1&a=2',
  'error=access_denied',
  'response=a.b.c.d.e',
  'vp_token=%7B%7D&state=x',
  'wallet_nonce=',
  `wallet_nonce=${'n'.repeat(5_000)}`,
  'wallet_metadata=%5B%5D',
  Array.from({ length: 40 }, (_, i) => `p${i}=1`).join('&'),
  'grant_type=client_credentials&scope=verify:read',
]

/** Returns a copy with one member, at any depth, changed, removed or added. */
function mutated(random: Random, value: object): unknown {
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
  const names = Object.keys(copy)
  const name = names.length === 0 || random.below(6) === 0 ? random.pick(ADDED) : random.pick(names)
  const old = copy[name]
  if (typeof old === 'object' && old !== null && random.below(2) === 0) copy[name] = mutated(random, old)
  else if (random.below(4) === 0) delete copy[name]
  else copy[name] = random.pick(ODD_VALUES)
  return copy
}

const ADDED = [
  'constructor',
  'extra',
  'metadata',
  'expires_in',
  'locale',
  'return_url',
  'claims_encryption_jwk',
  'dcql_query',
]

/** Returns the text with a character removed, doubled or changed. */
function spoiled(random: Random, text: string): string {
  const at = random.below(text.length + 1)
  const rest = text.slice(at + 1)
  return random.pick([
    text.slice(0, at) + rest,
    `${text.slice(0, at)}${text[at]}${text.slice(at)}`,
    `${text.slice(0, at)}A${rest}`,
  ])
}
