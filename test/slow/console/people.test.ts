// Staff sign in to the console by the OpenID Provider of their organisation, find why a response was refused,
// and trust its issuer.

import { afterAll, expect, it } from 'vitest'
import { describeInBrowser, useOwnBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkConsole, openPage } from '../../support/browser/console-page.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { ORGANISATIONS, startOwn } from '../../support/people/organisation.ts'
import { certified } from '../../support/people/person.ts'
import { BASE_URL, expectStatus, OVER_18 } from '../../support/service/service.ts'
import { begin, relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'

const ROLES = { support: ['verify:read', 'settings:manage'] }
/** A provider may take minutes to start. */
const STORY_MS = 900_000

describeInBrowser('staff who sign in by their organisation', () => {
  const stage = useOwnBrowserStage({ env: { CONSOLE: '1' }, sites: () => ({ localhost: { port: 0 } }) })
  const stops: (() => Promise<void>)[] = []
  afterAll(() => Promise.all(stops.map((stop) => stop())))

  it.each(Object.entries(ORGANISATIONS))(
    'find an untrusted issuer and trust it, if the organisation uses %s',
    async (_, start) => {
      const organisation = await start()
      stops.push(organisation.stop)
      const rp = await relyingPartyOf(stage, {
        name: 'Corner Wine Shop',
        trust_anchors: [],
        console_sign_in: { ...organisation.setting, roles: ROLES },
      })
      const address = `${BASE_URL}/console/people/${rp.relying_party_id}`
      await organisation.register(address)
      const signed = certified(await mintIssuerPki())
      const { session, request } = await begin(stage, { ...OVER_18, metadata: { order: '4711' } }, { rp })
      expect((await respondWithAge(stage, request, signed)).status).toBe(400)

      const { page } = await stage.visitor({ reducedMotion: 'reduce' })
      await page.goto(address)
      await checkConsole(page, 'console-people-sign-in')
      await page.getByRole('button', { name: 'Continue at your organisation' }).click()
      await organisation.signIn(page)
      await page.getByRole('heading', { level: 1, name: 'Verifications' }).waitFor()
      await page.getByRole('banner').getByText(organisation.person).waitFor()
      expect(page.url()).toBe(address)

      const main = page.getByRole('main')
      await page.getByRole('searchbox').fill('order=4711')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('link').filter({ hasText: session.verification_id }).click()
      await main.getByText('untrusted_issuer').first().waitFor()
      await main
        .getByText('It said it was CN=Test Document Signer,O=Test Issuer,C=DE (not verified).')
        .waitFor()
      await main.getByText('Add as trust anchor').click()
      const form = main.getByRole('form', { name: 'Add a trust anchor' })
      await form.getByLabel('Name').fill('Test issuer')
      await form.getByRole('button', { name: 'Add a trust anchor' }).click()
      await form.getByText('Saved').waitFor()
      expect((await respondWithAge(stage, request, signed)).status).toBe(200)
      await main.getByRole('heading', { name: 'How the level was derived' }).waitFor()

      const log = await expectStatus(await rp.call('GET', '/v1/audit?limit=5'), 200)
      const actor = { kind: 'person', name: organisation.person }
      expect((log as { readonly entries: unknown }).entries).toMatchObject([
        { action: 'settings.changed', members: ['trust_anchors'], actor, channel: 'console' },
        { action: 'console.signed_in', actor, channel: 'console' },
        { action: 'relying_party.created' },
      ])

      const copies = await page.context().cookies(BASE_URL)
      const token = await page.evaluate("sessionStorage.getItem('console-token')")
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('You are signed out.').waitFor()
      await page.getByRole('link', { name: 'End the session at your organisation, too' }).waitFor()
      const cookie = copies.map(({ name, value }) => `${name}=${value}`).join('; ')
      const headers = { cookie, 'console-token': String(token) }
      const copied = await stage.service.fetch('/console/session', { headers })
      expect(copied.status).toBe(401)
    },
    STORY_MS,
  )

  it('sign in again before they make a key, and come back to the page', async () => {
    const organisation = await startOwn()
    stops.push(organisation.stop)
    organisation.own.authTime = organisation.own.now() - 660
    const rp = await relyingPartyOf(stage, { console_sign_in: { ...organisation.setting, roles: ROLES } })
    const { page } = await stage.visitor({ reducedMotion: 'reduce' })
    await page.goto(`${BASE_URL}/console/people/${rp.relying_party_id}`)
    const goOn = page.getByRole('button', { name: 'Continue at your organisation' })
    await goOn.click()
    await openPage(page, 'Developers')
    const create = async () => {
      await page.getByText('New API key').first().click()
      const form = page.getByRole('form', { name: 'New API key' })
      await form.getByLabel('verify:read').check()
      await form.getByRole('button', { name: 'Create the key' }).click()
    }
    await create()
    await page.getByText('Sign in again, then repeat the change.').first().waitFor()
    await checkConsole(page, 'console-fresh-sign-in')
    await goOn.click()
    await page.getByRole('heading', { level: 1, name: 'Developers' }).waitFor()
    await create()
    await page.getByRole('textbox', { name: 'New API key' }).waitFor()

    // What the provider is asked for, the page of the sign-in of people shows.
    const form = page.getByRole('form', { name: 'Change the sign-in of people' })
    await page.getByText('Change the sign-in of people').first().click()
    expect(await form.getByLabel('Client secret').inputValue()).toBe('')
    await form.getByLabel('Roles', { exact: true }).fill('support = verify:nothing')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.locator('[name="roles"][aria-invalid]').waitFor()
    await form.getByLabel('Roles', { exact: true }).fill('support = verify:read')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('insufficient_scope').first().waitFor()
  })

  it('see that their account has no role, and that their organisation refused them', async () => {
    const organisation = await startOwn()
    stops.push(organisation.stop)
    organisation.own.account = { sub: 'sub-2', roles: ['guest'] }
    const rp = await relyingPartyOf(stage, { console_sign_in: { ...organisation.setting, roles: ROLES } })
    const { page } = await stage.visitor({ reducedMotion: 'reduce' })
    const address = `${BASE_URL}/console/people/${rp.relying_party_id}`
    await page.goto(address)
    await page.getByRole('button', { name: 'Continue at your organisation' }).click()
    await page.getByText('Your account has no role for this console.').waitFor()
    expect(page.url()).toBe(address)
    await page.goto(`${address}?error=access_denied&state=x`)
    await page.getByText('access_denied').waitFor()
    expect(page.url()).toBe(address)
    await page.goto(`${BASE_URL}/console`)
    await page.getByText('Account of your organisation').first().click()
    await page.getByLabel('ID of the relying party').fill(`rp_${'A'.repeat(43)}`)
    await page.getByRole('button', { name: 'Continue at your organisation' }).click()
    await page.getByText('This relying party does not exist').waitFor()
  })
})
