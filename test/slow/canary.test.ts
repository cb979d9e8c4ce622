// Places where secrets must not be (api/result, api/running). Claim values and tokens must be in no log, no
// refusal and no file. Metadata must be in no log and no refusal. After erasure none of them is anywhere. The
// search reads raw bytes, not the service. Sessions are erased by DELETE here, since retention is at least an
// hour, and the service's clock cannot be set. Both ways use the same erasure.
// test/session/verification-session.test.ts shows with a test clock that it leaves an empty storage.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { fullDate } from '../support/people/mdoc.ts'
import { type MdocTelling, makeMdocPerson, mdocOf } from '../support/people/mdoc-person.ts'
import {
  AGE,
  makeAuthority,
  makePerson,
  PID,
  presentationOf,
  queryFor,
  type Telling,
} from '../support/people/person.ts'
import type { ReceivedRequest } from '../support/people/wallet.ts'
import { tracesIn, tracesInFiles } from '../support/reading/traces.ts'
import { newRecipient } from '../support/service/evidence.ts'
import { ACCESS } from '../support/service/object-store.ts'
import {
  BASE_URL,
  type CallOptions,
  type CreatedSession,
  type RelyingParty,
} from '../support/service/service.ts'
import { relyingPartyOf, useOwnStage } from '../support/service/stage.ts'
import { WAIT } from '../support/wait.ts'
import {
  CLIENT_KEYS,
  type Logins,
  logInWithEncryptedTokens,
  logInWithoutEncryption,
  refusedLogins,
} from './canary/logins.ts'
import { foldersOfSessions, sealedKeys } from './canary/sealed.ts'

/** Each session has its own object at first. After a restart, sessions share objects. */
const stage = useOwnStage({ SESSION_OBJECTS: '0' })
const holder = await makeMdocPerson()

const canary = (what: string) => `CANARY-${what}-${randomBytes(9).toString('hex')}`

const CLAIM = canary('claim')
const METADATA = canary('metadata')
const FROM_WALLET = canary('wallet')
/** The `iss` of a forged credential: an attempt names it until its session is erased. */
const NAMED_ISSUER = canary('issuer')
const JUNK_TOKEN = canary('token')
const IDEMPOTENCY_KEY = canary('idempotency')
const STORE_SECRET = canary('store')

const NAMES = { credential_types: ['pid'], scope: ['given_name', 'family_name'] }
const ADULT = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
const CLAIMS = { given_name: CLAIM, family_name: CLAIM, note: CLAIM }
const MDOC_PID = 'eu.europa.ec.eudi.pid.1'
const RETURN_URL = 'https://shop.example/done'
const EXPIRING = { ...ADULT, expires_in: 60 }

/** Secrets and refusals of the run, and its sessions. */
type Run = {
  readonly secrets: Record<string, string>
  readonly ids: string[]
  readonly refusals: string[]
  /** Sealed keys that its sessions stored when they were created. */
  readonly sealed: Record<string, string>
  readonly rp: RelyingParty
}

