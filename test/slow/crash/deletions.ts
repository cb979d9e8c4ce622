// Sessions that are deleted while the service is killed (api/outcome). Afterwards nothing of them may be
// left: no session, no entry in the list, no byte of their metadata in a file.

import { setTimeout as sleep } from 'node:timers/promises'
import { readFilesBelow } from '../../support/reading/live-files.ts'
import { OVER_18 } from '../../support/service/service.ts'
import { type Answer, type Ask, authorized, readList } from './load.ts'
import { expectStatus } from './ways.ts'

/** A session whose caller has sent `DELETE` until it got 204 or 404. */
export type DeletedSession = {
  readonly verificationId: string
  /** Metadata of the session, which is unique. */
  readonly marker: string
  /** Number of requests until the response, and its status. More than one: a crash cut off the others. */
  readonly tries: number
  readonly status: number
  /** True if the list had the session after that response. */
  readonly listed: boolean
  /** Statuses of a poll, of another `DELETE`, and of a creation with the same `Idempotency-Key`. */
  readonly read: number
  readonly again: number
  readonly recreated: number
}

/** Number of sessions that are deleted at one kill. */
const AT_A_KILL = 12

export type Deletions = ReturnType<typeof openDeletions>

export function openDeletions(ask: Ask, apiKey: string) {
  const rounds: Promise<readonly DeletedSession[]>[] = []
  let last = 0
  let answered = 0
  let failed = false
  return {
    /** Creates sessions, and sends a `DELETE` for each. Resolves when the requests are on their way. */
    begin: async (): Promise<void> => {
      const numbers = Array.from({ length: AT_A_KILL }, () => ++last)
      answered = 0
      const creating = Promise.all(numbers.map((number) => create(number)))
      const round = creating.then((ids) => deleteAll(numbers, ids))
      round.catch(() => {
        failed = true // reported by `all`
      })
      rounds.push(round)
      await creating
    },
    /** Number of requests of the last `begin` without a response. */
    open: () => (rounds.length === 0 || failed ? 0 : AT_A_KILL - answered),
    /** Resolves when every deleted session is examined. */
    all: async () => (await Promise.all(rounds)).flat(),
  }

  async function create(number: number): Promise<string> {
    const text = expectStatus(201, await ask('/v1/verify', creation(number, apiKey)))
    const { verification_id: id } = JSON.parse(text)
    if (number % 2 === 0) expectStatus(200, await ask(`/v1/verify/${id}/cancel`, authorized(apiKey, 'POST')))
    return id
  }

  async function deleteAll(numbers: readonly number[], ids: readonly string[]) {
    const answers = await Promise.all(
      ids.map(async (id) => {
        const answer = await ask(`/v1/verify/${id}`, authorized(apiKey, 'DELETE'))
        answered++
        return answer
      }),
    )
    const listed = new Set((await readList(ask, apiKey)).map(({ verification_id }) => verification_id))
    return Promise.all(
      ids.map((id, i) => examine(numbers[i] as number, id, answers[i] as Answer, listed.has(id))),
    )
  }

  async function examine(
    number: number,
    id: string,
    { status, tries }: Answer,
    listed: boolean,
  ): Promise<DeletedSession> {
    const path = `/v1/verify/${id}`
    const { status: read } = await ask(path, authorized(apiKey))
    const { status: again } = await ask(path, authorized(apiKey, 'DELETE'))
    const { status: recreated } = await ask('/v1/verify', creation(number, apiKey))
    // The key was lost, so it made another session, which has the same id.
    if (recreated === 201) await ask(path, authorized(apiKey, 'DELETE'))
    return { verificationId: id, marker: markerOf(number), tries, status, listed, read, again, recreated }
  }
}

/** Longest time until an object is put away on a slow machine. The log of its file is removed then. */
const PUT_AWAY_MS = 120_000

/**
 * Returns the markers of those sessions whose metadata stays in a file below `folder`. The log of an object
 * that is in use has them for some seconds.
 */
export async function staysReadableIn(
  folder: string,
  deleted: readonly DeletedSession[],
): Promise<ReadonlySet<string>> {
  const deadline = Date.now() + PUT_AWAY_MS
  let found = readableIn(folder, deleted)
  while (found.size > 0 && Date.now() < deadline) {
    await sleep(2_000)
    found = readableIn(folder, deleted)
  }
  return found
}

function readableIn(folder: string, deleted: readonly DeletedSession[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [, content] of readFilesBelow(folder))
    for (const { marker } of deleted) if (content.includes(marker)) found.add(marker)
  return found
}

function markerOf(number: number): string {
  return `canary-of-deletion-${number}-`
}

function creation(number: number, apiKey: string): RequestInit {
  const { method, headers } = authorized(apiKey, 'POST')
  const body = JSON.stringify({ ...OVER_18, metadata: { context: markerOf(number) }, expires_in: 900 })
  const more = { 'content-type': 'application/json', 'idempotency-key': `deletion-${number}` }
  return { method, headers: { ...headers, ...more }, body }
}
