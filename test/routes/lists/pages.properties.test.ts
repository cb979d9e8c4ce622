// Pages of the list while verifications are created, end and are deleted (api/lists). Entries are stored by
// the methods that sessions call.

import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toDay } from '../../../src/relying-party/events/event-days.ts'
import { indexStub } from '../../../src/relying-party/index/index-days.ts'
import type { IndexEntry } from '../../../src/relying-party/index/index-entry.ts'
import { createApp } from '../../../src/routes/app.ts'
import { type Setting, setUp } from '../../session/driver.ts'
import { NOON, startAtNoon } from '../../workerd/clock.ts'
import { indexEntry } from '../../workerd/index-entry.ts'
import { call } from '../edge/edge-app.ts'

const app = createApp()
const HOUR = 3_600_000

startAtNoon()

type Page = {
  readonly verifications: readonly { readonly verification_id: string; readonly status: string }[]
  readonly next: string | null
  readonly has_more: boolean
}

async function readPage(setting: Setting, query: string): Promise<Page> {
  const response = await call(app, 'GET', `/v1/verify?${query}`, { headers: setting.headers })
  expect(response.status).toBe(200)
  return response.json()
}

/** One verification: its number, and the time of its creation. */
type One = { readonly number: number; readonly created_at: number }

const idOf = ({ number }: One) => `v_${number}`

/** Distinct 16 bytes in base64url. Their order differs from the order of the numbers. */
function markOf({ number }: One): string {
  const bytes = new Uint8Array(16).fill(7)
  new DataView(bytes.buffer).setUint32(0, Math.imul(number + 1, 0x9e3779b1))
  return Buffer.from(bytes).toString('base64url')
}

function entryOf(one: One, isEnded = false): IndexEntry {
  const { number, created_at } = one
  const end = { revision: 2, ended_at: created_at + 1, status: 'canceled', stage: 'done' }
  return indexEntry(created_at, {
    verification_id: idOf(one),
    metadata: { group: number % 3 === 0 ? 'a' : 'b' },
    ...(isEnded && end),
  })
}

function put({ relyingPartyId }: Setting, one: One, isEnded?: boolean): Promise<boolean> {
  const day = toDay(one.created_at)
  const entry = entryOf(one, isEnded)
  return indexStub(env, relyingPartyId, day).put({ relyingPartyId, day, mark: markOf(one), entry })
}

function remove({ relyingPartyId }: Setting, one: One): Promise<void> {
  const day = toDay(one.created_at)
  const { created_at } = one
  return indexStub(env, relyingPartyId, day).remove({ relyingPartyId, day, mark: markOf(one), created_at })
}

/** A few times, so that several entries have the same time. They lie on three days. */
const time = fc
  .tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 1 }))
  .map(([days, more]) => NOON - days * 24 * HOUR - more)

/** Change between two pages. `which`: one of the verifications so far. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), created_at: time }),
  fc.record({ kind: fc.constant('end' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }),
)

describe('the pages of a list', () => {
  it('list each verification created before the first page exactly once, whatever changes between the pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(time, { minLength: 8, maxLength: 16 }),
        fc.array(
          fc.record({ limit: fc.integer({ min: 2, max: 6 }), changes: fc.array(change, { maxLength: 4 }) }),
          {
            minLength: 1,
            maxLength: 8,
          },
        ),
        fc.constantFrom('', '&metadata.group=a'),
        async (times, reads, filter) => {
          const setting = await setUp()
          const all: One[] = times.map((created_at, number) => ({ number, created_at }))
          await Promise.all(all.map((one) => put(setting, one)))
          const first = all.filter((one) => filter === '' || entryOf(one).metadata.group === 'a')
          const removed = new Set<string>()
          const seen: string[] = []
          let after = ''
          for (let i = 0; i < 40; i++) {
            const { limit, changes } = reads[i % reads.length] ?? { limit: 6, changes: [] }
            const page = await readPage(setting, `limit=${limit}${filter}${after}`)
            expect(page.verifications.length).toBeLessThanOrEqual(limit)
            for (const { verification_id } of page.verifications) {
              expect(removed).not.toContain(verification_id)
              seen.push(verification_id)
            }
            if (!page.has_more) break
            expect(page.next).not.toBeNull()
            after = `&after=${page.next}`
            for (const one of changes) await apply(setting, one, { all, removed })
          }
          expect(new Set(seen).size).toBe(seen.length)
          const kept = first.map(idOf).filter((id) => !removed.has(id))
          expect(kept.filter((id) => !seen.includes(id))).toEqual([])
        },
      ),
      { numRuns: 15 },
    )
  })
})

type Model = { readonly all: One[]; readonly removed: Set<string> }

async function apply(
  setting: Setting,
  one: typeof change extends fc.Arbitrary<infer T> ? T : never,
  { all, removed }: Model,
): Promise<void> {
  if (one.kind === 'create') {
    const created = { number: all.length, created_at: one.created_at }
    all.push(created)
    await put(setting, created)
    return
  }
  const chosen = all[one.which % all.length] as One
  if (one.kind === 'end') await put(setting, chosen, true)
  else {
    removed.add(idOf(chosen))
    await remove(setting, chosen)
  }
}
