// A story told by the console alone: an integrator finds why a verification failed, mends it, and sends an event
// again that the receiver had not accepted.

import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { changeSettings, openPage, signIn } from '../../support/browser/console-page.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { BASE_URL } from '../../support/service/service.ts'
import { finish, relyingPartyOf } from '../../support/service/stage.ts'

describeInBrowser('an integrator with the console alone', () => {
  const stage = useBrowserStage({ env: { CONSOLE: '1' } })

  it('finds an untrusted issuer, trusts it, and sends a dead event again', async () => {
    stage.receiver.answer({ status: 500, body: 'database is down' })
    const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop', trust_anchors: [] })
    const { page } = await stage.visitor({ reducedMotion: 'reduce' })
    await signIn(page, BASE_URL, rp.api_key)
    const main = page.getByRole('main')

    // A customer is rejected. The list shows it by itself.
    const first = (await finish(stage, {}, undefined, rp)).session.verification_id
    await page.getByRole('link').filter({ hasText: first }).filter({ hasText: 'untrusted_issuer' }).click()
    await main.getByText('untrusted_issuer').first().waitFor()
    await main.getByText('Add a trust anchor').first().waitFor()
    await checkPage(page, 'console-untrusted-issuer')
    await main.getByText('database is down').waitFor()

    // The issuer becomes trusted, and nothing is sent to the broken receiver any more.
    await openPage(page, 'Developers')
    await changeSettings(page, { trust_anchors: [stage.authority.anchor()], webhook: null })
    await checkPage(page, 'console-settings')

    // The next customer is verified.
    const second = (await finish(stage, {}, undefined, rp)).session.verification_id
    await openPage(page, 'Verifications')
    await page.getByRole('link').filter({ hasText: second }).filter({ hasText: 'verified' }).click()
    await main.getByText('How the level was derived').waitFor()

    // The event of the first one is dead. The receiver works again.
    await openPage(page, 'Verifications')
    await page.getByRole('link').filter({ hasText: first }).click()
    const delivery = main.getByRole('article').filter({ hasText: 'verification.rejected' })
    await delivery.getByText('failed').first().waitFor()
    stage.receiver.answer({ status: 204 })
    await openPage(page, 'Developers')
    await changeSettings(page, { webhook: { url: stage.receiver.url } })
    await openPage(page, 'Verifications')
    await page.getByRole('link').filter({ hasText: first }).click()
    await delivery.getByRole('button', { name: 'Send again' }).click()
    await delivery.getByText('delivered').first().waitFor()
    await delivery.getByText('HTTP 204').waitFor()
    await checkPage(page, 'console-sent-again')
    const [event] = stage.receiver.requests.map(({ body }) => JSON.parse(String(body))).slice(-1)
    expect(event).toMatchObject({ verification_id: first, event_type: 'verification.rejected' })
  })
})
