// The session page in browsers that pass different protocols to wallets. A wallet for SD-JWT VCs and a wallet
// for mdocs are behind each browser. Every person who has one of them can answer.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { type BrowserMode, type PickedWallet, pretendBrowser } from '../../support/browser/virtual-browser.ts'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { answerAnnexC } from '../../support/people/annex-c-person.ts'
import { type AnnexCRequest, receiveAnnexC } from '../../support/people/annex-c-wallet.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { makeMdocPerson } from '../../support/people/mdoc-person.ts'
import { ageOf } from '../../support/people/person.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'
import { identityOf } from '../../support/wallets/good-request.ts'
import { readMultiSigned } from '../../support/wallets/multi-signed.ts'

const HERE = '#dc-api'
const DOCUMENT = '#dc-api-document'
const OPENID4VP = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned']
const ISO = ['org-iso-mdoc']
const BOUND = { ...OVER_18, required_session_binding: 'page', locale: 'en' }
const LANGUAGES = ['en', 'de', 'fr', 'el', 'bg', 'hu', 'fi', 'mt', 'pt', 'ro'] as const

const holder = await makeMdocPerson()
const [first, second] = await Promise.all([mintRoot(), mintRoot()])
const [own, further] = await Promise.all([mintLeaf(first), mintLeaf(second)])

