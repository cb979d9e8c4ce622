// The test wallet's page in a browser, opened from the session page. With and without a script.

import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'

const BOUND = { ...OVER_18, required_session_binding: 'page' }

describeInBrowser('a person with the test wallet', () => {
  const stage = useBrowserStage()

  it('opens the wallet from the session page, presents a credential, and returns in the same browser', async () => {
    const session = await stage.rp.create(BOUND)
    const { page } = await stage.visitor()
    await page.goto(session.session_url)
    await page.locator('#test-wallet').click()
    await page.getByRole('button', { name: 'Share' }).click()
    await page.waitForURL('**/return')
    await expect.poll(async () => (await stage.rp.poll(session.verification_id)).status).toBe('verified')
    const { channel, session_binding } = await stage.rp.poll(session.verification_id)
    expect([channel, session_binding]).toEqual(['link', 'page'])
  })

  it('sends a wrong response and then declines, without JavaScript', async () => {
    const session = await stage.rp.create()
    const { page } = await stage.visitor({ javaScriptEnabled: false })
    await page.goto(session.session_url)
    await page.goto(BASE_URL + (await page.locator('#test-wallet').getAttribute('href')))
    await page.getByText('Respond with a mistake').click()
    await page.getByLabel('The wallet').selectOption('nonce_mismatch')
    await page.getByRole('button', { name: 'Respond with this mistake' }).click()
    await page.getByRole('alert').getByText('signs the nonce of another request').waitFor()
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.waitForURL('**/return*')
    expect(await stage.rp.poll(session.verification_id)).toMatchObject({
      status: 'declined',
      attempts: [{ reason: { code: 'nonce_mismatch' } }],
    })
  })

  it.each(['phone', 'desktop'] as const)('sees an accessible page, on a %s', async (device) => {
    const policy = { credential_types: ['pid', 'mdl'], scope: ['birthdate', 'given_name'] }
    const { wallet_request } = await stage.rp.create(policy)
    const { page } = await stage.visitor(DEVICES[device])
    await page.goto(`${BASE_URL}/test/wallet?uri=${encodeURIComponent(wallet_request.uri)}`)
    await checkPage(page, `test-wallet-${device}`, { forced: true })
    const share = page.getByRole('button', { name: 'Share' })
    for (const size of [page.viewportSize()!, { width: 320, height: 640 }]) {
      await page.setViewportSize(size)
      const { y, height } = (await share.boundingBox())!
      expect(y + height).toBeLessThanOrEqual(size.height)
    }
    if (device === 'phone') await checkPage(page, 'test-wallet-320')
    await page.setViewportSize(DEVICES[device].viewport)
    await page.getByText(/^Other credentials \(\d+\)$/).click()
    await page.locator('details input[type=radio]').last().check()
    await page.getByText('Respond with a mistake').click()
    await page.getByLabel('The wallet').selectOption('untrusted_issuer')
    await page.getByRole('button', { name: 'Respond with this mistake' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('The wallet').inputValue()).toBe('untrusted_issuer')
    await checkPage(page, `test-wallet-refused-${device}`)
  })
})
