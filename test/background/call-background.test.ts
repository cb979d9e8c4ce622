// A failure of the Worker for background work: the list counts as unavailable, never as valid.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { fetchList, type PublishedConfig } from '../../src/relying-party/trust-lists/fetch-list.ts'
import { TEST_ENVIRONMENT } from '../support/service/environment.ts'

const common = {
  name: 'a',
  livemode: true,
  url: 'https://lists.example.eu/tl.xml',
  signers: [],
  services: [],
  refresh_seconds: 3600,
  stale_after_seconds: 86_400,
}
const LISTS: readonly PublishedConfig[] = [
  { ...common, kind: 'etsi_tl', list_type: null, territory: null },
  { ...common, kind: 'eu_lotl', territories: 'all', oj_url: null },
]

const fail = () => {
  throw new TypeError('secret: internal')
}
/** Bindings with which no list in XML can be verified. */
const WORKERS: readonly (readonly [string, object])[] = [
  ['is missing', {}],
  ['throws', { BACKGROUND_WORK: { verifyEtsiTl: fail, verifyEuLotl: fail } }],
  [
    'ends during the call',
    { BACKGROUND_WORK: { verifyEtsiTl: async () => fail(), verifyEuLotl: async () => fail() } },
  ],
]

beforeEach(() => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('<a/>'))
})
afterEach(() => {
  vi.restoreAllMocks()
})

it.each(LISTS.flatMap((list) => WORKERS.map(([fault, env]) => ({ list, fault, env, kind: list.kind }))))(
  'a list of kind $kind is unavailable if the Worker for background work $fault, and the log has no message of the error',
  async ({ list, env }) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const fetched = await fetchList(list, null, loadConfig(TEST_ENVIRONMENT as never), env as never)
    expect(fetched).toEqual({ ok: false, error: 'unavailable' })
    expect(log.mock.calls.join()).toMatch(/background_work_failed.*TypeError/)
    expect(log.mock.calls.join()).not.toContain('secret')
  },
)
