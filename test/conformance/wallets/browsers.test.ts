// Every mode of a browser, every wallet behind it, and four questions, on the page of the shop: the calls are
// those that the client makes. The answer verifies, or it was said before that it would not.

import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { browserFamilies, digitalRequests } from '../../../packages/client/src/browser.ts'
import { BROWSER_MODES, type BrowserMode } from '../../support/browser/virtual-browser.ts'
import { expectStatus } from '../../support/service/service.ts'
import {
  BROWSER_QUESTIONS,
  BROWSER_RESULTS_FILE,
  BROWSER_WALLETS,
  type BrowserResult,
  type BrowserResults,
} from '../../support/wallets/browser-results.ts'
import type { DigitalRequest } from '../../support/wallets/fake-wallet.ts'
import { FAKE_WALLETS } from '../../support/wallets/index.ts'
import { exchangeBy, type Session, useWalletStage } from './stage.ts'

const stage = useWalletStage()
const SHOP = 'https://shop.example'
const MODES = Object.keys(BROWSER_MODES) as BrowserMode[]
const results: Record<string, Record<string, Record<string, BrowserResult>>> = {}
const expected = JSON.parse(readFileSync(BROWSER_RESULTS_FILE, 'utf8')) as BrowserResults
// UPDATE=1 writes the results. `npm run format` and `npm run generate` then write the page.
const isUpdate = process.env.UPDATE === '1'
afterAll(() => {
  if (isUpdate) writeFileSync(BROWSER_RESULTS_FILE, `${JSON.stringify(results, null, 2)}\n`)
})
afterEach(() => vi.unstubAllGlobals())

describe.each(BROWSER_WALLETS)('$id', (profile) => {
  const wallet = FAKE_WALLETS.find(({ id }) => id === profile.id)!

  it.each(BROWSER_QUESTIONS)(
    '$name: the wallet answers in each browser that can reach it, or the response to the create request says that this wallet cannot answer',
    async ({ name, creation }) => {
      const [byDefault, chosen] = [new Asking(creation), new Asking({ ...creation, wallet: profile.id })]
      const found: Record<string, BrowserResult> = {}
      for (const mode of MODES) found[mode] = await cell(byDefault, chosen, mode)
      results[profile.id] = { ...results[profile.id], [name]: found }
      if (!isUpdate) expect(found).toEqual(expected[profile.id]?.[name])
    },
  )

  /** No surprise: a wallet that the browser reaches answers, unless the creation said that it cannot. */
  async function cell(byDefault: Asking, chosen: Asking, mode: BrowserMode): Promise<BrowserResult> {
    const { wallets } = await byDefault.open()
    const told = wallets.find(({ id }) => id === profile.id)!.result
    if (told === 'cannot') return 'cannot'
    if (!profile.dc_api_protocols.some((one) => isAllowed(mode, one))) return 'not here'
    if (await byDefault.isVerified(mode)) return 'works'
    if ((await chosen.requests()).length === 0) return 'link'
    expect(await chosen.isVerified(mode), `${profile.id} in ${mode}: ${told}`).toBe(true)
    return 'chosen'
  }

  /** One creation. Calls that pass the same requests to the wallet have the same end, and are made once. */
  class Asking {
    readonly #creation: object
    readonly #ends = new Map<string, Promise<boolean>>()
    #first: Promise<Session> | undefined

    constructor(creation: object) {
      this.#creation = creation
    }

    open(): Promise<Session> {
      this.#first ??= stage.rp.create(this.#creation) as Promise<Session>
      return this.#first
    }

    /** The requests of a session; none if it offers the browser nothing. */
    async requests(session = this.open()): Promise<readonly DigitalRequest[]> {
      const { verification_id: id } = await session
      const asked = await stage.rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: {} })
      if (asked.status === 409) return []
      return ((await expectStatus(asked, 200)) as { digital: { requests: DigitalRequest[] } }).digital
        .requests
    }

    /** Presses every button of the page until a wallet answers. */
    async isVerified(mode: BrowserMode): Promise<boolean> {
      vi.stubGlobal('DigitalCredential', { userAgentAllowsProtocol: (one: string) => isAllowed(mode, one) })
      vi.stubGlobal('matchMedia', () => ({ matches: true }))
      const requests = await this.requests()
      for (const family of browserFamilies(requests)) {
        const passed = BROWSER_MODES[mode].passes(digitalRequests(requests, { family }))
        const protocols = passed.map(({ protocol }) => protocol)
        const end = this.#ends.get(`${protocols}`) ?? this.#press(protocols)
        this.#ends.set(`${protocols}`, end)
        if (await end) return true
      }
      return false
    }

    /** A new session, whose requests with these protocols reach the wallet. */
    async #press(protocols: readonly string[]): Promise<boolean> {
      const digital = protocols.find((one) => profile.dc_api_protocols.some((known) => known === one))
      if (digital === undefined) return false
      const session = stage.rp.create(this.#creation) as Promise<Session>
      const requests = (await this.requests(session)).filter(({ protocol }) => protocols.includes(protocol))
      const request = requests.find(({ protocol }) => protocol === digital)!
      const invocation = { digital: request, origin: SHOP, requests }
      const end = await exchangeBy(invocation, stage, wallet, await session)
      return 'status' in end && end.status === 'verified'
    }
  }
})

function isAllowed(mode: BrowserMode, protocol: string): boolean {
  return BROWSER_MODES[mode].allows.some((one) => one === protocol)
}
