// Time stamps and the push to an object store (api/evidence) at a running service. The authority is `openssl
// ts` behind a server on loopback, the store a strict fake. Each hostile answer is one change of a good one,
// and comes first: the service must not use it, and the next attempt succeeds.

import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEnvelope, verifyContainer } from '../../../packages/evidence/src/evidence.ts'
import { judgeToken, makeAuthority, signToken } from '../../evidence/authority.ts'
import { STATUS, type StatusLists, startStatusLists } from '../../support/certificates/status-lists.ts'
import {
  callEvidence,
  type Envelope,
  type Keeper,
  newKeeper,
  openChecks,
} from '../../support/service/evidence.ts'
import { ACCESS, startObjectStore } from '../../support/service/object-store.ts'
import { type ReceivedRequest, type ScriptedResponse, startReceiver } from '../../support/service/receiver.ts'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import { eventsOf, finish, relyingPartyOf, useOwnStage } from '../../support/service/stage.ts'
import { WAIT } from '../../support/wait.ts'
import { openTurns } from '../crash/turns.ts'

const TIME_STAMP_EVENTS = ['evidence.time_stamped', 'evidence.time_stamp_failed']
const REPLY = { 'content-type': 'application/timestamp-reply' }

const [receiver, store] = [await startReceiver(), await startObjectStore()]
const [authority, expired, unfit, other] = [
  makeAuthority(),
  makeAuthority({ days: 0 }),
  makeAuthority({ usage: '' }),
  makeAuthority({ key: 'ec' }),
]
const stage = useOwnStage({
  TSA_URL: receiver.url,
  TSA_CA_PEM: authority.root + expired.root + unfit.root,
  TSA_AUTHORIZATION: 'Bearer of-the-authority',
})

const good: Answer = ({ body }) => ({
  headers: REPLY,
  body: authority.reply(body),
})

/** Returns a TimeStampResp with a token of more than 255 bytes (RFC 3161 §2.4.2). */
function granted(token: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from('3003020100', 'hex'), token])
  return Buffer.concat([Buffer.from([0x30, 0x82, content.length >> 8, content.length & 0xff]), content])
}

type Answer = (request: ReceivedRequest) => ScriptedResponse

/**
 * Makes a receiver that tests use at the same time: each says how its first requests are answered. `keyOf`
 * returns what all requests for one session have in common.
 */
function shareReceiver(
  answer: (by: Answer) => void,
  keyOf: (request: ReceivedRequest) => string,
  usual: Answer,
) {
  const answers = new Map<string, Answer>()
  const turns = openTurns(1)
  /**
   * Answers the first requests for the session that `end` ends by `first`, and the next ones as a good
   * receiver. Until `release` is called, these get 503. Resolves after the first request.
   */
  return async (end: () => Promise<string>, first: Answer, times = 1) => {
    const giveBack = await turns.take()
    let [count, isReleased] = [0, false]
    const own: Answer = (request) => {
      count += 1
      if (count <= times) return first(request)
      return isReleased ? usual(request) : { status: 503 }
    }
    const asked = new Promise<void>((resolve) => {
      answer((request) => {
        const known = answers.get(keyOf(request))
        if (known !== undefined) return known(request)
        answers.set(keyOf(request), own)
        resolve()
        return own(request)
      })
    })
    const release = () => {
      isReleased = true
    }
    try {
      const id = await end()
      await asked
      return { id, release }
    } finally {
      giveBack()
    }
  }
}

const endStamped = shareReceiver(
  receiver.answer,
  ({ body }) => body.subarray(24, 56).toString('hex'), // the digest
  good,
)
const endPushed = shareReceiver(store.answer, ({ path }) => path, store.serve)

const PUSH = { kind: 's3', ...ACCESS, endpoint: store.url.replace(/\/[^/]*$/, ''), prefix: 'bank' }

function keeperOf(evidence: object): Promise<Keeper> {
  const events = ['verification.verified', ...TIME_STAMP_EVENTS]
  const webhook = { url: stage.receiver.url, events }
  return newKeeper(stage.service, (given) => relyingPartyOf(stage, { webhook, ...given }), {
    for: 'all',
    ...evidence,
  })
}

/** Ends a session. Its status is `verified` at once, whatever the authority and the store do. */
async function ended(keeper: Keeper, claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { session } = await finish(stage, { claims }, OVER_18, keeper.rp)
  const id = session.verification_id
  expect((await keeper.rp.poll(id)).status).toBe('verified')
  return id
}

const stateOf = async ({ rp }: Keeper, id: string) =>
  (await rp.poll(id)).evidence as { readonly manifest_sha256: string; readonly time_stamp: string }

