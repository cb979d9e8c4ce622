// Ten thousand generated requests (CONTRACT 9). Each response is documented in the contract, none is a fault,
// and afterwards the service works as before.

import { Agent, request as send } from 'node:http'
import { describe, expect, it } from 'vitest'
import { ACCESS } from '../../src/routes/edge/access.ts'
import { seededRandom } from '../formats/sd-jwt-vc/random.ts'
import { lintExchange } from '../support/linters/linted-exchange.ts'
import { BASE_URL } from '../support/service/service.ts'
import { begin, finish, relyingPartyOf, respondWithAge, useStage } from '../support/service/stage.ts'
import { type FuzzResponse, undocumented } from './fuzz/documented.ts'
import { drawRequest, type FuzzRequest, type Pool } from './fuzz/requests.ts'

const REQUESTS = 10_000
/** Number of further requests, drawn until some request was accepted by each route and got each status. */
const MORE = 500
const MOST_REQUESTS = 20_000
const CALLERS = 16
const SEED = 20_261_121

const stage = useStage()

describe('ten thousand generated requests', () => {
  it('each get a documented response, and never a 500', async () => {
    const pool = await makePool()
    const random = seededRandom(SEED)
    const draw = (length: number) => Array.from({ length }, () => drawRequest(random, pool))
    const requests = draw(REQUESTS)
    const answers = [...(await askAll(requests))]
    const leftOut = () => neverAccepted(requests, answers).length + missingStatuses(answers).length
    while (leftOut() > 0 && requests.length < MOST_REQUESTS) {
      const more = draw(MORE)
      requests.push(...more)
      answers.push(...(await askAll(more)))
    }

    const errors = requests.flatMap((request, i) => {
      const answer = answers[i] as FuzzResponse
      const error = undocumented(request, answer)
      return error === undefined ? [] : [{ error, ...shown(request), answer: shownResponse(answer) }]
    })
    expect(firstOfEach(errors), `${errors.length} responses`).toEqual([])
    await lintRequestObjects(requests, answers)
    expect(missingStatuses(answers), 'statuses that no response had').toEqual([])
    expect(neverAccepted(requests, answers), 'routes that accepted no request').toEqual([])
    expect(stage.service.server.output()).not.toContain('"event":"fault"')
  }, 300_000)

  it('leave a service that verifies as before', async () => {
    const { session } = await finish(stage)
    expect((await stage.rp.poll(session.verification_id)).status).toBe('verified')
  })
})

/** Checks every served Request Object against the rules of requests. Throws at an error. */
async function lintRequestObjects(requests: readonly FuzzRequest[], answers: readonly FuzzResponse[]) {
  for (const [i, { method, path, body }] of requests.entries()) {
    const { status, headers, body: text } = answers[i] as FuzzResponse
    if (status !== 200 || headers['content-type'] !== 'application/oauth-authz-req+jwt') continue
    const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
    const answer = new Response(new Uint8Array(text), { status, headers: named })
    const { fetch } = stage.service
    await lintExchange({ url: BASE_URL + path, method, body, answer, fetch })
  }
}

/**
 * Returns the routes that accepted no request. The table is complete: test/routes/edge/access.test.ts
 * compares it with the app.
 */
function neverAccepted(
  requests: readonly FuzzRequest[],
  answers: readonly FuzzResponse[],
): readonly string[] {
  const accepted = requests.flatMap(({ route }, i) =>
    route === null || NOT_ACCEPTED.includes(answers[i]?.status ?? 0) ? [] : route,
  )
  return Object.keys(ACCESS).filter((name) => !accepted.some((route) => route === name))
}

const NOT_ACCEPTED = [401, 403, 405, 429]

function missingStatuses(answers: readonly FuzzResponse[]): readonly number[] {
  return EXPECTED_STATUSES.filter((expected) => !answers.some(({ status }) => status === expected))
}

/** Statuses that must occur. A generator that gets only 404 would prove nothing. */
const EXPECTED_STATUSES = [200, 201, 204, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 426]

