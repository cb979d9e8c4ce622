// The console for the operator: state of the service, relying parties, trust lists, certificates, metrics.

import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useOwnBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkConsole, confirmed, hasRows, openPlace, rowsOf } from '../../support/browser/console-page.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { mintIssuerPki, mintRoot } from '../../support/certificates/certificates.ts'
import { mintListSigner } from '../../support/certificates/trust-lists.ts'
import { signXmlList, xmlList } from '../../support/certificates/xml-lists.ts'
import { expectStatus } from '../../support/service/service.ts'

const SCRIPT = '<script>document.title = 1</script>'

describeInBrowser('the operator in the console', () => {
  const stage = useOwnBrowserStage({ env: { CONSOLE: '1' } })

  const open = async (place = 'operator', device: object = DEVICES.desktop) => {
    const { page } = await stage.visitor({ ...device, reducedMotion: 'reduce' })
    await openPlace(page, stage.service.server.adminToken, place)
    return page
  }

  it('sees whether the service is ready, which certificates expire next, and the metrics', async () => {
    const page = await open()
    await page.getByText('Ready', { exact: true }).waitFor()
    const { warnings } = (await (await stage.service.fetch('/readyz')).json()) as {
      readonly warnings: readonly { readonly code: string }[]
    }
    for (const { code } of warnings) await page.locator('.notice code').getByText(code).waitFor()
    await hasRows(page, 'Certificates by expiry', 1)
    expect((await rowsOf(page, 'Certificates by expiry'))[0]?.[0]).toBe('This service')
    await page.getByRole('table', { name: 'Metrics' }).waitFor()
    const metrics = await rowsOf(page, 'Metrics')
    const health = metrics.find(([name]) => name?.endsWith('storage_writable'))
    expect(health?.slice(1)).toEqual(['', '1', 'Whether storage can be written.'])
  })

  it('sees the warnings of a service with problems', async () => {
    const page = await open()
    const message = `the list of ${SCRIPT} is too old`
    await page.route('**/console/api/readyz', (route) =>
      route.fulfill({
        json: { status: 'ready', warnings: [{ code: 'trust_list_stale', message, trust_lists: 2 }] },
      }),
    )
    await page.reload()
    await page.getByText(message).waitFor()
    await page.getByText('trust_lists: 2').waitFor()
    await checkPage(page, 'console-operator-warning-desktop')
    await page.route('**/console/api/readyz', (route) => {
      const json = { status: 503, code: 'not_ready', detail: 'A certificate has expired.', errors: [] }
      return route.fulfill({ status: 503, json })
    })
    await page.reload()
    await page.getByText('Not ready', { exact: true }).waitFor()
    await page.getByText('A certificate has expired.').waitFor()
    await checkPage(page, 'console-operator-not-ready')
  })

  it('is told that the list of certificates is incomplete', async () => {
    const { page } = await stage.visitor()
    const pages: unknown[] = []
    await page.route('**/console/api/v1/admin/relying_parties?*', (route) => {
      pages.push(route)
      return route.fulfill({ json: { relying_parties: [], next_cursor: 'next' } })
    })
    await page.route('**/console/api/metrics', (route) => route.fulfill({ status: 404, json: {} }))
    await openPlace(page, stage.service.server.adminToken, 'operator')
    await page.getByText('Only the first 1,000 relying parties were read.').waitFor()
    await page.getByText("The expiry of this service's own certificate is not known here").waitFor()
    await page.getByText('No certificate is known here.').waitFor()
    expect(pages.length).toBeLessThan(13)
    await checkPage(page, 'console-certificates-left-out')
  })

  it('creates a relying party, adds its missing anchor, and deletes the relying party', async () => {
    const page = await open()
    await page.getByText('New relying party').first().click()
    const form = page.getByRole('form', { name: 'New relying party' })
    await form.getByLabel('Name').fill(' ')
    await form.getByRole('button', { name: 'Create' }).click()
    await form.locator('[name="name"][aria-invalid]').waitFor()
    await form.getByLabel('Name').fill(SCRIPT)
    await form.getByRole('button', { name: 'Create' }).click()
    const key = page.getByRole('textbox', { name: 'New API key' })
    await key.waitFor()
    const token = await key.inputValue()
    await page.getByRole('link', { name: `Open ${SCRIPT}` }).click()
    await page.getByRole('heading', { level: 1, name: SCRIPT }).waitFor()
    await page.getByText('There is no trust anchor.').waitFor()
    await page.getByText('Add a trust anchor').first().click()
    const anchor = page.getByRole('form', { name: 'Add a trust anchor' })
    await anchor.getByLabel('Name').fill('Age issuers')
    await anchor.getByLabel('Credential types').fill('age_attestation')
    await anchor.getByLabel('x509_ca_pem', { exact: true }).fill((await mintRoot()).pem)
    await anchor.getByRole('button', { name: 'Add a trust anchor' }).click()
    await hasRows(page, 'Trust anchors', 1)
    const settings = await stage.rp.call('GET', '/v1/relying_party', { token })
    const { trust_anchors } = (await expectStatus(settings, 200)) as { readonly trust_anchors: unknown }
    expect(trust_anchors).toMatchObject([{ name: 'Age issuers', credential_types: ['age_attestation'] }])
    await confirmed(page, page.getByRole('button', { name: 'Delete the relying party' }))
    await page.getByRole('heading', { level: 1, name: 'Operator' }).waitFor()
    expect((await stage.rp.call('GET', '/v1/relying_party', { token })).status).toBe(401)
  })

  it("sees a list that is not usable, sees the API's error for an invalid list, and adds and removes a usable list", async () => {
    const page = await open()
    await page.getByText('There is no trust list.').waitFor()
    await page.getByText('Add a trust list').first().click()
    const form = page.getByRole('form', { name: 'Add a trust list' })
    const json = form.getByLabel('The list, as JSON')
    const example = JSON.parse(await json.inputValue())
    await form.getByRole('button', { name: 'Create' }).click()
    await hasRows(page, 'Trust lists', 1)
    await page.getByRole('table', { name: 'Trust lists' }).getByText('Not usable').waitFor()
    expect((await rowsOf(page, 'Trust lists'))[0]?.slice(4, 6)).toEqual(['–', '–'])
    await json.fill(JSON.stringify({ ...example, services: [] }))
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByText('/services').first().waitFor()
    const good = { ...example, name: 'good', pem: (await mintRoot()).pem }
    await json.fill(JSON.stringify(good))
    await form.getByRole('button', { name: 'Create' }).click()
    await hasRows(page, 'Trust lists', 2)
    const row = page.getByRole('row').filter({ hasText: 'good' })
    await row.getByText('Usable', { exact: true }).waitFor()
    expect((await row.locator('td').allInnerTexts())[3]).toBe('1')
    await row.scrollIntoViewIfNeeded()
    await checkConsole(page, 'console-trust-lists-desktop')
    await confirmed(page, row.getByRole('button', { name: 'Remove' }))
    await hasRows(page, 'Trust lists', 1)
  })

  it('adds a list of lists, and sees each national list with its number, anchors and fault, and a change of signers', async () => {
    const minted = Promise.all([mintListSigner(), mintListSigner(), mintListSigner()])
    const [[commission, successor, state], pki] = await Promise.all([minted, mintIssuerPki()])
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const times = { issued: day(-1), nextUpdate: day(30) }
    const services = [{ certificates: [pki.root.x5c], since: day(-2) }]
    const national = signXmlList(xmlList({ territory: 'SE', services, ...times }), state)
    const addressOf = (path: string) => new URL(path, stage.receiver.url).href
    const pointers = ['/HU', '/SE'].map((path) => ({
      ...{ location: addressOf(path), territory: path.slice(1) },
      certificates: [state.x5c],
    }))
    const type = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists'
    const oj_url = 'https://eur-lex.europa.eu/eli/C/2026/1/oj'
    const own = { type, territory: 'EU', location: addressOf('/'), certificates: [successor.x5c] }
    const pivotPath = '/eu-lotl-pivot-6.xml'
    const uris = [addressOf(pivotPath), oj_url]
    const list = { type, territory: 'EU', uris, pointers: [own, ...pointers], ...times }
    const lotl = signXmlList(xmlList(list), successor)
    const pivot = signXmlList(xmlList({ ...list, sequence: 6 }), commission)
    stage.receiver.answer(({ path }) => {
      if (path === '/HU') return { status: 404 }
      if (path === pivotPath) return { body: pivot }
      return { body: path === '/SE' ? national : lotl }
    })
    const page = await open()
    await page.getByText('Add a trust list').first().click()
    const form = page.getByRole('form', { name: 'Add a trust list' })
    await form.getByRole('combobox').selectOption('eu_lotl')
    const json = form.getByLabel('The list, as JSON')
    const example = JSON.parse(await json.inputValue())
    const signers = [{ x509_certificate_pem: commission.pem }]
    const changes = { livemode: false, url: stage.receiver.url, territories: 'all', signers, oj_url }
    await json.fill(JSON.stringify({ ...example, ...changes }))
    await form.getByRole('button', { name: 'Create' }).click()
    const row = page.getByRole('row').filter({ hasText: 'eu-qeaa' })
    await row.getByText('Usable', { exact: true }).waitFor()
    expect(await row.locator('li').allInnerTexts()).toEqual(['HU : 0 unavailable', 'SE 7: 1'])
    await row.getByText('The list names other signers of its own than the pinned ones.').waitFor()
    await row.getByText('Signers learned along the pivots: 1').waitFor()
    await confirmed(page, row.getByRole('button', { name: 'Remove' }))
    await row.waitFor({ state: 'detached' })
  })
})
