// The console's page for developers: each change as the API makes it, and its messages at the fields.

import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import {
  checkConsole,
  confirmed,
  hasLoaded,
  hasRows,
  keyWith,
  openPage,
  openPlace,
  rowsOf,
} from '../../support/browser/console-page.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { mintRoot } from '../../support/certificates/certificates.ts'
import { expectStatus, type RelyingParty } from '../../support/service/service.ts'
import { finish, relyingPartyOf } from '../../support/service/stage.ts'

const SCRIPT = '<img src=x onerror="document.title = 1">'

describeInBrowser('the developers page of the console', () => {
  const stage = useBrowserStage({ env: { CONSOLE: '1' } })

  const open = async (rp: RelyingParty = stage.rp, device: object = DEVICES.desktop) => {
    const { page } = await stage.visitor({ ...device, reducedMotion: 'reduce' })
    await openPlace(page, rp.api_key, 'developers')
    return page
  }
  const settingsOf = async (rp: RelyingParty) =>
    (await expectStatus(await rp.call('GET', '/v1/relying_party'), 200)) as Readonly<Record<string, unknown>>

  it('makes an API key with some scopes, shows it once, and revokes it', async () => {
    const rp = await relyingPartyOf(stage)
    const page = await open(rp)
    await page.getByText('New API key').first().click()
    const form = page.getByRole('form', { name: 'New API key' })
    await form.getByLabel('verify:read').waitFor()
    expect(await form.getByRole('checkbox', { checked: true }).count()).toBe(0)
    await form.getByRole('button', { name: 'Create the key' }).click()
    await form.getByRole('alert').getByText('/scopes').waitFor()
    for (const scope of ['verify:create', 'verify:read']) await form.getByLabel(scope).check()
    await form.getByRole('button', { name: 'Create the key' }).click()
    const secret = page.getByRole('textbox', { name: 'New API key' })
    await secret.waitFor()
    const token = await secret.inputValue()
    expect(token).toMatch(/^wv_test_/)
    await hasRows(page, 'API keys', 2)
    expect((await rp.call('GET', '/v1/verify', { token })).status).toBe(200)
    expect((await rp.call('GET', '/v1/relying_party', { token })).status).toBe(403)
    await page.reload()
    await hasRows(page, 'API keys', 2)
    expect(await page.content()).not.toContain(token)
    const row = page
      .getByRole('row')
      .filter({ hasNotText: 'settings:manage' })
      .filter({ hasText: 'verify:read' })
    const revoke = row.getByRole('button', { name: 'Revoke' })
    await revoke.click()
    const [, keyId] = token.split('.')
    await page.getByRole('dialog').getByText(`Revoke the key “${keyId}”?`).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'No' }).click()
    await confirmed(page, revoke)
    await hasRows(page, 'API keys', 1)
    expect((await rp.call('GET', '/v1/verify', { token })).status).toBe(401)
  })

  it('sends a test event, rotates the secret, and enables a webhook again after a 410 response disabled it', async () => {
    const rp = await relyingPartyOf(stage)
    const page = await open(rp)
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByText('The receiver accepted the test event: HTTP 200').waitFor()
    await confirmed(page, page.getByRole('button', { name: 'Replace the secret' }).first())
    const secret = page.getByRole('textbox', { name: 'Webhook secret' })
    await secret.waitFor()
    expect(await secret.inputValue()).toMatch(/^whsec_/)
    await checkPage(page, 'console-webhook-secret')
    stage.receiver.answer({ status: 410 })
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByText('The receiver did not accept the test event: HTTP 410').waitFor()
    await page.getByText('The receiver returned 410, so no event is sent.').waitFor()
    await checkPage(page, 'console-webhook-disabled-desktop')
    stage.receiver.answer({ status: 200 })
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByText('so no event is sent').waitFor({ state: 'detached' })
    expect(await settingsOf(rp)).toMatchObject({ webhook: { disabled: false } })
  })

  it("shows the API's error for a webhook address at its field, and then saves another webhook", async () => {
    const rp = await relyingPartyOf(stage)
    const page = await open(rp)
    await page.getByText('Change the webhook').first().click()
    const form = page.getByRole('form', { name: 'Change the webhook' })
    const other = `${stage.receiver.url}/other`
    await form.getByLabel('Address').fill('https://10.0.0.1/hook')
    const wrong = { webhook: { url: 'https://10.0.0.1/hook' } }
    await hasMessagesOf(rp, form, wrong, () => form.getByLabel('Address'))
    await form.getByLabel('Address').fill(other)
    await form.getByLabel('verification.created').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Saved.').waitFor()
    const { webhook } = (await settingsOf(rp)) as { webhook: { url: string; events: readonly string[] } }
    expect(webhook.url).toBe(other)
    expect(webhook.events).toContain('verification.created')
  })

  it('lists an event whose delivery failed, and sends it again', async () => {
    const rp = await relyingPartyOf(stage)
    stage.receiver.answer({ status: 500, body: 'out of order' })
    const count = stage.receiver.requests.length
    const { session } = await finish(stage, {}, undefined, rp)
    await stage.receiver.received(count + 1)
    const page = await open(rp)
    await expect
      .poll(
        async () => {
          await page.reload()
          await page
            .getByText('No event failed.')
            .or(page.getByRole('table', { name: 'Recent failures' }))
            .waitFor()
          return (await rowsOf(page, 'Recent failures')).map(([, event, answer]) => [event, answer])
        },
        { interval: 1_000 },
      )
      .toEqual([['verification.verified', 'HTTP 500']])
    const table = page.getByRole('table', { name: 'Recent failures' })
    await table.scrollIntoViewIfNeeded()
    await checkPage(page, 'console-webhook-failures-desktop')
    expect(await table.getByRole('link').getAttribute('href')).toBe(
      `#/verifications/${session.verification_id}`,
    )
    stage.receiver.answer({ status: 200 })
    await table.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('No event failed.').waitFor()
  })

  it("shows the API's errors for settings at their fields, and then saves valid settings", async () => {
    const rp = await relyingPartyOf(stage)
    const page = await open(rp)
    const form = page.getByRole('form', { name: 'Settings', exact: true })
    const addresses = form.getByLabel('Return addresses')
    const wrong = {
      return_urls: ['https://shop.example/done', 'http://shop.example/#a'],
      retention_seconds: 1,
    }
    const retention = form.getByLabel('Seconds until')
    await addresses.fill(wrong.return_urls.join('\n'))
    await retention.fill('1')
    await hasMessagesOf(rp, form, wrong, (pointer) => (pointer.startsWith('/return') ? addresses : retention))
    await form.getByText('/return_urls/1').first().waitFor()
    await form.scrollIntoViewIfNeeded()
    await checkConsole(page, 'console-settings-wrong-desktop')
    await addresses.fill('https://shop.example/done')
    await retention.fill('86400')
    await form.getByLabel('Credentials whose status').selectOption('accept')
    await form.getByLabel('List and count').uncheck()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Saved.').waitFor()
    expect(await settingsOf(rp)).toMatchObject({
      return_urls: ['https://shop.example/done'],
      retention_seconds: 86_400,
      status_unavailable: 'accept',
      index: false,
    })
    expect(await addresses.getAttribute('aria-invalid')).toBeNull()
    await openPage(page, 'Verifications')
    await page.getByRole('alert').getByText('index_disabled').waitFor()
    await checkPage(page, 'console-list-disabled')
  })

  it('changes any setting as JSON', async () => {
    const rp = await relyingPartyOf(stage)
    const page = await open(rp)
    await page.getByText('All settings as JSON').first().click()
    const form = page.getByRole('form', { name: 'All settings as JSON' })
    await form.getByLabel('Member', { exact: true }).selectOption('formats')
    const json = form.getByLabel('Members to change, as JSON')
    expect(JSON.parse(await json.inputValue())).toEqual({ formats: null })
    await json.fill('{"formats": ')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('This is not a JSON object.').waitFor()
    await json.fill('{"formats": ["jpeg"]}')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('/formats/0').first().waitFor()
    expect(await json.getAttribute('aria-invalid')).toBe('true')
    await json.fill('{"formats": ["mso_mdoc"]}')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Saved.').waitFor()
    expect(await settingsOf(rp)).toMatchObject({ formats: ['mso_mdoc'] })
  })

  it('removes and adds a trust anchor', async () => {
    const rp = await relyingPartyOf(stage)
    const { pem } = await mintRoot()
    const page = await open(rp)
    await hasRows(page, 'Trust anchors', 1)
    await confirmed(
      page,
      page.getByRole('table', { name: 'Trust anchors' }).getByRole('button', { name: 'Remove' }),
    )
    await page.getByText('There is no trust anchor.').waitFor()
    expect(await settingsOf(rp)).toMatchObject({ trust_anchors: [] })
    await page.getByText('Add a trust anchor').first().click()
    const form = page.getByRole('form', { name: 'Add a trust anchor' })
    await form.getByLabel('Name').fill(SCRIPT)
    await form.getByLabel('Credential types').fill('age_attestation, pid')
    await form.getByLabel('Assurance level').selectOption('high')
    await form.getByLabel('x509_ca_pem', { exact: true }).fill('not a certificate')
    await form.getByRole('button', { name: 'Add a trust anchor' }).click()
    await form.locator('[aria-invalid]').waitFor()
    expect(await form.locator('[aria-invalid]').getAttribute('name')).toBe('value')
    await form.getByLabel('x509_ca_pem', { exact: true }).fill(pem)
    await form.getByRole('button', { name: 'Add a trust anchor' }).click()
    await hasRows(page, 'Trust anchors', 1)
    expect((await rowsOf(page, 'Trust anchors'))[0]?.slice(0, 3)).toEqual([
      SCRIPT,
      'age_attestation, pid',
      'high',
    ])
    expect(await page.locator('main img').count()).toBe(0)
    const { trust_anchors } = (await settingsOf(rp)) as { trust_anchors: readonly object[] }
    expect(trust_anchors).toMatchObject([{ name: SCRIPT, assurance_level: 'high' }])
  })

  it('creates, changes and deletes a client of OpenID Connect, and rotates its secret', async () => {
    const rp = await relyingPartyOf(stage)
    const page = await open(rp)
    await page.getByText('New client').first().click()
    const form = page.getByRole('form', { name: 'New client' })
    const json = form.getByLabel('Members of the client, as JSON')
    const example = JSON.parse(await json.inputValue())
    await json.fill(JSON.stringify({ ...example, redirect_uris: ['ftp://shop.example'] }))
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByText('/redirect_uris/0').first().waitFor()
    const redirect_uris = ['https://shop.example/callback']
    await json.fill(JSON.stringify({ ...example, name: SCRIPT, redirect_uris }))
    await form.getByRole('button', { name: 'Create' }).click()
    const secret = page.getByRole('textbox', { name: 'Client secret' })
    await secret.waitFor()
    const first = await secret.inputValue()
    const table = page.getByRole('table', { name: 'OpenID Connect clients' })
    await hasRows(page, 'OpenID Connect clients', 1)
    expect((await rowsOf(page, 'OpenID Connect clients'))[0]?.[0]).toBe(SCRIPT)
    await table.getByRole('button', { name: 'Change' }).click()
    const change = table.getByRole('form')
    const current = JSON.parse(await change.getByLabel('Members of the client').inputValue())
    await change.getByLabel('Members of the client').fill(JSON.stringify({ ...current, name: 'Cellar' }))
    await change.getByRole('button', { name: 'Save' }).click()
    await table.getByRole('cell', { name: 'Cellar', exact: true }).waitFor()
    await confirmed(page, table.getByRole('button', { name: 'Replace the secret' }))
    await expect.poll(() => secret.inputValue()).not.toBe(first)
    await confirmed(page, table.getByRole('button', { name: 'Delete' }))
    await page.getByText('There is no client.').waitFor()
  })

  it('has no buttons or fields for changes if the key may only read', async () => {
    const { api_key } = await keyWith(stage.rp, 'verify:read')
    const page = await open({ ...stage.rp, api_key })
    await page.getByText('it lacks settings:manage').waitFor()
    await hasRows(page, 'Wallets', 22)
    await hasLoaded(page)
    expect(await page.locator('main').getByRole('button').count()).toBe(0)
    expect(await page.locator('main').locator('input, textarea, select').count()).toBe(0)
    await checkConsole(page, 'console-developers-reading-desktop')
  })
})

/**
 * Sends wrong settings to the API and in a form. The form shows each message of the API at the field that
 * `send` returns for its pointer.
 */
async function hasMessagesOf(
  rp: RelyingParty,
  form: Locator,
  settings: object,
  fieldOf: (pointer: string) => Locator,
): Promise<void> {
  const refused = await expectStatus(await rp.call('PATCH', '/v1/relying_party', { body: settings }), 400)
  const { errors } = refused as { readonly errors: readonly { pointer: string; message: string }[] }
  expect(errors.length).toBeGreaterThan(0)
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').waitFor()
  for (const { pointer, message } of errors) {
    const field = fieldOf(pointer)
    expect(await field.getAttribute('aria-invalid'), pointer).toBe('true')
    const described = (await field.getAttribute('aria-describedby'))?.split(' ').at(-1)
    expect(await form.page().locator(`[id="${described}"]`).innerText()).toContain(message)
  }
}
