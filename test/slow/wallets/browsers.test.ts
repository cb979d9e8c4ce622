// Every mode of a browser, every wallet behind it, and four questions, on the page of the shop: the calls are
// those that the client makes. The answer verifies, or it was said before that it would not.

import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { browserFamilies, digitalRequests } from '../../../packages/client/src/browser.ts'
import { exchange, exchangeBy, type Session, useWalletStage } from '../../conformance/wallets/stage.ts'
import { BROWSER_MODES, type BrowserMode } from '../../support/browser/virtual-browser.ts'
import { expectStatus, type RelyingParty } from '../../support/service/service.ts'
import {
  BROWSER_QUESTIONS,
  BROWSER_RESULTS_FILE,
  BROWSER_WALLETS,
  type BrowserResult,
  type BrowserResults,
} from '../../support/wallets/browser-results.ts'
import type { DigitalRequest } from '../../support/wallets/fake-wallet.ts'
import { FAKE_WALLETS } from '../../support/wallets/index.ts'

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
      const askings = bothOf(stage.rp, creation)
      const found: Record<string, BrowserResult> = {}
      for (const mode of MODES) found[mode] = await cell(askings, mode)
      results[profile.id] = { ...results[profile.id], [name]: found }
      if (!isUpdate) expect(found).toEqual(expected[profile.id]?.[name])
    },
  )

  it.each(BROWSER_QUESTIONS)(
    '$name: the response to the create request also says how the wallet answers if the relying party has further identities',
    async ({ creation }) => {
      await cell(bothOf(stage.further, creation), 'all four')
    },
  )

  /** The request for any wallet, and the request for this wallet. */
  function bothOf(rp: RelyingParty, creation: object) {
    return {
      byDefault: new Asking(rp, creation),
      chosen: new Asking(rp, { ...creation, wallet: profile.id }),
    }
  }

  /**
   * No surprise: a wallet that the browser reaches answers, unless the creation said that it cannot, or that
   * it must be chosen, or that only its link reaches it.
   */
  async function cell(
    { byDefault, chosen }: ReturnType<typeof bothOf>,
    mode: BrowserMode,
  ): Promise<BrowserResult> {
    const { wallets } = await byDefault.open()
    const told = wallets.find(({ id }) => id === profile.id)!
    if (told.result === 'cannot') return 'cannot'
    if (!profile.dc_api_protocols.some((one) => isAllowed(mode, one))) return 'not here'
    const place = `${profile.id} in ${mode}: ${told.result}`
    const isLink = (await chosen.requests()).length === 0
    expect(isLink, place).toBe(told.browser === 'no')
    if (!isLink && (await byDefault.isVerified(mode))) return 'works'
    if (isLink) {
      expect(await chosen.isVerifiedByLink(), place).toBe(true)
      return 'link'
    }
    expect(told.browser, place).toBe('if_chosen')
    expect(await chosen.isVerified(mode), place).toBe(true)
    return 'chosen'
  }

  /** One creation. Calls that pass the same requests to the wallet have the same end, and are made once. */
  class Asking {
    readonly #rp: RelyingParty
    readonly #creation: object
    readonly #ends = new Map<string, Promise<boolean>>()
    #first: Promise<Session> | undefined

    constructor(rp: RelyingParty, creation: object) {
      this.#rp = rp
      this.#creation = creation
    }

    open(): Promise<Session> {
      this.#first ??= this.#rp.create(this.#creation) as Promise<Session>
      return this.#first
    }

    /** The requests of a session; none if it offers the browser nothing. */
    async requests(session = this.open()): Promise<readonly DigitalRequest[]> {
      const { verification_id: id } = await session
      const asked = await this.#rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: {} })
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

    /** Opens the link of a new session. */
    async isVerifiedByLink(): Promise<boolean> {
      const session = (await this.#rp.create(this.#creation)) as Session
      const end = await exchange({ ...stage, rp: this.#rp }, wallet, profile, session)
      return 'status' in end && end.status === 'verified'
    }

    /** A new session, whose requests with these protocols reach the wallet. */
    async #press(protocols: readonly string[]): Promise<boolean> {
      const digital = protocols.find((one) => profile.dc_api_protocols.some((known) => known === one))
      if (digital === undefined) return false
      const session = this.#rp.create(this.#creation) as Promise<Session>
      const requests = (await this.requests(session)).filter(({ protocol }) => protocols.includes(protocol))
      const request = requests.find(({ protocol }) => protocol === digital)!
      const invocation = { digital: request, origin: SHOP, requests }
      const end = await exchangeBy(invocation, { ...stage, rp: this.#rp }, wallet, await session)
      return 'status' in end && end.status === 'verified'
    }
  }
})

function isAllowed(mode: BrowserMode, protocol: string): boolean {
  return BROWSER_MODES[mode].allows.some((one) => one === protocol)
}