describe('a marker text in claims, metadata and tokens', () => {
  it('is in no log and no refusal, and in files only as metadata or as a named issuer until the session is erased', async () => {
    const run = await startRun()
    const expiring = [await create(run, EXPIRING)]
    for (const outcome of OUTCOMES) await outcome(run)
    const before = stage.service.server.output()
    await stage.service.server.restart({ SESSION_OBJECTS: '64' })
    expiring.push(await create(run, EXPIRING))
    for (const outcome of OUTCOMES) await outcome(run)
    for (const { verification_id, expires_at } of expiring) {
      await sleep(Math.max(0, Date.parse(expires_at) - Date.now() + 500))
      expect((await run.rp.poll(verification_id)).status).toBe('expired')
    }

    const { stateDir } = stage.service.server
    const output = () => before + stage.service.server.output()
    const outOfSight = { ...run.secrets, metadata: METADATA, 'named issuer': NAMED_ISSUER }
    expect(run.refusals.length, 'refusals that were read').toBeGreaterThan(10)
    expect(tracesIn(run.refusals.join('\n'), outOfSight), 'in refusals').toEqual([])
    expect(tracesInFiles(stateDir, run.secrets, isOfTheService), 'in files').toEqual([])
    expect(tracesInFiles(stateDir, { metadata: METADATA }), 'the search finds what is there').not.toEqual([])
    const events = stage.receiver.requests.map(({ body }) => body.toString()).join('\n')
    expect(tracesIn(events, { ...run.secrets, 'named issuer': NAMED_ISSUER }), 'in webhooks').toEqual([])
    const named = tracesInFiles(stateDir, { 'named issuer': NAMED_ISSUER }, isOfTheService)
    expect(named, 'the session has the issuer that a refused credential names').not.toEqual([])

    expect(Object.keys(run.sealed).length, 'sealed keys').toBeGreaterThan(run.ids.length)
    expect(tracesInFiles(stateDir, run.sealed), 'the search finds sealed keys').not.toEqual([])

    // Both forms get the same Idempotency-Key, which leads to one session.
    const all = [...new Set(run.ids)]
    expect(all).toHaveLength(run.ids.length - 1)
    for (const id of all) expect((await run.rp.call('DELETE', `/v1/verify/${id}`)).status).toBe(204)
    const ids = Object.fromEntries(all.map((id, i) => [`id ${i}`, id.slice(2)]))
    // Sessions that share an object: the write-ahead log of the file has them until the object is put away.
    await vi.waitFor(
      () => {
        expect(tracesInFiles(stateDir, outOfSight, isOfTheService), 'after erasure').toEqual([])
        expect(tracesInFiles(stateDir, run.sealed), 'sealed keys after erasure').toEqual([])
        expect(tracesInFiles(stateDir, ids, isOfSessions(stateDir)), 'ids after erasure').toEqual([])
      },
      { ...WAIT, interval: 1_000 },
    )
    expect(output().match(/"event":"request"/g)?.length ?? 0, 'lines in the log').toBeGreaterThan(
      run.ids.length,
    )
    expect(tracesIn(output(), { ...outOfSight, ...ids }), 'in the log').toEqual([])
  })
})

/**
 * Returns `true` for files of the service. The operator's keys and the demo's are files of STATE_DIR by
 * design.
 */
function isOfTheService(path: string): boolean {
  return path.startsWith('objects/')
}

/** Returns a function that returns `true` for files with sessions, of both forms. */
function isOfSessions(stateDir: string): (path: string) => boolean {
  const folders = foldersOfSessions(stateDir)
  return (path) => folders.some(([folder]) => path.startsWith(`${folder}/`))
}

