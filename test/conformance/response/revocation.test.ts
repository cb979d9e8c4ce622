// api/revocation and api/trust, Token Status List: effects of revocation on a session, over HTTP. A publisher
// on loopback serves the lists to a relying party in test mode.

import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STATUS, type StatusLists, startStatusLists } from '../../support/certificates/status-lists.ts'
import { makeKey } from '../../support/people/issuer.ts'
import { ageOf } from '../../support/people/person.ts'
import { tracesIn, tracesInFiles } from '../../support/reading/traces.ts'
import { OVER_18, type RelyingParty } from '../../support/service/service.ts'
import {
  type Begun,
  begin,
  eventOf,
  relyingPartyOf,
  respondWithAge,
  useOwnStage,
} from '../../support/service/stage.ts'

const stage = useOwnStage()
let lists: StatusLists
/** Accepts an unavailable status. */
let lenient: RelyingParty

beforeAll(async () => {
  lists = await startStatusLists(stage.authority.iss, stage.authority.key)
  lenient = await relyingPartyOf(stage, { status_unavailable: 'accept' })
})
afterAll(() => lists?.close())

const telling = (uri: string, idx: number) => ({ claims: { status: { status_list: { idx, uri } } } })

/** Responds to a new session with a credential that has this entry of this list. */
async function present(uri: string, idx: number, rp = stage.rp, policy: object = OVER_18) {
  const begun = await begin(stage, policy, { rp })
  const answer = await respondWithAge(stage, begun.request, telling(uri, idx))
  return { begun, answer, poll: () => rp.poll(begun.session.verification_id) }
}

async function eventFor({ session }: Begun) {
  return (await eventOf(stage, session.verification_id)).event
}

const statusCheck = (result: string) => ({ id: 'status', clause: 'Token Status List §8.3', result })

describe('a credential on a status list', () => {
  it('verifies if it is valid, and session and event show its status; one fetch is enough for three responses', async () => {
    const uri = lists.publish([STATUS.valid, STATUS.valid])
    const answers = await Promise.all([present(uri, 0), present(uri, 1), present(uri, 0)])
    for (const { answer, poll, begun } of answers) {
      expect(answer.status).toBe(200)
      const session = await poll()
      expect(session).toMatchObject({ status: 'verified', assurance_level: 'substantial' })
      expect(session.credentials).toMatchObject([{ status: 'valid' }])
      expect(session.trace).toContainEqual(statusCheck('pass'))
      expect(await eventFor(begun)).toMatchObject({ status: 'verified', credentials: [{ status: 'valid' }] })
    }
    expect(lists.asked(uri)).toEqual(['application/statuslist+jwt'])
  })

  it.each([
    ['invalid', 'credential_revoked', 'revoked'],
    ['suspended', 'credential_suspended', 'suspended'],
  ] as const)(
    'ends the session as rejected if its entry is %s, with the reason %s',
    async (entry, code, status) => {
      const uri = lists.publish([STATUS.valid, STATUS[entry]])
      for (const rp of [stage.rp, lenient]) {
        const { answer, poll, begun } = await present(uri, 1, rp)
        expect(answer.status).toBe(200)
        const session = await poll()
        expect(session).toMatchObject({
          status: 'rejected',
          verified_at: null,
          reason: { code, retryable: false },
        })
        expect(session.checks).toEqual({ age_over_18: false })
        expect(session.credentials).toMatchObject([{ status }])
        expect(session.trace).toContainEqual(statusCheck('fail'))
        expect(await eventFor(begun)).toMatchObject({ status: 'rejected', reason: { code } })
      }
    },
  )

  it('is not verified with an application-specific status, whatever the setting is', async () => {
    const uri = lists.publish([STATUS.own])
    for (const rp of [stage.rp, lenient]) {
      const { answer, poll } = await present(uri, 0, rp)
      expect(answer.status).toBe(503)
      expect(await poll()).toMatchObject({ status: 'pending', credentials: [] })
    }
  })

  it('a credential without a status claim has the status not_present', async () => {
    const { session, request } = await begin(stage)
    await respondWithAge(stage, request)
    const poll = await stage.rp.poll(session.verification_id)
    expect(poll.credentials).toMatchObject([{ status: 'not_present' }])
    expect(poll.trace).toContainEqual(statusCheck('skip'))
  })
})

