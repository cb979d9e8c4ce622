// The page of one verification in the console: its course with reasons and clauses, its deliveries, its
// receipt, and what can be done.

import type { Page, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { hasDelivered, openConsole, shiftsOf, WITH_CONSOLE } from '../../support/browser/console-page.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { BASE_URL, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'

const SCRIPT = '<img src=x onerror="document.title = \'owned\'">'

describeInBrowser('the page of one verification', () => {
  const stage = useBrowserStage({ env: WITH_CONSOLE })

  async function create(rp: RelyingParty, outcome?: string): Promise<string> {
    const { verification_id } = await rp.create({ ...OVER_18, metadata: { order: '4711' } })
    const path = `/v1/test/verify/${verification_id}/outcome`
    if (outcome !== undefined) await rp.call('POST', path, { body: { reason: outcome } })
    return verification_id
  }

  const open = (rp: RelyingParty, id: string, device = {}) =>
    openConsole(stage, rp.api_key, { hash: `#/verifications/${id}`, ...device })

  it('does not move its content while its parts load', async () => {
    const rp = await relyingPartyOf(stage)
    const id = await create(rp, 'verified')
    await hasDelivered(rp, id)
    const page = await openConsole(stage, rp.api_key)
    const polled = page.waitForResponse((response) => response.url().endsWith(`/v1/verify/${id}`))
    const isLate = async (route: Route) => {
      await polled
      await page.evaluate(TWO_FRAMES)
      await route.fallback()
    }
    await page.route('**/timeline', isLate, { times: 1 })
    // Another address than the address of the list, so that the page begins anew.
    await page.goto(`${BASE_URL}/console?again#/verifications/${id}`)
    await page.locator('.state.delivered').waitFor()
    await page.locator('.timeline li').nth(3).waitFor()
    expect(await shiftsOf(page)).toEqual([])
  })

  it('shows that a receipt is not valid if its key is not published', async () => {
    const rp = await relyingPartyOf(stage)
    const page = await open(rp, await create(rp, 'verified'))
    const published = await stage.service.fetch('/.well-known/jwks.json')
    const { keys } = (await published.json()) as { keys: readonly object[] }
    const others = { keys: keys.map((key) => ({ ...key, kid: 'other' })) }
    await page.route('**/.well-known/jwks.json', (route) => route.fulfill({ json: others }))
    await page.getByRole('button', { name: 'Fetch and check the receipt' }).click()
    await page.getByText('Not valid: unknown_key').first().waitFor()
    await checkPage(page, 'console-receipt-invalid')
  })

  it('shows a refused response with its reason, advice and clause', async () => {
    const rp = await relyingPartyOf(stage)
    const page = await open(rp, await create(rp, 'untrusted_issuer'))
    const step = page.locator('.timeline li', { hasText: 'Response refused' })
    await step.waitFor()
    const text = await step.innerText()
    expect(text).toContain('No trust anchor for this credential type covers the issuer.')
    expect(text).toContain('Add a trust anchor for the issuer, if you trust it.')
    expect(text).toContain('claimed_issuer of the attempt')
    expect(await step.locator('code', { hasText: 'claimed_issuer' }).count()).toBe(1)
    expect(text).toContain('Clause: RFC 5280')
    await checkPage(page, 'console-refused-desktop')
  })

  it('shows the number of steps that a timeline leaves out', async () => {
    const rp = await relyingPartyOf(stage)
    const id = await create(rp)
    const timeline = await rp.call('GET', `/v1/verify/${id}/timeline`)
    const json = { ...((await timeline.json()) as object), left_out: 17 }
    const page = await open(rp, id)
    await page.locator('.timeline strong').first().waitFor()
    expect(await page.getByText('left out').count()).toBe(0)
    await page.route('**/timeline', (route) => route.fulfill({ json }))
    await page.getByText('17 left out').waitFor()
  })

  it('produces an outcome with the test wallet, and shows the outcome without a reload', async () => {
    const rp = await relyingPartyOf(stage)
    const page = await open(rp, await create(rp))
    await page.locator('.now .pending').waitFor()
    await checkPage(page, 'console-pending-desktop', { forced: true })
    await page.getByText('All outcomes').click()
    const codes = await page.locator('.family button').allInnerTexts()
    expect(codes).toContain('nonce_mismatch')
    expect(codes.length).toBeGreaterThan(60)
    await page.getByRole('button', { name: 'nonce_mismatch' }).click()
    await page.locator('.timeline li', { hasText: 'nonce_mismatch' }).waitFor()
    await page.getByRole('button', { name: 'verified', exact: true }).click()
    await page.locator('.now .verified').waitFor()
    expect(await page.getByText('Answer as the test wallet').count()).toBe(0)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
  })

  it('shows an error if the test wallet cannot produce the chosen outcome', async () => {
    const rp = await relyingPartyOf(stage)
    const page = await open(rp, await create(rp))
    await page.getByText('All outcomes').click()
    await page.getByRole('button', { name: 'transaction_data_mismatch' }).click()
    await page.locator('.notice.bad', { hasText: 'policy_unsatisfiable' }).waitFor()
    await checkPage(page, 'console-outcome-refused')
  })

  it('shows what the webhook receiver answered, and sends an event again', async () => {
    stage.receiver.answer({ status: 500, body: SCRIPT })
    const rp = await relyingPartyOf(stage)
    const page = await open(rp, await create(rp, 'verified'))
    await page.getByRole('cell', { name: 'HTTP 500' }).first().waitFor()
    await page.getByText(SCRIPT).first().waitFor()
    await checkPage(page, 'console-delivery-failed')
    stage.receiver.answer({})
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.locator('.state.delivered').waitFor()
    await page.getByText('(sent again)').first().waitFor()
  })

  it('asks for confirmation before it cancels or erases the verification', async () => {
    const rp = await relyingPartyOf(stage)
    const id = await create(rp)
    const page = await open(rp, id)
    await page.getByRole('button', { name: 'Cancel' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await checkPage(page, 'console-question')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect((await rp.poll(id)).status).toBe('pending')
    expect(await focused(page)).toBe('Cancel')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('.now .canceled').waitFor()
    await expect.poll(() => focused(page)).toBe(`Verification ${id}`)

    await page.getByRole('button', { name: 'Erase' }).click()
    await dialog.getByRole('button', { name: 'Erase' }).click()
    await page.getByRole('heading', { level: 1, name: 'Verifications' }).waitFor()
    expect((await rp.call('GET', `/v1/verify/${id}`)).status).toBe(404)
  })

  it('says that a verification does not exist', async () => {
    const page = await open(await relyingPartyOf(stage), 'v_unknown')
    await page.locator('.notice.bad', { hasText: 'verification_not_found' }).waitFor()
    await checkPage(page, 'console-unknown')
  })
})

/** Runs in the page: returns when what is rendered now was shown. */
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** Waits until an event of a verification is delivered: after that its page does not change. */
function focused(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.textContent')
}