const envelopeOf = async (keeper: Keeper, id: string) =>
  (await expectStatus(await callEvidence(keeper, id), 200)) as Envelope & {
    readonly time_stamps: readonly { readonly token: string; readonly gen_time: string }[]
  }

type Log = { readonly evidence_push: string | null; readonly evidence_push_attempts: readonly object[] }

const logOf = async ({ rp }: Keeper, id: string) =>
  (await expectStatus(await rp.call('GET', `/v1/verify/${id}/deliveries`), 200)) as Log

describe('a time stamp', () => {
  it('comes after the outcome, has an event of its own, and openssl verifies it', async () => {
    receiver.answer((request) => ({ ...good(request), delayMs: 1_000 }))
    const keeper = await keeperOf({ time_stamp: 'required' })
    const id = await ended(keeper)
    const waiting = await keeper.rp.call('GET', `/v1/verify/${id}/evidence?wait=25`, { token: keeper.reader })
    const envelope = (await expectStatus(waiting, 200)) as Awaited<ReturnType<typeof envelopeOf>>
    const [stamp] = envelope.time_stamps
    const manifest = Buffer.from(envelope.manifest, 'base64')
    expect(manifest.toString()).toContain('<asic:SigReference URI="META-INF/timestamp.tst"')
    const token = Buffer.from(stamp?.token ?? '', 'base64')
    expect(judgeToken(authority, manifest, token)).toBe('Verification: OK')
    expect(Math.abs(Date.parse(stamp?.gen_time ?? '') - Date.now())).toBeLessThan(300_000)
    const asked = receiver.requests.at(-1)
    expect(asked?.body).toHaveLength(69)
    expect(asked?.headers).toMatchObject({
      'content-type': 'application/timestamp-query',
      authorization: 'Bearer of-the-authority',
    })
    const { manifest_sha256 } = envelope
    const events = await eventsOf(stage, id, 2)
    const named = Object.fromEntries(events.map(({ event }) => [event.event_type, event]))
    expect(named['verification.verified']).toMatchObject({
      sequence: 1,
      evidence: { manifest_sha256, time_stamp: 'owed' },
    })
    expect(named['evidence.time_stamped']).toMatchObject({
      sequence: 2,
      status: 'verified',
      encrypted_claims: null,
      evidence: { manifest_sha256, time_stamp: 'present' },
    })
    expect(await stateOf(keeper, id)).toEqual({ manifest_sha256, time_stamp: 'present', erased_at: null })
    const receipt = decodeJwt(await (await keeper.rp.call('GET', `/v1/verify/${id}/receipt`)).text())
    expect(receipt.evidence_hash).toBe(Buffer.from(manifest_sha256, 'hex').toString('base64url'))
  })

  const changed = (offset: number) => (request: ReceivedRequest) => {
    const other = Buffer.from(request.body)
    other[offset] = (other[offset] ?? 0) ^ 1
    return good({ ...request, body: other })
  }
  it.concurrent.for<readonly [string, Answer]>([
    ['never answers', () => ({ act: 'hang' })],
    ['never ends its answer', (request) => ({ ...good(request), act: 'stall' })],
    ['breaks the connection', () => ({ act: 'reset' })],
    ['answers more than 64 KiB', () => ({ headers: REPLY, body: Buffer.alloc(70_000) })],
    ['answers 500', (request) => ({ ...good(request), status: 500 })],
    ['redirects', () => ({ status: 307, headers: { location: 'http://127.0.0.1:1/' } })],
    ['stamps another digest', changed(40)],
    ['repeats another nonce', changed(65)],
    ['has an expired certificate', ({ body }) => ({ headers: REPLY, body: expired.reply(body) })],
    ['is another authority', ({ body }) => ({ headers: REPLY, body: other.reply(body) })],
    [
      'has a certificate for other uses',
      ({ body }) => ({ headers: REPLY, body: granted(signToken(unfit, authority.token(body))) }),
    ],
    ['grants without a token', () => ({ headers: REPLY, body: Buffer.from('30053003020100', 'hex') })],
    ['refuses', () => ({ headers: REPLY, body: Buffer.from('30053003020102', 'hex') })],
    [
      'answers another media type',
      (request) => ({ ...good(request), headers: { 'content-type': 'text/plain' } }),
    ],
  ])('is received with the next request if the authority at first %s', async ([, first], { expect }) => {
    const keeper = await keeperOf({ time_stamp: 'best_effort' })
    const { id, release } = await endStamped(() => ended(keeper), first)
    expect((await stateOf(keeper, id)).time_stamp).toBe('owed')
    expect((await envelopeOf(keeper, id)).time_stamps).toEqual([])
    release()
    await expect.poll(async () => (await stateOf(keeper, id)).time_stamp, WAIT).toBe('present')
    expect((await envelopeOf(keeper, id)).time_stamps).toHaveLength(1)
  })

  it('has the state `failed` if the evidence is deleted before the time stamp arrives', async () => {
    receiver.answer({ status: 503 })
    const keeper = await keeperOf({ time_stamp: 'required' })
    const id = await ended(keeper)
    expect((await callEvidence(keeper, id, 'DELETE')).status).toBe(204)
    expect((await stateOf(keeper, id)).time_stamp).toBe('failed')
    expect((await callEvidence(keeper, id)).status).toBe(410)
  })
})

