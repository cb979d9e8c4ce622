// api/access for every mounted route: it is in the table, and a route with a scope accepts exactly the
// callers of its row. Other callers are in access-callers.test.ts.

import { SELF } from 'cloudflare:test'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { SCOPES, type Scope } from '../../../src/relying-party/document/settings.ts'
import { ACCESS, type Access, type RouteName } from '../../../src/routes/edge/access.ts'
import {
  app,
  credential,
  expired,
  expiredKey,
  KINDS,
  newKey,
  newOidcClient,
  newParty,
  newSession,
  ofOtherMode,
  opens,
  type Party,
  revoked,
  type Session,
  seen,
  send,
  statusAndCode,
  tokenOn,
  unknownIds,
} from './access-world.ts'
import { ADMIN } from './edge-app.ts'

const ROUTES = Object.entries(ACCESS) as [RouteName, Access][]
type Scoped = { readonly name: RouteName; readonly access: Access; readonly scope: Scope }

const SCOPED: readonly Scoped[] = ROUTES.flatMap(([name, access]) =>
  'scope' in access ? [{ name, access, scope: access.scope }] : [],
)
const BY_SESSION = SCOPED.filter(({ name }) => name.includes(':id'))
const OPERATOR_TOKEN = ADMIN.Authorization.slice('Bearer '.length)

let test: Party
let live: Party
let other: Party

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined) // a line for each of some thousand requests
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 204 }))
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Creates the relying parties of a group of tests, which makes fewer keys than a party may have. */
function useParties(): void {
  beforeAll(async () => {
    ;[test, live, other] = await Promise.all([newParty(), newParty(true), newParty()])
  })
}

describe('the table of access rules', () => {
  it('names exactly the routes of the service', () => {
    const mounted = app.routes.filter(({ method }) => method !== 'ALL')
    expect([...new Set(mounted.map(({ method, path }) => `${method} ${path}`))].sort()).toEqual(
      Object.keys(ACCESS).sort(),
    )
  })

  it('leaves out the routes for all methods, and these are exactly the known middleware and refusals', () => {
    const all = app.routes.filter(({ method }) => method === 'ALL').map(({ path }) => path)
    expect([...new Set(all)].sort()).toEqual([
      '/*',
      '/console',
      '/console/*',
      '/console/api/*',
      '/console/session',
      '/oauth/token',
      '/oidc/:rp/token',
      '/oidc/:rp/userinfo',
      '/r/*',
      '/r/:capability',
      '/v1/admin/*',
      '/v1/verify/:id/callback',
    ])
  })

  it('applies to the deployed service, which responds 401 to a call without a token', async () => {
    const response = await SELF.fetch('https://verifier.example/v1/relying_party')
    expect(await statusAndCode(response)).toBe('401 missing_token')
  })
})

/** Parameters of a request about the party's own resources. */
async function ownOf(
  party: Party,
  name: RouteName,
): Promise<Session & { rp: string; key: string; client: string }> {
  const session = name.includes(':id') ? await newSession(party, name) : NO_SESSION
  const key = name.includes(':key') ? (await newKey(party)).key_id : 'none'
  const client = await newOidcClient(party, name)
  return { ...session, rp: party.id, key, client }
}
const NO_SESSION: Session = { id: 'none', clientToken: 'ct_none', delivery: 'none' }

const CASES = SCOPED.flatMap((route) => KINDS.map((kind) => ({ ...route, kind })))

describe.each(CASES)('$name with an $kind', ({ name, scope, kind }) => {
  useParties()
  const others = SCOPES.filter((each) => each !== scope)

  it.each([
    ['test', () => test],
    ['live', () => live],
  ])('in %s mode requires the scope of the route, and accepts no other scope', async (_, party) => {
    const parameters = await ownOf(party(), name)
    const refused = await send(name, { parameters, token: await credential(party(), kind, others) })
    expect(await statusAndCode(refused)).toBe('403 insufficient_scope')
    const opened = await send(name, { parameters, token: await credential(party(), kind, [scope]) })
    expect(await statusAndCode(opened)).toBe(opens(name, party()))
  })

  it('rejects expired and revoked keys, keys of the other mode, and the operator’s token', async () => {
    for (const party of [test, live]) {
      const parameters = await ownOf(party, name)
      const spoiled: [string, string][] = [
        [await expired(party, kind), '401 expired_token'],
        [await revoked(party, kind), '401 invalid_token'],
        [await ofOtherMode(party, kind), '401 invalid_token'],
        [OPERATOR_TOKEN, '401 invalid_token'],
      ]
      if (kind === 'access token') {
        const { key_id } = await expiredKey(party)
        spoiled.push([await tokenOn(party, key_id), '401 expired_token'])
        const { key_id: weaker } = await newKey(party, { scopes: others })
        spoiled.push([await tokenOn(party, weaker), '403 insufficient_scope'])
      }
      for (const [token, expected] of spoiled) {
        expect(await statusAndCode(await send(name, { parameters, token }))).toBe(expected)
      }
    }
  })
})