describeInBrowser('a person on the session page', () => {
  const stage = useBrowserStage()

  /** A wallet for SD-JWT VCs. It answers OpenID4VP only. */
  const sdJwtWallet: PickedWallet = async (requests) => {
    const request = requests.find(({ protocol }) => OPENID4VP.includes(protocol))
    if (request === undefined) return null
    const browser = { origin: BASE_URL, ...stage.service }
    const received = await receiveDigital(request as never, browser)
    const answer = await ageOf(stage.person, received, { audience: `origin:${BASE_URL}` })
    return respondDigital(received, answer, browser)
  }

  /** A wallet for mdocs. It answers `org-iso-mdoc` only. */
  const mdocWallet: PickedWallet = async (requests) => {
    const request = requests.find(({ protocol }) => protocol === 'org-iso-mdoc')
    return request ? answerAnnexC(holder, receiveAnnexC(request as AnnexCRequest, BASE_URL)) : null
  }
  const WALLETS = { 'SD-JWT VC': sdJwtWallet, mdoc: mdocWallet }

  async function open(mode: BrowserMode, wallet: PickedWallet, options: OpenOptions = {}) {
    const { body = BOUND, device = 'phone', settings = {} } = options
    const trust_anchors = [stage.authority.anchor(), holder.anchor()]
    const rp = await relyingPartyOf(stage, { trust_anchors, ...settings })
    const session = await rp.create(body)
    const { page } = await stage.visitor(DEVICES[device])
    const calls = await pretendBrowser(page, mode, wallet)
    await page.goto(session.session_url)
    await page.locator('#link').waitFor({ state: 'attached' })
    return { page, calls, poll: () => rp.poll(session.verification_id) }
  }

  it.each<readonly [BrowserMode, keyof typeof WALLETS, string, readonly string[], string]>([
    ['all four', 'SD-JWT VC', HERE, OPENID4VP, 'openid4vp-1.0'],
    ['all four', 'mdoc', DOCUMENT, ISO, 'iso-18013-7-c'],
    ['mdoc takes precedence', 'SD-JWT VC', HERE, OPENID4VP, 'openid4vp-1.0'],
    ['mdoc takes precedence', 'mdoc', DOCUMENT, ISO, 'iso-18013-7-c'],
    ['Annex C alone', 'mdoc', HERE, ISO, 'iso-18013-7-c'],
    ['OpenID4VP alone', 'SD-JWT VC', HERE, OPENID4VP, 'openid4vp-1.0'],
  ])('is verified in the browser mode “%s”, with a wallet for %s, by the button %s', async (...cell) => {
    const [mode, wallet, button, requested, protocol] = cell
    const { page, calls, poll } = await open(mode, WALLETS[wallet])
    await page.locator(button).click()
    await page.locator('main[data-state=verified]').waitFor()
    expect(calls).toEqual([requested])
    expect(await poll()).toMatchObject({ status: 'verified', channel: 'dc_api', protocol })
  })

  it.each<readonly [BrowserMode, readonly string[]]>([
    ['all four', [HERE, DOCUMENT]],
    ['mdoc takes precedence', [HERE, DOCUMENT]],
    ['Annex C alone', [HERE]],
    ['OpenID4VP alone', [HERE]],
    ['none', []],
  ])('sees on a phone, in the browser mode “%s”, the buttons %j', async (mode, buttons) => {
    const { page } = await open(mode, mdocWallet)
    await page.locator('#link:enabled').waitFor({ state: 'attached' })
    expect(await visibleButtons(page)).toEqual(buttons)
  })

  it('sees one button, which uses every protocol in one call, if only mdocs are requested', async () => {
    const body = { ...BOUND, formats: ['mso_mdoc'] }
    const { page, calls, poll } = await open('mdoc takes precedence', mdocWallet, { body })
    expect(await visibleButtons(page)).toEqual([HERE])
    await page.locator(HERE).click()
    await page.locator('main[data-state=verified]').waitFor()
    expect(calls).toEqual([[...OPENID4VP, ...ISO]])
    expect(await poll()).toMatchObject({ protocol: 'iso-18013-7-c' })
  })

  it('can use the second button if no wallet answered after the first button', async () => {
    const { page, calls } = await open('mdoc takes precedence', mdocWallet)
    await page.locator(HERE).click()
    await page.locator('#link-note:not(:empty)').waitFor()
    await page.locator(DOCUMENT).click()
    await page.locator('main[data-state=verified]').waitFor()
    expect(calls).toEqual([OPENID4VP, ISO])
  })

  it('is verified through a multi-signed request, which is offered first, if the relying party has two identities', async () => {
    const verifier = { ...identityOf(own), further: [identityOf(further)] }
    const wallet: PickedWallet = async ([request]) => {
      const data = request?.data as Readonly<Record<string, unknown>>
      const trust = { origin: BASE_URL, verifierCa: second.pem }
      const { payload } = await readMultiSigned(data, trust)
      const received = { uri: String(request?.protocol), requestObject: '', payload, mdocNonce: '' } as never
      const answer = await ageOf(stage.person, received, { audience: `origin:${BASE_URL}` })
      return respondDigital(received, answer, { ...trust, fetch: stage.service.fetch })
    }
    const { page, calls, poll } = await open('all four', wallet, { settings: { verifier } })
    await page.locator(HERE).click()
    await page.locator('main[data-state=verified]').waitFor()
    expect(calls).toEqual([['openid4vp-v1-multisigned', ...OPENID4VP]])
    expect((await poll()) as object).toMatchObject({ offered_client_ids: { length: 2 } })
  })

  it.each(LANGUAGES)('sees two buttons that fit the page, and axe finds no violation: %s', async (locale) => {
    for (const device of ['phone', 'desktop'] as const) {
      const { page } = await open('all four', mdocWallet, { body: { ...BOUND, locale }, device })
      await page.locator(`${HERE}:visible`).waitFor()
      const buttons = await visibleButtons(page)
      expect(buttons).toEqual([HERE, device === 'phone' ? DOCUMENT : '#dc-api-iphone'])
      for (const button of buttons) {
        const { height, x, width } = (await page.locator(button).boundingBox())!
        expect(height).toBeGreaterThanOrEqual(44)
        expect(x + width).toBeLessThanOrEqual(DEVICES[device].viewport.width)
      }
      await checkPage(page, `two-calls-${locale}-${device}`)
    }
  })
})

type OpenOptions = {
  readonly body?: object
  readonly device?: keyof typeof DEVICES
  readonly settings?: object
}

async function visibleButtons(page: Page): Promise<readonly string[]> {
  const ids = await page
    .locator('#live button[id^=dc-api]:visible')
    .evaluateAll((buttons) => buttons.map(({ id }) => `#${id}`))
  return ids
}