/** Creates sessions in every state, keys of every kind, and bodies that some route accepts. */
async function makePool(): Promise<Pool> {
  const foreign = await relyingPartyOf(stage)
  const others = await Promise.all(Array.from({ length: 6 }, () => relyingPartyOf(stage)))
  const readerResponse = await stage.service.admin('POST', `/${stage.rp.relying_party_id}/api_keys`, {
    scopes: ['verify:read'],
  })
  const reader = (await readerResponse.json()) as { api_key: string; key_id: string }
  const pending = await Promise.all(Array.from({ length: 6 }, () => begin(stage)))
  const declined = await begin(stage)
  await stage.service.wallet.decline(declined.request, 'access_denied')
  const rejected = await begin(stage)
  await respondWithAge(stage, rejected.request, { claims: { age_over_18: false } })
  const foreignOne = await begin(stage, undefined, { rp: foreign })
  const all = [...pending, await finish(stage), declined, rejected, foreignOne]
  const { relying_party_id: id, api_key: key } = stage.rp
  const tokens = [key, key, key, reader.api_key, foreign.api_key, stage.service.server.adminToken]
  return {
    verificationIds: all.map(({ session }) => session.verification_id),
    capabilities: all.map(({ request }) => new URL(requestUriOf(request.uri)).pathname.slice('/r/'.length)),
    relyingPartyIds: [...others.map((other) => other.relying_party_id), 'rp_unknown'],
    keyIds: [reader.key_id],
    opening: {
      operator: stage.service.server.adminToken,
      relying_party: key,
      session: pending[0]?.session.client_token ?? '',
      page: pending[0]?.session.client_token ?? '',
    },
    origin: BASE_URL,
    tokenForm: `grant_type=client_credentials&client_id=${id}&client_secret=${key}`,
    tokens: [...tokens, ...all.map(({ session }) => session.client_token), 'junk', 'wv_test_'],
    clientTokens: all.map(({ session }) => session.client_token),
    bodies: BODIES,
    forms: [
      ...all.map(({ request }) => `error=access_denied&state=${request.payload.state}x`),
      ...all.map(
        ({ request }) =>
          `vp_token=%7B%22age_attestation%22%3A%5B%22a.b.c~%22%5D%7D&state=${request.payload.state}`,
      ),
      'wallet_nonce=AAAAAAAAAAAAAAAA',
      `grant_type=client_credentials&client_id=${id}&client_secret=${key}`,
    ],
  }
}

const BODIES: readonly object[] = [
  { credential_types: ['age_attestation'], scope: ['age_over_18'] },
  {
    credential_types: ['pid'],
    scope: ['age_over_18'],
    required_assurance_level: 'high',
    metadata: { a: 'b' },
  },
  {
    credential_types: ['pid', 'age_attestation'],
    scope: ['age_over_18'],
    credential_match: 'any',
    expires_in: 60,
  },
  { credential_types: ['age_attestation'], scope: ['family_name'] },
  { credential_types: ['pid'], scope: ['age_over_18'], request_options: { response_mode: 'direct_post' } },
  { name: 'Shop', livemode: false },
  {
    name: 'Shop',
    retention_seconds: 3600,
    formats: ['dc+sd-jwt'],
    return_urls: ['https://shop.example/back'],
  },
  { scopes: ['verify:read'] },
  { response_code: 'x'.repeat(43) },
  { return_code: 'x'.repeat(43) },
  {},
]

function requestUriOf(uri: string): string {
  return new URL(uri).searchParams.get('request_uri') ?? ''
}

/** Returns the responses in the order of the requests, which are sent a few at a time. */
async function askAll(requests: readonly FuzzRequest[]): Promise<FuzzResponse[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
  const answers: FuzzResponse[] = []
  const rest = requests.entries()
  const worker = async () => {
    for (const [i, request] of rest) answers[i] = await ask(request, agent)
  }
  await Promise.all(Array.from({ length: CALLERS }, worker))
  agent.destroy()
  return answers
}

function ask({ method, path, headers, body }: FuzzRequest, agent: Agent): Promise<FuzzResponse> {
  const url = new URL(stage.service.server.origin)
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const options = {
      method,
      path,
      agent,
      host: url.hostname,
      port: url.port,
      headers: { ...headers, ...length },
    }
    const sent = send(options, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
    })
    sent.once('error', (error) => reject(new Error(`${method} ${path}: ${error.message}`)))
    sent.end(body)
  })
}

/** Returns one example of each kind of error. */
function firstOfEach<T extends { readonly error: string }>(errors: readonly T[]): readonly T[] {
  return errors.filter(({ error }, i) => errors.findIndex((other) => other.error === error) === i)
}

function shown({ method, path, headers, body }: FuzzRequest) {
  const text = typeof body === 'string' ? body.slice(0, 200) : body
  return { request: `${method} ${path.slice(0, 200)}`, headers, body: text }
}

function shownResponse({ status, headers, body }: FuzzResponse) {
  return { status, headers, body: body.toString().slice(0, 300) }
}