describe.each(SCOPED)('$name', ({ name, access }) => {
  useParties()

  it('gets 401 with a challenge if there is no credential', async () => {
    const response = await send(name, { parameters: await ownOf(test, name) })
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
    expect(await statusAndCode(response)).toBe('401 missing_token')
  })

  it(`is ${access.caller === 'session' ? 'open' : 'closed'} to the session’s own client_token`, async () => {
    const parameters = await ownOf(test, name)
    // A route without a session has no token of its own, so any token is used.
    const { clientToken: token } = name.includes(':id') ? parameters : await newSession(test, name)
    const expected = access.caller === 'session' ? opens(name) : '403 insufficient_scope'
    expect(await statusAndCode(await send(name, { parameters, token }))).toBe(expected)
    expect(await statusAndCode(await send(name, { parameters, query: `?token=${token}` }))).toBe(expected)
  })
})

/** Returns the responses to the same request for an id of `party`, an unused id, and a malformed id. */
async function responsesFor(name: RouteName, party: Party, sending: Parameters<typeof send>[1]) {
  const { id, delivery } = await newSession(party, name)
  const answers = []
  for (const each of [id, ...unknownIds(id, party)]) {
    answers.push(await seen(await send(name, { ...sending, parameters: { id: each, delivery } })))
  }
  return answers
}

describe.each(BY_SESSION)('$name of another relying party', ({ name }) => {
  useParties()

  it.each(KINDS)('gets the same 404 as a missing session, byte for byte, with an %s', async (kind) => {
    const token = await credential(test, kind)
    for (const owner of [other, live]) {
      const answers = await responsesFor(name, owner, { token })
      for (const answer of answers) expect(answer).toEqual(answers[0])
      expect(answers[0]?.status).toBe(404)
      expect(answers[0]?.text).toContain('"verification_not_found"')
    }
  })

  it.each<[string, Parameters<typeof send>[1]]>([
    ['query', { query: '?size=1&wait=x&after_version=x&token=' }],
    ['body', name.startsWith('GET') ? {} : { body: '{' }],
    ['Accept', { headers: { Accept: 'text/html' } }],
    ['Sec-Purpose', { headers: { 'Sec-Purpose': 'prefetch' } }],
    ['Upgrade', { headers: { Upgrade: 'nothing' } }],
  ])('gets the same error as a missing session, even with a wrong %s', async (_, spoiled) => {
    const answers = await responsesFor(name, other, { token: test.key, ...spoiled })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]?.status).toBeGreaterThanOrEqual(400)
  })
})

describe.each(BY_SESSION)('$name of an existing session', ({ name }) => {
  useParties()

  it.each<[string, () => Promise<string | undefined>]>([
    ['no credential', async () => undefined],
    ['an expired API key', () => expired(test, 'API key')],
    ['an expired access token', () => expired(test, 'access token')],
    ['a revoked API key', () => revoked(test, 'API key')],
    ['an API key without the scope', () => credential(test, 'API key', ['claims:encrypt'])],
    ['the client_token of another session', async () => (await newSession(test, name)).clientToken],
    ['the operator’s token', async () => OPERATOR_TOKEN],
  ])('gets the same refusal as a missing session, byte for byte, with %s', async (_, credentialOf) => {
    const token = await credentialOf()
    const answers = await responsesFor(name, test, { token })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect([401, 403]).toContain(answers[0]?.status)
    expect(answers[0]?.text).not.toContain(test.id)
  })

  it('does not change the session if the call is refused', async () => {
    const parameters = await newSession(test, name)
    const token = await credential(test, 'API key', ['verify:read'])
    const read = async () => seen(await send('GET /v1/verify/:id', { parameters, token }))
    const before = await read()
    const strangers = [
      await credential(other, 'API key'),
      await credential(live, 'access token'),
      await expired(test, 'API key'),
      (await newSession(test, name)).clientToken,
    ]
    for (const stranger of strangers) {
      expect((await send(name, { parameters, token: stranger })).status).toBeGreaterThanOrEqual(400)
    }
    expect(await read()).toEqual(before)
  })
})

describe('DELETE /v1/api_keys/:key of another relying party', () => {
  useParties()

  it.each(KINDS)('gets the same 404 as a missing key, with an %s', async (kind) => {
    const token = await credential(test, kind)
    const answers = []
    for (const key of [other.keyId, live.keyId, '0123456789abcdef', 'x', other.id]) {
      answers.push(await seen(await send('DELETE /v1/api_keys/:key', { parameters: { key }, token })))
    }
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]?.status).toBe(404)
    const still = { token: other.key }
    expect((await send('GET /v1/relying_party', still)).status).toBe(200)
  })
})