describe('the push to an object store', () => {
  const addressOf = (id: string) => [...store.objects.keys()].find((path) => path.includes(id)) ?? ''

  it('stores the envelope with its time stamp under an object lock, and erases the sealed bytes in this service', async () => {
    receiver.answer(good)
    store.answer(store.serve)
    const keeper = await keeperOf({ time_stamp: 'best_effort', push: { ...PUSH, retain_days: 1826 } })
    const id = await ended(keeper)
    await expect.poll(async () => (await logOf(keeper, id)).evidence_push, WAIT).toBe('delivered')
    const month = new Date().toISOString().slice(0, 7).replace('-', '/')
    expect(addressOf(id)).toBe(`/${ACCESS.bucket}/bank/${month}/${id}.json`)
    const object = store.objects.get(addressOf(id))
    expect(object).toMatchObject({ mode: 'COMPLIANCE' })
    const lock = Date.parse(object?.retainUntil ?? '') - Date.now()
    expect(Math.abs(lock - 1826 * 86_400_000)).toBeLessThan(300_000)
    const envelope = JSON.parse(String(object?.body)) as Envelope
    expect(envelope).toMatchObject({ object: 'evidence', verification_id: id, time_stamps: [{}] })
    expect(envelope.sealed).toHaveProperty('ciphertext')
    expect((await callEvidence(keeper, id)).status).toBe(410)
    expect((await logOf(keeper, id)).evidence_push_attempts).toMatchObject([{ attempt: 1, status: 200 }])
  })

  describe('the push of evidence that names a list', () => {
    let lists: StatusLists
    beforeAll(async () => {
      lists = await startStatusLists(stage.authority.iss, stage.authority.key)
    })
    afterAll(() => lists?.close())

    const isMaterial = ({ path }: ReceivedRequest) => path.includes('/materials/')
    const requestsOf = () => store.requests.filter(isMaterial).map(({ method }) => method)

    it('stores each list before the envelope and under an object lock, and only once if HEAD is allowed', async () => {
      const status = { status_list: { idx: 0, uri: lists.publish([STATUS.valid]) } }
      const keeper = await keeperOf({ push: { ...PUSH, prefix: 'lists', retain_days: 1826 } })
      let isFull = true
      store.answer((request) => {
        if (!isFull || !isMaterial(request) || request.method !== 'PUT') return store.serve(request)
        isFull = false
        return { status: 507 }
      })
      const id = await ended(keeper, { status })
      await expect.poll(async () => (await logOf(keeper, id)).evidence_push, WAIT).toBe('delivered')
      const attempts = [{ status: 507 }, { status: 200 }]
      expect((await logOf(keeper, id)).evidence_push_attempts).toMatchObject(attempts)
      const methods = ['HEAD', 'PUT', 'HEAD', 'PUT']
      expect(requestsOf()).toEqual(methods)
      const paths = store.requests.filter(({ path }) => path.includes('/lists/')).map(({ path }) => path)
      expect(paths.indexOf(addressOf(id))).toBe(4)
      const envelope = JSON.parse(String(store.objects.get(addressOf(id))?.body)) as Envelope
      const folder = `/${ACCESS.bucket}/lists/materials`
      const list = store.objects.get(`${folder}/${(envelope.materials as { sha256: string }[])[0]?.sha256}`)
      expect(list).toMatchObject({ mode: 'COMPLIANCE', retainUntil: expect.stringMatching(/Z$/) })
      const find = (sha256: string) => store.objects.get(`${folder}/${sha256}`)?.body
      const { recipient } = keeper
      const opened = await openEnvelope(JSON.stringify(envelope), [recipient.privateJwk], find)
      expect(openChecks((await verifyContainer(opened.zip)).report)).toEqual([])

      const next = await ended(keeper, { status })
      await expect.poll(async () => (await logOf(keeper, next)).evidence_push, WAIT).toBe('delivered')
      expect(requestsOf()).toEqual([...methods, 'HEAD'])

      // A key that cannot read: the store refuses HEAD, and has the list already.
      store.answer((request) => (request.method === 'HEAD' ? { status: 403 } : store.serve(request)))
      const last = await ended(keeper, { status })
      await expect.poll(async () => (await logOf(keeper, last)).evidence_push, WAIT).toBe('delivered')
      expect(requestsOf()).toEqual([...methods, 'HEAD', 'HEAD', 'PUT'])
      expect(store.objects.has(addressOf(last))).toBe(true)
    })
  })

  const without = (response: ScriptedResponse): ScriptedResponse => ({ ...response, headers: {} })
  it.concurrent.for<readonly [string, Answer, number]>([
    ['redirects to a private address', () => ({ status: 307, headers: { location: 'http://10.0.0.1/' } }), 1],
    ['answers 403', () => ({ status: 403, body: '<Error/>' }), 1],
    ['answers 500', () => ({ status: 500 }), 1],
    ['never answers', () => ({ act: 'hang' }), 1],
    ['says 200 and stores nothing', () => ({ status: 200 }), 1],
    ['repeats another checksum', () => ({ headers: { 'x-amz-checksum-sha256': 'AAAA' } }), 2],
    ['stores it and breaks the connection', (request) => ({ ...store.serve(request), act: 'reset' }), 1],
  ])('succeeds with the next attempt if the store at first %s', async ([, first, puts], { expect }) => {
    const keeper = await keeperOf({ push: PUSH })
    const { id, release } = await endPushed(() => ended(keeper), first, puts)
    expect((await callEvidence(keeper, id)).status).toBe(200)
    release()
    await expect.poll(async () => (await logOf(keeper, id)).evidence_push, WAIT).toBe('delivered')
    expect(JSON.parse(String(store.objects.get(addressOf(id))?.body))).toMatchObject({
      verification_id: id,
    })
    expect((await callEvidence(keeper, id)).status).toBe(410)
  })

  it('needs only one attempt if the response to PUT never ends but the response to HEAD has the checksum', async () => {
    const keeper = await keeperOf({ push: PUSH })
    const first: Answer = (request) =>
      request.method === 'HEAD' ? store.serve(request) : { ...without(store.serve(request)), act: 'stall' }
    const { id } = await endPushed(() => ended(keeper), first, 2)
    await expect.poll(async () => (await logOf(keeper, id)).evidence_push, WAIT).toBe('delivered')
    expect((await logOf(keeper, id)).evidence_push_attempts).toHaveLength(1)
  })

  it('has the state unconfirmed if the store returns no checksum, and this service keeps the bytes', async () => {
    store.answer((request) => without(store.serve(request)))
    const keeper = await keeperOf({ push: PUSH })
    const id = await ended(keeper)
    await expect.poll(async () => (await logOf(keeper, id)).evidence_push, WAIT).toBe('unconfirmed')
    expect((await envelopeOf(keeper, id)).verification_id).toBe(id)
  })

  it('never shows its secret key, and needs the secret key again if the access key changes', async () => {
    const keeper = await keeperOf({ push: PUSH })
    const { secret_access_key: _, ...shown } = PUSH
    const read = await expectStatus(await keeper.rp.call('GET', '/v1/relying_party'), 200)
    expect(read).toMatchObject({ evidence: { time_stamp: 'none', push: { ...shown, retain_days: null } } })
    expect(JSON.stringify(read)).not.toContain(ACCESS.secret_access_key)
    const { jwks } = (read as { evidence: { jwks: object } }).evidence
    const patch = (push: object) =>
      keeper.rp.call('PATCH', '/v1/relying_party', { body: { evidence: { jwks, for: 'all', push } } })
    await expectStatus(await patch({ ...shown, prefix: 'other' }), 200)
    store.answer(store.serve)
    const id = await ended(keeper)
    await expect.poll(async () => (await logOf(keeper, id)).evidence_push, WAIT).toBe('delivered')
    for (const [push, pointer] of [
      [{ ...shown, access_key_id: 'OTHER' }, '/evidence/push/secret_access_key'],
      [{ ...PUSH, endpoint: 'http://10.0.0.1' }, '/evidence/push/endpoint'],
      [{ ...PUSH, endpoint: `${PUSH.endpoint}/path` }, '/evidence/push/endpoint'],
      [{ ...PUSH, prefix: '../x' }, '/evidence/push/prefix'],
    ] as const)
      expect(await expectStatus(await patch(push), 400)).toMatchObject({ errors: [{ pointer }] })
  })
})
