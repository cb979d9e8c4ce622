// Generated requests, and good responses, lists and settings with one change (api/errors). Each answer is
// documented, none is a fault, and no changed response verifies. `npm run proof -- fuzz` sends more.

import { beforeAll, describe, expect, it } from 'vitest'
import { ACCESS } from '../../src/routes/edge/access.ts'
import { IS_FULL_SIZE, sizeOf } from '../support/runner/size.ts'
import { copyProject } from '../support/service/project-copy.ts'
import type { Ledger, Summary } from './fuzz/ledger.ts'
import { isFlat, memoryOf } from './fuzz/memory.ts'
import { runFuzz } from './fuzz/run.ts'

const REQUESTS = sizeOf(10_000)
const SEED = 20_261_121

/** Statuses that must occur. A generator that gets only 404 would prove nothing. */
const EXPECTED_STATUSES = [200, 201, 204, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 426]
const NOT_ACCEPTED = ['401', '403', '405', '429']

type Counts = Summary['routes']

function missingStatuses(routes: Counts): readonly number[] {
  const seen = Object.values(routes).flatMap((row) => Object.keys(row))
  return EXPECTED_STATUSES.filter((expected) => !seen.includes(String(expected)))
}

/**
 * Returns the routes that accepted no request. The table is complete: test/routes/edge/access.test.ts
 * compares it with the app.
 */
function neverAccepted(routes: Counts): readonly string[] {
  return Object.keys(ACCESS).filter(
    (route) => !Object.keys(routes[route] ?? {}).some((status) => !NOT_ACCEPTED.includes(status)),
  )
}

describe(`${REQUESTS} generated requests`, () => {
  let summary: Summary
  beforeAll(async () => {
    const until = ({ routes }: Ledger) => neverAccepted(routes).length + missingStatuses(routes).length === 0
    summary = await runFuzz({ seed: SEED, requests: REQUESTS, ...(IS_FULL_SIZE && { until }) })
  }, 1_800_000)

  it('each get a documented response, and never a 500', () => {
    expect(summary.findings.filter(({ rule }) => rule !== 'content')).toEqual([])
  })

  it('never verify a presentation whose content was changed', () => {
    expect(summary.findings.filter(({ rule }) => rule === 'content')).toEqual([])
  })

  it('leave every session usable: a good response can still be verified', () => {
    expect(summary.verified).toBeGreaterThan(REQUESTS / 200)
  })

  if (IS_FULL_SIZE) {
    it('reach every route and every status code, and few of them hit a rate limit', () => {
      expect(missingStatuses(summary.routes), 'statuses that no answer had').toEqual([])
      expect(neverAccepted(summary.routes), 'routes that accepted no request').toEqual([])
      const limited = Object.values(summary.routes).reduce((sum, row) => sum + (row['429'] ?? 0), 0)
      expect(limited).toBeLessThan(summary.requests / 100)
    })

    it('include changed responses of every format at every level', () => {
      const kinds = Object.keys(summary.changes)
      for (const level of [
        'presentation',
        'signed by the holder',
        'issued',
        'parameters',
        'JWE',
        'HPKE',
        'body',
      ]) {
        expect(
          kinds.filter((kind) => kind.includes(` ${level}, `)),
          level,
        ).not.toEqual([])
      }
      expect(kinds.filter((kind) => /^(etsi_lote|vical) /.test(kind))).not.toEqual([])
    })
  }
})

/** A service that accepts every signature of credentials and holders. */
const GULLIBLE = {
  path: 'src/crypto/jwk.ts',
  replaced: 'crypto.subtle.verify(algorithm.verifyParameters, key, signature, data)',
  by: '(await crypto.subtle.verify(algorithm.verifyParameters, key, signature, data), true)',
  appended: '',
}

/** Runs in which the planted mistake must be found. */
const ROUNDS = 10
const isVerified = (error: string) => error.startsWith('changed content is verified')

if (IS_FULL_SIZE) {
  it('make the run fail if changed content verifies', async () => {
    const { launcher, remove } = copyProject([GULLIBLE])
    try {
      // Callers take turns as they are served, so a seed does not decide which changes 600 requests make.
      const errors: string[] = []
      for (let round = 0; round < ROUNDS && !errors.some(isVerified); round++) {
        const { findings } = await runFuzz({ seed: SEED + round, requests: 600, launcher })
        errors.push(...findings.map(({ error }) => error))
      }
      expect(errors.some(isVerified)).toBe(true)
    } finally {
      remove()
    }
  }, 600_000)
}

describe('the memory check', () => {
  const MIB = 1024 * 1024
  const samples = (of: (i: number) => number) => Array.from({ length: 400 }, (_, i) => of(i) * MIB)

  it('accepts a heap that grows only at first, or has one high value', () => {
    expect(isFlat(memoryOf(samples((i) => Math.min(300, 100 + 4 * i))))).toBe(true)
    expect(isFlat(memoryOf(samples((i) => (i === 390 ? 3_000 : 300))))).toBe(true)
  })

  it('rejects a heap that grows until the end of the run', () => {
    expect(isFlat(memoryOf(samples((i) => 200 + i)))).toBe(false)
  })
})
