// An integrator uses the console alone. They find why a response was refused, trust the issuer, and send a
// dead event again.

import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { changeSettings, openPage, signIn, WITH_CONSOLE } from '../../support/browser/console-page.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { begin, finish, relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'

describeInBrowser('an integrator with the console alone', () => {
  const stage = useBrowserStage({ env: WITH_CONSOLE })

  it('finds an untrusted issuer, trusts it, and sends a dead event again', async () => {
    stage.receiver.answer({ status: 500, body: 'database is down' })
    const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop', trust_anchors: [] })
    const { page } = await stage.visitor({ reducedMotion: 'reduce' })
    await signIn(page, BASE_URL, rp.api_key)
    const main = page.getByRole('main')

    // A customer complains: their response was refused. Their order leads to the verification.
    const { session, request } = await begin(stage, { ...OVER_18, metadata: { order: '4711' } }, { rp })
    const first = session.verification_id
    expect((await respondWithAge(stage, request)).status).toBe(400)
    const rowOf = (id: string) => page.getByRole('link').filter({ hasText: id })
    await page.getByRole('searchbox').fill('order=4711')
    await page.getByRole('button', { name: 'Search' }).click()
    await rowOf(first).click()
    await main.getByText('untrusted_issuer').first().waitFor()
    await main.getByText('Add a trust anchor').first().scrollIntoViewIfNeeded()
    await checkPage(page, 'console-untrusted-issuer')

    // The customer has left. The receiver does not accept the event.
    await main.getByRole('button', { name: 'Cancel' }).click()
    await main.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    const delivery = main.getByRole('article').filter({ hasText: 'verification.canceled' })
    await delivery.getByText('HTTP 500').waitFor()
    await delivery.getByText('database is down').waitFor()

    // The issuer becomes trusted, and nothing is sent to the broken receiver any more.
    await openPage(page, 'Developers')
    await changeSettings(page, { trust_anchors: [stage.authority.anchor()], webhook: null })
    await checkPage(page, 'console-settings')

    // The next customer is verified.
    const second = (await finish(stage, {}, undefined, rp)).session.verification_id
    await openPage(page, 'Verifications')
    await rowOf(second).filter({ hasText: 'verified' }).click()
    await main.getByRole('heading', { name: 'How the level was derived' }).waitFor()

    // The event of the first one is dead. The receiver works again.
    await openPage(page, 'Verifications')
    await rowOf(first).getByText('1 refused').waitFor()
    await rowOf(first).click()
    await delivery.getByText('failed').first().waitFor()
    stage.receiver.answer({ status: 204 })
    await openPage(page, 'Developers')
    await changeSettings(page, { webhook: { url: stage.receiver.url } })
    await openPage(page, 'Verifications')
    await rowOf(first).click()
    await delivery.getByRole('button', { name: 'Send again' }).click()
    await delivery.getByText('delivered').first().waitFor()
    await delivery.getByText('HTTP 204').waitFor()
    await checkPage(page, 'console-sent-again')
    const [event] = stage.receiver.requests.map(({ body }) => JSON.parse(String(body))).slice(-1)
    expect(event).toMatchObject({ verification_id: first, event_type: 'verification.canceled' })
  })
})