describe('an unavailable status list', () => {
  it('gives the wallet 503 and adds an attempt; the same response verifies when the list is available again', async () => {
    const uri = lists.publish([STATUS.valid])
    lists.withdraw(uri)
    const { session, request } = await begin(stage)
    const presentations = await ageOf(stage.person, request, telling(uri, 0))
    const answer = await stage.service.wallet.present(request, presentations)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' })
    const retryAfter = Number(answer.headers.get('Retry-After'))
    expect(retryAfter).toBeGreaterThan(0)
    const pending = await stage.rp.poll(session.verification_id)
    expect(pending).toMatchObject({ status: 'pending', reason: null, credentials: [], trace: [] })
    expect(pending.attempts.map(({ reason }) => reason.code)).toEqual(['status_unavailable'])
    lists.restore(uri)
    await setTimeout(retryAfter * 1000)
    expect((await stage.service.wallet.present(request, presentations)).status).toBe(200)
    const verified = await stage.rp.poll(session.verification_id)
    expect(verified).toMatchObject({ status: 'verified', credentials: [{ status: 'valid' }] })
    const [, , step] = verified.assurance_derivation as readonly { as_of: string; status: string }[]
    expect(step).toMatchObject({ step: 'status', status: 'valid', level: 'substantial' })
    expect(Math.abs(Date.parse(step?.as_of ?? '') - Date.now())).toBeLessThan(60_000)
  })

  it('leads to a session verified at level low, with the status unavailable, if the setting is accept', async () => {
    const { answer, poll, begun } = await present(`${lists.publish([])}-nowhere`, 0, lenient)
    expect(answer.status).toBe(200)
    expect(await poll()).toMatchObject({
      status: 'verified',
      checks: { age_over_18: true },
      assurance_level: 'low',
      credentials: [{ status: 'unavailable', assurance_level: 'low' }],
      assurance_derivation: [
        { step: 'anchor', level: 'substantial' },
        { step: 'holder_binding', level: 'substantial' },
        { step: 'status_unavailable', level: 'low' },
      ],
    })
    expect((await poll()).trace).toContainEqual(statusCheck('fail'))
    const event = await eventFor(begun)
    expect(event).toMatchObject({ assurance_level: 'low', credentials: [{ status: 'unavailable' }] })
  })

  it('leaves a session pending if the session requires more than level low, even with the setting accept', async () => {
    const policy = { ...OVER_18, required_assurance_level: 'substantial' }
    const { answer, poll } = await present(`${lists.publish([])}-nowhere`, 0, lenient, policy)
    expect(answer.status).toBe(503)
    expect(await poll()).toMatchObject({
      status: 'pending',
      attempts: [{ reason: { code: 'status_unavailable' } }],
    })
  })
})

describe('a status list', () => {
  const now = Math.floor(Date.now() / 1000)
  it.each([
    ['has expired', { exp: now - 60 }],
    ['is for another address', { sub: 'https://status.example.com/1' }],
    ['has no such entry', { status_list: { bits: 1, lst: 'eNpjAAAAAQAB' } }],
  ])('gives 503 because it %s', async (_, claims) => {
    expect((await present(lists.publish([STATUS.valid], claims), 12)).answer.status).toBe(503)
  })

  it('gives 503 because an unknown key signed it', async () => {
    const uri = lists.publish([STATUS.valid], {}, await makeKey())
    expect((await present(uri, 0)).answer.status).toBe(503)
  })

  it('is accepted if a status anchor names its signer for this credential type', async () => {
    const signer = await makeKey()
    const iss = 'https://lists.example.com'
    const status = { name: 'Lists', purpose: ['status'], issuer: iss, jwks: { keys: [signer.publicJwk] } }
    const trust_anchors = [stage.authority.anchor(), stage.authority.anchor(status)]
    const rp = await relyingPartyOf(stage, { trust_anchors })
    const uri = lists.publish([STATUS.valid, STATUS.invalid], { iss }, signer)
    expect((await (await present(uri, 0, rp)).poll()).status).toBe('verified')
    expect((await (await present(uri, 1, rp)).poll()).reason?.code).toBe('credential_revoked')
  })
})

it('the service never fetches a list from loopback for a relying party in live mode', async () => {
  const rp = await relyingPartyOf(stage, { livemode: true, webhook: null })
  const uri = lists.publish([STATUS.valid])
  expect((await present(uri, 0, rp)).answer.status).toBe(503)
  expect(lists.asked(uri)).toEqual([])
})

it('the address of a status list is never stored, logged or returned, and the index of a credential is never returned', async () => {
  const entries = Array<number>(1_000_003).fill(STATUS.valid)
  const uri = lists.publish([...entries, STATUS.invalid])
  const secrets = { list: new URL(uri).pathname, index: '1000003' }
  const { answer, poll, begun } = await present(uri, 1_000_003)
  expect(answer.status).toBe(200)
  expect((await poll()).reason?.code).toBe('credential_revoked')
  const returned = [JSON.stringify(await poll()), JSON.stringify(await eventFor(begun)), await answer.text()]
  expect(tracesIn(returned.join('\n'), secrets)).toEqual([])
  expect(tracesIn(stage.service.server.output(), { list: secrets.list })).toEqual([])
  expect(tracesInFiles(stage.service.server.stateDir, { list: secrets.list })).toEqual([])
})
