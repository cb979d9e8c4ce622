// Concurrency: responses to one session, junk, and pictures of it (api/request, api/outcome, api/qr).

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { decodePng, readWithJsqr, readWithZxing } from '../qr/foreign-readers.ts'
import { makeAuthority } from '../support/people/person.ts'
import type { RequestPayload } from '../support/people/wallet.ts'
import { type CreatedSession, OVER_18, type RelyingParty } from '../support/service/service.ts'
import { eventsOf, relyingPartyOf, respondWithAge, useStage } from '../support/service/stage.ts'
import { WAIT } from '../support/wait.ts'
import {
  formOf,
  formPost,
  type LeanWallet,
  leanSettings,
  makeLeanWallet,
  readRequestObject,
} from '../support/wallets/lean-wallet.ts'
import { BLIND_JUNK, clearJunk, encryptedJunk, type Insight, type Junk } from './junk.ts'

const stage = useStage()
let wallet: LeanWallet
let forger: LeanWallet
let rp: RelyingParty
beforeAll(async () => {
  wallet = await makeLeanWallet(stage.authority)
  forger = await makeLeanWallet({ ...(await makeAuthority(stage.authority.iss)), iss: stage.authority.iss })
  rp = await stage.service.relyingParty(leanSettings(stage.authority, stage.receiver.url))
})

describe('several ends at the same time', () => {
  it('each of 50 sessions accepts one of three good responses, refuses two, and sends one event', async () => {
    const sessions = await Promise.all(Array.from({ length: 50 }, () => fetched()))
    const answers = sessions.map(({ request }) => [1, 2, 3].map(() => wallet.answer(request)))
    expect(new Set(answers.flat()).size).toBe(150)
    const statuses = await Promise.all(
      sessions.map(({ id }, i) => Promise.all(answers[i]!.map((body) => post(id, formPost(body))))),
    )
    expect(statuses.map((three) => three.toSorted())).toEqual(sessions.map(() => [200, 409, 409]))
    await Promise.all(sessions.map(({ id }) => endedOnceAs('verified', id)))
  })

  it('each of 30 sessions accepts only one of a response, a decline and a cancellation, and the event shows which one', async () => {
    const sessions = await Promise.all(Array.from({ length: 30 }, () => fetched()))
    const ends = await Promise.all(
      sessions.map(async ({ id, request }, i) => {
        const attempts = [
          ['verified', () => post(id, formPost(wallet.answer(request)))],
          ['declined', () => post(id, formPost(formOf({ error: 'access_denied', state: request.state })))],
          ['canceled', async () => (await rp.call('POST', `/v1/verify/${id}/cancel`)).status],
        ] as const
        const turned = [...attempts.slice(i % 3), ...attempts.slice(0, i % 3)]
        const statuses = await Promise.all(turned.map(async ([end, run]) => [end, await run()] as const))
        return { id, accepted: statuses.filter(([, status]) => status === 200), statuses }
      }),
    )
    for (const { id, accepted, statuses } of ends) {
      expect(statuses.map(([, status]) => status).toSorted()).toEqual([200, 409, 409])
      await endedOnceAs(accepted[0]![0], id)
    }
  })
})

describe('1,000 invalid responses at the same time', () => {
  it.each([
    ['direct_post', clearJunk],
    ['direct_post.jwt', encryptedJunk],
  ])('leave a %s session pending and usable', async (mode, informedJunk) => {
    const settings = { request_options: { response_mode: mode } }
    const anyone = await relyingPartyOf(stage, settings)
    const session = await anyone.create()
    const id = session.verification_id
    await throwAt(id, 500, BLIND_JUNK)
    const request = await stage.service.wallet.receive(session.wallet_request.uri)
    const other = await stage.service.wallet.receive((await anyone.create()).wallet_request.uri)
    const insight: Insight = { request: request.payload, other: other.payload, wallet, forger }
    expect(await reasonsOf(id, informedJunk(insight), anyone)).toBeGreaterThan(5)
    await throwAt(id, 500, informedJunk(insight))

    const poll = await anyone.poll(id)
    expect(poll).toMatchObject({ status: 'pending', checks: null })
    expect(poll.attempts).toHaveLength(10)
    expect((await respondWithAge(stage, request)).status).toBe(200)
    expect(await anyone.poll(id)).toMatchObject({ status: 'verified', checks: { age_over_18: true } })
    expect(await eventsOf(stage, id, 1)).toHaveLength(1)
  })
})