async function startRun(): Promise<Run> {
  const trust_anchors = [stage.authority.anchor(), holder.anchor()]
  // Every session has evidence: the response in plain text, but sealed to the relying party.
  const { publicKey } = await newRecipient('archive')
  const evidence = { jwks: { keys: [publicKey] }, for: 'all', outcomes: ['verified', 'rejected'] }
  const endpoint = new URL(stage.receiver.url).origin
  const push = { ...ACCESS, kind: 's3', endpoint, secret_access_key: STORE_SECRET }
  await relyingPartyOf(stage, { evidence: { ...evidence, push } })
  const rp = await relyingPartyOf(stage, { return_urls: [RETURN_URL], trust_anchors, evidence })
  const form = `grant_type=client_credentials&client_id=${rp.relying_party_id}&client_secret=${rp.api_key}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const granted = await stage.service.fetch('/oauth/token', { method: 'POST', headers, body: form })
  const { access_token } = (await granted.json()) as { access_token: string }
  const secrets = {
    claim: CLAIM,
    'from the wallet': FROM_WALLET,
    'junk token': JUNK_TOKEN,
    'idempotency key': IDEMPOTENCY_KEY,
    'API key': rp.api_key.slice(-32),
    'webhook secret': rp.webhook_secret.slice('whsec_'.length),
    'access token': access_token.slice(-64),
    'admin token': stage.service.server.adminToken,
    'secret of an object store': STORE_SECRET,
  }
  return { secrets, ids: [], refusals: [], sealed: {}, rp }
}

async function create(
  { rp, ids, secrets, sealed }: Run,
  request: object = ADULT,
  key?: string,
): Promise<CreatedSession> {
  const metadata = { user: METADATA, context: `a longer text around ${METADATA}` }
  const headers = key === undefined ? {} : { 'Idempotency-Key': key }
  const session = await rp.create({ ...request, metadata }, headers)
  ids.push(session.verification_id)
  secrets[`client token ${ids.length}`] = session.client_token
  Object.assign(sealed, sealedKeys(stage.service.server.stateDir))
  return session
}

async function receive(run: Run, request?: object): Promise<ReceivedRequest> {
  const session = await create(run, request)
  const received = await stage.service.wallet.receive(session.wallet_request.uri)
  run.secrets[`capability ${run.ids.length}`] = session.wallet_request.request_uri.slice(-26)
  return received
}

async function respondWith(
  run: Run,
  request: ReceivedRequest,
  vct: string,
  telling: Telling,
): Promise<Response> {
  const person = telling.issuer === undefined ? stage.person : await makePerson(await makeAuthority())
  const presentation = await presentationOf(person, vct, request, {
    ...telling,
    claims: { ...CLAIMS, ...telling.claims },
  })
  const answer = { [queryFor(request, vct)]: [presentation] }
  const response = await stage.service.wallet.present(request, answer)
  const text = await response.clone().text()
  if (response.status >= 400) run.refusals.push(text)
  else {
    const code = /response_code=([\w-]+)/.exec(text)?.[1]
    if (code !== undefined) run.secrets[`response code ${run.ids.length}`] = code
  }
  return response
}

/**
 * Values that the relying party never gets in the clear. A poll may contain tokens: the relying party passes
 * on `session_url`.
 */
const FROM_WALLETS = { claim: CLAIM, 'from the wallet': FROM_WALLET }

async function expectOutcome(run: Run, status: string): Promise<void> {
  const id = run.ids.at(-1) ?? ''
  const poll = await run.rp.poll(id)
  expect(poll.status).toBe(status)
  expect(tracesIn(JSON.stringify(poll), FROM_WALLETS), `in the poll of a session that is ${status}`).toEqual(
    [],
  )
  const receipt = await run.rp.call('GET', `/v1/verify/${id}/receipt`)
  expect(receipt.status, `of the receipt of a session that is ${status}`).toBe(
    status === 'pending' ? 409 : 200,
  )
  const secrets = { ...run.secrets, metadata: METADATA }
  expect(tracesIn(await receipt.text(), secrets), `in the receipt of a session that is ${status}`).toEqual([])
  const log = await run.rp.call('GET', `/v1/verify/${id}/deliveries`)
  expect(tracesIn(await log.text(), run.secrets), 'in the log of deliveries').toEqual([])
}

const OUTCOMES: readonly ((run: Run) => Promise<void>)[] = [
  async function verified(run) {
    expect((await respondWith(run, await receive(run, NAMES), PID, {})).status).toBe(200)
    await expectOutcome(run, 'verified')
  },
  async function verifiedWithEncryptedClaims(run) {
    const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
    const claims_encryption_jwk = { ...(await exportJWK(publicKey)), kid: 'rp' }
    const request = await receive(run, { ...NAMES, claims_encryption_jwk })
    expect((await respondWith(run, request, PID, {})).status).toBe(200)
    expect((await run.rp.poll(run.ids.at(-1) ?? '')).encrypted_claims).toEqual(expect.any(String))
    await expectOutcome(run, 'verified')
  },
  async function verifiedByMdoc(run) {
    const request = await receive(run, {
      ...NAMES,
      scope: [...NAMES.scope, 'picture'],
      formats: ['mso_mdoc'],
    })
    const elements = {
      ...CLAIMS,
      portrait: Buffer.from(CLAIM.repeat(40)),
      birth_date: fullDate('1963-08-12'),
    }
    const present = async (telling: MdocTelling) => {
      const presentation = await mdocOf(holder, MDOC_PID, { [MDOC_PID]: elements }, request, telling)
      return stage.service.wallet.present(request, { [queryFor(request, MDOC_PID)]: [presentation] })
    }
    const refused = await present({ answering: { nonce: FROM_WALLET } })
    expect(refused.status).toBe(400)
    run.refusals.push(await refused.text())
    expect((await present({})).status).toBe(200)
    await expectOutcome(run, 'verified')
  },
  async function verifiedByLink(run) {
    const session = await create(run, { ...ADULT, return_url: RETURN_URL })
    const headers = { 'Content-Type': 'application/json', Origin: BASE_URL }
    const path = `/v1/verify/${session.verification_id}`
    const send = (to: string, body: object, more: object = {}) =>
      stage.service.fetch(path + to, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify(body),
      })
    const link = await send('/link', {}, { Authorization: `Bearer ${session.client_token}` })
    const cookie = link.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const request = await stage.service.wallet.receive(((await link.json()) as { uri: string }).uri)
    await respondWith(run, request, AGE, {})
    const response_code = run.secrets[`response code ${run.ids.length}`]
    const back = await send('/response_code', { response_code }, { Cookie: cookie })
    const { return_url } = (await back.json()) as { return_url: string }
    const return_code = new URLSearchParams(new URL(return_url).search).get('return_code') ?? ''
    run.secrets['return code'] = return_code
    run.secrets['browser cookie'] = cookie.split('=')[1] ?? ''
    expect((await run.rp.call('POST', `${path}/return`, { body: { return_code } })).status).toBe(200)
    await expectOutcome(run, 'verified')
  },
  async function loggedIn(run) {
    for (const keys of CLIENT_KEYS) {
      await logInWithEncryptedTokens(logins(run), keys)
      await expectOutcome(run, 'verified')
    }
    const tokens = await logInWithoutEncryption(logins(run))
    expect(tracesIn(tokens, FROM_WALLETS), 'in tokens').toEqual([])
    await expectOutcome(run, 'verified')
    run.refusals.push(...(await refusedLogins(logins(run), JUNK_TOKEN)))
    await expectOutcome(run, 'pending')
  },
  async function rejected(run) {
    const request = await receive(run)
    expect((await respondWith(run, request, AGE, { claims: { age_over_18: false } })).status).toBe(200)
    await expectOutcome(run, 'rejected')
  },
  async function rejectedForItsDate(run) {
    const exp = Math.floor(Date.now() / 1000) - 1000
    expect((await respondWith(run, await receive(run, NAMES), PID, { claims: { exp } })).status).toBe(200)
    await expectOutcome(run, 'rejected')
  },
  async function declined(run) {
    const request = await receive(run)
    expect((await stage.service.wallet.decline(request, 'access_denied')).status).toBe(200)
    await expectOutcome(run, 'declined')
  },
  async function canceled(run) {
    await receive(run)
    await run.rp.call('POST', `/v1/verify/${run.ids.at(-1)}/cancel`)
    await expectOutcome(run, 'canceled')
  },
  async function pendingAfterForgeries(run) {
    const request = await receive(run, NAMES)
    const stranger = await makeAuthority()
    for (const telling of FORGERIES(stranger.key)) {
      expect((await respondWith(run, request, PID, telling)).status).toBe(400)
    }
    const tampered = (await presentationOf(stage.person, PID, request, { claims: CLAIMS })).replace(
      '~',
      `~${FROM_WALLET}~`,
    )
    const answer = await stage.service.wallet.present(request, { [queryFor(request, PID)]: [tampered] })
    run.refusals.push(await answer.text())
    await junkPosts(run, request)
    await expectOutcome(run, 'pending')
  },
  async function refusedCalls(run) {
    const session = await create(run, ADULT, IDEMPOTENCY_KEY)
    await refusals(run, session)
  },
]

function logins({ rp, ids, secrets }: Run): Logins {
  return { stage, rp, ids, secrets, claims: CLAIMS }
}

const FORGERIES = (stranger: NonNullable<Telling['issuer']>): readonly Telling[] => [
  { nonce: FROM_WALLET },
  { audience: FROM_WALLET },
  { issuer: stranger },
  { holder: stranger },
  { unbound: true },
  { claims: { vct: FROM_WALLET } },
  { claims: { iss: `https://${NAMED_ISSUER}.example` } },
  { claims: { exp: FROM_WALLET } },
]

