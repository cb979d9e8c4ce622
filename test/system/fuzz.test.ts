// Generated requests, and good responses, lists and settings with one change (api/errors). Each answer is
// documented, none is a fault, each operation has successes, and no changed response verifies.
// `npm run proof -- fuzz` sends more.

import { beforeAll, describe, expect, it } from 'vitest'
import { ACCESS } from '../../src/routes/edge/access.ts'
import { IS_FULL_SIZE, sizeOf } from '../support/runner/size.ts'
import { copyProject } from '../support/service/project-copy.ts'
import type { Ledger, Summary } from './fuzz/ledger.ts'
import { isFlat, memoryOf } from './fuzz/memory.ts'
import { runPlanted } from './fuzz/planted.ts'
import { PLANTED_FAULTS } from './fuzz/planted-faults.ts'
import { runFuzz } from './fuzz/run.ts'
import { rarelySuccessful, requiredSuccesses } from './fuzz/successes.ts'

const REQUESTS = sizeOf(10_000)
const SEED = 20_261_121
const REQUIRED = requiredSuccesses(REQUESTS)

/** Statuses that must occur. A generator that gets only 404 would prove nothing. */
const EXPECTED_STATUSES = [200, 201, 204, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 426]

type Counts = Summary['routes']

function missingStatuses(routes: Counts): readonly number[] {
  const seen = Object.values(routes).flatMap((row) => Object.keys(row))
  return EXPECTED_STATUSES.filter((expected) => !seen.includes(String(expected)))
}

describe(`${REQUESTS} generated requests`, () => {
  let summary: Summary
  beforeAll(async () => {
    const until = ({ routes }: Ledger) =>
      rarelySuccessful(routes, REQUIRED).length === 0 &&
      (!IS_FULL_SIZE || missingStatuses(routes).length === 0)
    summary = await runFuzz({ seed: SEED, requests: REQUESTS, until })
  }, 1_800_000)

  it('each get a documented response, and never a 500', () => {
    expect(summary.findings.filter(({ rule }) => rule !== 'content')).toEqual([])
  })

  it('never verify a presentation whose content was changed', () => {
    expect(summary.findings.filter(({ rule }) => rule === 'content')).toEqual([])
  })

  it('leave sessions usable: good responses are still verified', () => {
    expect(summary.verified).toBeGreaterThan(REQUESTS / 200)
  })

  it('succeed often enough at every operation', () => {
    expect(rarelySuccessful(summary.routes, REQUIRED)).toEqual([])
  })

  if (IS_FULL_SIZE) {
    it('reach every status code, and few of them hit a rate limit', () => {
      expect(missingStatuses(summary.routes), 'statuses that no answer had').toEqual([])
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
  it('generated requests make the run fail if the service accepts every signature', async () => {
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

  // A run ends once it has found all its faults. Which request finds a fault is left to chance.
  it('generated requests find each fault that is planted in the code', async () => {
    expect(await runPlanted(PLANTED_FAULTS, { seed: SEED, requests: 6_000 })).toEqual([])
  }, 3_600_000)
}

describe('the required successes', () => {
  const everywhere = (statuses: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.keys(ACCESS).map((route) => [route, statuses]))

  it('are 1 for each operation in a run of 1,000 requests, and 20 in a run of 100,000 or more', () => {
    expect([100, 1_000, 10_000, 100_000, 1_000_000].map(requiredSuccesses)).toEqual([0, 1, 2, 20, 20])
  })

  it('count 2xx, 3xx and the upgrade of a connection, and no refusal', () => {
    expect(rarelySuccessful(everywhere({ 101: 1, 204: 1, 303: 1 }), 3)).toEqual([])
    const refused = { 'GET /v1/verify': { 200: 2, 400: 9, 404: 9, 503: 9 } }
    expect(rarelySuccessful({ ...everywhere({ 200: 3 }), ...refused }, 3)).toEqual(['GET /v1/verify'])
  })

  it('are reported as missing for an operation that had no request', () => {
    const { 'GET /metrics': _, ...others } = everywhere({ 200: 1 })
    expect(rarelySuccessful(others, 1)).toEqual(['GET /metrics'])
  })
})

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