describe('QR codes that are drawn at the same time', () => {
  it('create 50 requests of one session, and the OpenID4VP view shows the newest request', async () => {
    const { verification_id: id } = await rp.create()
    const uris = await drawn(id, 50)
    expect(new Set(uris).size).toBe(50)
    const shown = await newestOf(id)
    expect(shown.request_uri).toBe(uris.toSorted(byNumber).at(-1))
    const fetched = await Promise.all(uris.toSorted(byNumber).map((uri) => fetchRequest(uri)))
    // api/request: the newest generation and eight older generations are alive. All others are superseded,
    // and no generation is confused with another.
    expect(fetched.map(({ status }) => status)).toEqual([...repeat(41, 410), ...repeat(9, 200)])
    expect(distinctNonces(fetched)).toBe(9)
    expect(fetched.at(-1)!.request!.nonce).toBe(shown.nonce)
  })

  it('contain 50 valid requests with 50 different nonces, if at most 8 QR codes are drawn at once', async () => {
    const { verification_id: id } = await rp.create()
    const fetched: Fetched[] = []
    for (const count of [...repeat(6, 8), 2]) {
      const uris = await drawn(id, count)
      const shown = await newestOf(id)
      expect(shown.request_uri).toBe(uris.toSorted(byNumber).at(-1))
      fetched.push(...(await Promise.all(uris.map((uri) => fetchRequest(uri)))))
    }
    expect(fetched.map(({ status }) => status)).toEqual(repeat(50, 200))
    expect(distinctNonces(fetched)).toBe(50)
    const latest = fetched.at(-1)!.request!
    expect(await post(id, formPost(wallet.answer(latest)))).toBe(200)
  })
})

type Fetched = { readonly status: number; readonly request: RequestPayload | undefined }

/** Creates a session of `rp` whose request a wallet has fetched. */
async function fetched(): Promise<{ readonly id: string; readonly request: RequestPayload }> {
  const session: CreatedSession = await rp.create(OVER_18)
  const { request } = await fetchRequest(session.wallet_request.request_uri)
  return { id: session.verification_id, request: request! }
}

async function fetchRequest(requestUri: string): Promise<Fetched> {
  const response = await stage.service.fetch(requestUri)
  const text = await response.text()
  return { status: response.status, request: response.status === 200 ? readRequestObject(text) : undefined }
}

async function post(id: string, request: RequestInit): Promise<number> {
  const response = await stage.service.fetch(`/v1/verify/${id}/callback`, request)
  await response.text()
  return response.status
}

/** Posts `count` times, 50 at a time. Each post is refused, and none leads to a fault. */
async function throwAt(id: string, count: number, kinds: readonly Junk[]): Promise<void> {
  for (let begin = 0; begin < count; begin += 50) {
    const batch = Array.from({ length: 50 }, async (_, i) => {
      const number = begin + i
      return post(id, await kinds[number % kinds.length]!(number))
    })
    const statuses = await Promise.all(batch)
    expect(statuses.filter((status) => status < 400 || status >= 500)).toEqual([])
  }
}

/** Returns the number of reasons with which these posts are refused, one after the other. */
async function reasonsOf(id: string, kinds: readonly Junk[], { poll }: RelyingParty): Promise<number> {
  const reasons = new Set<string | undefined>()
  for (const [number, kind] of kinds.entries()) {
    expect(await post(id, await kind(number))).toBe(400)
    reasons.add((await poll(id)).attempts.at(-1)?.reason.code)
  }
  return reasons.size
}

/** Expects one terminal status and one event with it, delivered by one POST. */
async function endedOnceAs(end: string, id: string): Promise<void> {
  expect((await rp.poll(id)).status).toBe(end)
  const log = await vi.waitFor(async () => {
    const response = await rp.call('GET', `/v1/verify/${id}/deliveries`)
    const { deliveries } = (await response.json()) as { deliveries: { state: string; attempts: unknown[] }[] }
    expect(deliveries.map(({ state }) => state)).toEqual(['delivered'])
    return deliveries
  }, WAIT)
  expect(log[0]!.attempts).toHaveLength(1)
  const events = await eventsOf(stage, id, 1)
  expect(events.map(({ event }) => event.status)).toEqual([end])
}

/** Draws QRs at the same time. Returns the text that two independent decoders read from each. */
async function drawn(id: string, count: number): Promise<string[]> {
  const sizes = [160, 240, 320]
  const pictures = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const response = await rp.call('GET', `/v1/verify/${id}/qr?size=${sizes[i % sizes.length]}`)
      expect(response.status).toBe(200)
      return new Uint8Array(await response.arrayBuffer())
    }),
  )
  const texts = pictures.map((png) => readWithJsqr(decodePng(png)))
  expect(await Promise.all(pictures.map((png) => readWithZxing(png)))).toEqual(texts.map((text) => [text]))
  return texts.map((text) => new URL(text!).searchParams.get('request_uri')!)
}

async function newestOf(id: string): Promise<{ readonly request_uri: string; readonly nonce: string }> {
  const response = await rp.call('GET', `/v1/verify/${id}/openid4vp`)
  const { wallet_request, authorization_request } = (await response.json()) as {
    wallet_request: { request_uri: string }
    authorization_request: { nonce: string }
  }
  return { request_uri: wallet_request.request_uri, nonce: authorization_request.nonce }
}

/**
 * Compares request URIs by generation. A request URI ends in its handle, whose first three bytes are the
 * generation's number (src/session/request/handles.ts).
 */
function byNumber(a: string, b: string): number {
  const number = (uri: string) => Buffer.from(uri.slice(-26), 'base64url').readUIntBE(0, 3)
  return number(a) - number(b)
}

function distinctNonces(fetched: readonly Fetched[]): number {
  return new Set(fetched.flatMap(({ request }) => request?.nonce ?? [])).size
}

function repeat<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}
