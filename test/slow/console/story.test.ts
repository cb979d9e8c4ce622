// An integrator uses the console alone. They find why a response was refused, trust the issuer, and send a
// dead event again.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkConsole, hasRows, openPage, signIn, WITH_CONSOLE } from '../../support/browser/console-page.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { certified } from '../../support/people/person.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { begin, finish, relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'

describeInBrowser('an integrator who uses only the console', () => {
  const stage = useBrowserStage({ env: WITH_CONSOLE })

  it('finds an untrusted issuer, trusts the issuer, and sends an undelivered event again', async () => {
    const headers = { 'retry-after': '8' }
    stage.receiver.answer({ status: 500, headers, body: 'database is down' })
    const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop', trust_anchors: [] })
    const { page } = await stage.visitor({ reducedMotion: 'reduce' })
    await signIn(page, BASE_URL, rp.api_key)
    const main = page.getByRole('main')

    // A customer complains: their response was refused. Their order leads to the verification.
    const { session, request } = await begin(stage, { ...OVER_18, metadata: { order: '4711' } }, { rp })
    const first = session.verification_id
    for (let tries = 0; tries < 2; tries++) expect((await respondWithAge(stage, request)).status).toBe(400)
    const rowOf = (id: string) => page.getByRole('link').filter({ hasText: id })
    await page.getByRole('searchbox').fill('order=4711')
    await page.getByRole('button', { name: 'Search' }).click()
    await rowOf(first).click()
    await main.getByText('untrusted_issuer').first().waitFor()
    const refused = page.locator('.timeline > li').filter({ hasText: 'Response refused × 2' })
    await expect.poll(() => refused.getByRole('listitem').count()).toBe(2)
    await main.getByText('Add a trust anchor').first().scrollIntoViewIfNeeded()
    await checkPage(page, 'console-untrusted-issuer')

    // The customer has left. The receiver does not accept the event.
    await main.getByRole('button', { name: 'Cancel' }).click()
    await main.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    const delivery = main.getByRole('article').filter({ hasText: 'verification.canceled' })
    await delivery.getByText('HTTP 500').waitFor()
    await delivery.getByText('database is down').waitFor()

    // Nothing is sent to the broken receiver any more, and the issuer becomes trusted.
    await openPage(page, 'Developers')
    await setWebhook(page, '')
    await main.getByText('There is no webhook.').waitFor()
    await main.getByText('Add a trust anchor').first().click()
    const form = page.getByRole('form', { name: 'Add a trust anchor' })
    const { name, issuer, jwks } = stage.authority.anchor()
    await form.getByLabel('Name').fill(String(name))
    await form.getByLabel('Credential types').fill('age_attestation')
    await form.getByLabel('Assurance level').selectOption('substantial')
    await form.getByLabel('Trusts').selectOption('issuer')
    await form.getByLabel('issuer', { exact: true }).fill(String(issuer))
    await form.getByLabel('jwks').fill(JSON.stringify(jwks))
    await form.getByRole('button', { name: 'Add a trust anchor' }).click()
    await hasRows(page, 'Trust anchors', 1)
    await checkPage(page, 'console-settings')

    // The next customer is verified.
    const second = (await finish(stage, {}, undefined, rp)).session.verification_id
    await openPage(page, 'Verifications')
    await rowOf(second).filter({ hasText: 'verified' }).click()
    await main.getByRole('heading', { name: 'How the level was derived' }).waitFor()

    // The first event is dead at its next attempt: after 8 s, or a minute later if one was still made.
    // The list finds it.
    await openPage(page, 'Verifications')
    await main.getByText('Filters', { exact: true }).click()
    await page.getByLabel('Webhook').selectOption('failed')
    await page.getByRole('button', { name: 'Apply' }).click()
    await rowOf(second).waitFor({ state: 'detached' })
    await rowOf(first).getByText('2 refused').waitFor()
    expect(new URL(page.url()).hash).toBe('#/verifications?webhook_state=dead')

    // The receiver works again.
    stage.receiver.answer({ status: 204 })
    await openPage(page, 'Developers')
    await setWebhook(page, stage.receiver.url)
    await main.getByText('There is no webhook.').waitFor({ state: 'detached' })
    await openPage(page, 'Verifications')
    await rowOf(first).click()
    await delivery.getByRole('button', { name: 'Send again' }).click()
    await delivery.getByText('delivered').first().waitFor()
    await delivery.getByText('HTTP 204').waitFor()
    await checkPage(page, 'console-sent-again')
    const [event] = stage.receiver.requests.map(({ body }) => JSON.parse(String(body))).slice(-1)
    expect(event).toMatchObject({ verification_id: first, event_type: 'verification.canceled' })
  })

  it('reads which issuer a refused response names, and adds the certificate of the issuer as an anchor', async () => {
    const rp = await relyingPartyOf(stage, { name: 'Corner Wine Shop', trust_anchors: [] })
    const signed = certified(await mintIssuerPki())
    const { page } = await stage.visitor({ reducedMotion: 'reduce' })
    await signIn(page, BASE_URL, rp.api_key)
    const main = page.getByRole('main')
    const { session, request } = await begin(stage, OVER_18, { rp })
    expect((await respondWithAge(stage, request, signed)).status).toBe(400)
    await page.getByRole('link').filter({ hasText: session.verification_id }).click()
    await main
      .getByText('It said it was CN=Test Document Signer,O=Test Issuer,C=DE (not verified).')
      .waitFor()

    await main.getByText('Add as trust anchor').click()
    await main.getByText('anyone can send such a certificate').waitFor()
    const form = main.getByRole('form', { name: 'Add a trust anchor' })
    await form.getByLabel('Name').fill('Test issuer')
    expect(await form.getByLabel('Credential types').inputValue()).toBe('age_attestation')
    expect(await form.getByLabel('x509_certificate_pem').inputValue()).toMatch(/^-----BEGIN CERTIFICATE-----/)
    await checkConsole(page, 'console-claimed-issuer')
    await form.getByRole('button', { name: 'Add a trust anchor' }).click()
    await form.getByText('Saved').waitFor()
    expect((await respondWithAge(stage, request, signed)).status).toBe(200)
  })
})

/** Sets the webhook's address by its form; an empty one removes the webhook. */
async function setWebhook(page: Page, url: string): Promise<void> {
  await page.getByText('Change the webhook').first().click()
  const form = page.getByRole('form', { name: 'Change the webhook' })
  await form.getByLabel('Address').fill(url)
  await form.getByRole('button', { name: 'Save' }).click()
}