async function junkPosts(run: Run, request: ReceivedRequest): Promise<void> {
  const { state, response_uri } = request.payload
  const forms = [
    { error: FROM_WALLET, error_description: FROM_WALLET, state },
    { error: 'invalid_request', error_description: FROM_WALLET, state: FROM_WALLET },
    { vp_token: `{"pid":["${FROM_WALLET}"]}`, state },
    { response: `${FROM_WALLET}.a.b.c.d` },
    { [FROM_WALLET]: FROM_WALLET },
  ]
  for (const form of forms) {
    const body = new URLSearchParams(form as Record<string, string>).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    run.refusals.push(
      await (await stage.service.fetch(response_uri, { method: 'POST', headers, body })).text(),
    )
  }
  const nonce = `wallet_nonce=${FROM_WALLET}&wallet_metadata=${encodeURIComponent(`{"x":"${FROM_WALLET}"}`)}`
  const requestUri = new URL(request.uri).searchParams.get('request_uri') ?? ''
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await (await stage.service.fetch(requestUri, { method: 'POST', headers, body: nonce })).text()
}

/** Calls that end in problems, with secrets in every possible place. */
async function refusals(run: Run, session: CreatedSession): Promise<void> {
  const path = `/v1/verify/${session.verification_id}`
  const { client_token } = session
  const calls: readonly (readonly [method: string, path: string, options?: CallOptions])[] = [
    ['GET', path, { token: JUNK_TOKEN }],
    ['GET', `${path}?token=${JUNK_TOKEN}`, { token: null }],
    ['GET', `${path}/qr?token=${client_token}&size=${FROM_WALLET}`, { token: null }],
    ['GET', `${path}/deliveries?token=${client_token}`, { token: client_token }],
    ['GET', `/s/${session.verification_id}?token=${JUNK_TOKEN}`, { token: null }],
    ['GET', `/${JUNK_TOKEN}`],
    ['PUT', `${path}?token=${client_token}`],
    ['POST', '/v1/verify', { body: { ...ADULT, metadata: { user: `${METADATA}`.repeat(20) } } }],
    ['POST', '/v1/verify', { body: { ...ADULT, scope: [METADATA] } }],
    ['POST', '/v1/verify', { body: { ...ADULT, required_assurance_level: METADATA } }],
    ['POST', '/v1/verify', { body: `{"metadata":"${METADATA}",` }],
    ['POST', '/v1/verify', { body: NAMES, headers: { 'Idempotency-Key': IDEMPOTENCY_KEY } }],
    ['POST', `${path}/return`, { body: { return_code: JUNK_TOKEN } }],
    ['GET', '/v1/admin/relying_parties', { token: JUNK_TOKEN }],
    ['GET', `/v1/events?after=${JUNK_TOKEN}`],
    [
      'POST',
      '/oauth/token',
      { token: null, body: `grant_type=x&client_secret=${JUNK_TOKEN}`, headers: FORM },
    ],
  ]
  for (const [method, to, options] of calls) {
    const response = await run.rp.call(method, to, options)
    expect(response.status, `${method} ${to}`).toBeGreaterThanOrEqual(400)
    run.refusals.push(await response.text())
  }
  // Two calls that succeed, with the token in the URL.
  for (const to of [`${path}?token=${client_token}`, `${path}/qr?token=${client_token}`]) {
    expect((await run.rp.call('GET', to, { token: null })).status).toBe(200)
  }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
