// The page /inspect in a browser: without a network, with hostile texts, without an axe violation. It is also
// opened as a saved file.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeAuthority } from '../../evidence/authority.ts'
import { ageMdl } from '../../evidence/cases.ts'
import { completeCase } from '../../evidence/complete.ts'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { makeDevice, makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import { AGE_POLICY, answerRedirect } from '../../verify/stage.ts'

const vectors = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../../vectors/${name}.json`), 'utf8'))
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

async function inspectText(page: Page, text: string): Promise<string> {
  await page.getByLabel('What to inspect').fill(text)
  return press(page)
}

async function press(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Inspect' }).click()
  const state = page.getByRole('status')
  await expect.poll(() => state.textContent()).not.toMatch(/^(Inspecting …)?$/)
  return (await state.textContent()) ?? ''
}

describeInBrowser('the inspector', () => {
  const stage = useBrowserStage()

  it('inspects without a network, and sends nothing', async () => {
    const { page } = await stage.visitor()
    const requests: string[] = []
    await page.goto(`${stage.service.server.baseUrl}/inspect`)
    page.on('request', (request) => requests.push(request.url()))
    await page.context().setOffline(true)
    const { tokens, issuerJwk } = vectors('sd-jwt-rfc9901')
    expect(await inspectText(page, tokens[2].token)).toMatch(/^SD-JWT VC: 2 checks hold, 0 fail/)
    await page.getByText('Keys, trusted issuers').click()
    await page.getByLabel('Keys (JWK').fill(JSON.stringify(issuerJwk))
    expect(await press(page)).toMatch(/^SD-JWT VC: 3 checks hold, 0 fail/)
    expect(await inspectText(page, vectors('vical-austroads').vical)).toMatch(/^VICAL: /)
    expect(await inspectText(page, vectors('token-status-list').lists[3].cborHex)).toMatch(/^Status list: /)
    expect(await inspectText(page, 'x')).toMatch(/^This cannot be inspected: the form of the input/)
    expect(requests).toEqual([])
    expect(await page.evaluate('document.cookie === "" || true').catch(() => 'no cookies')).toBe('no cookies')
  })

  it('can open no connection, not even from a script in the page', async () => {
    const { page, takeErrors } = await stage.visitor()
    await page.goto(`${stage.service.server.baseUrl}/inspect`)
    const tried = `fetch('/healthz').then(() => 'sent', () => 'refused')`
    expect(await page.evaluate(tried)).toBe('refused')
    expect(takeErrors().join()).toMatch(/connect-src/)
  })

  it('shows hostile texts as texts: no element, no script, no link', async () => {
    const { page } = await stage.visitor()
    await page.goto(`${stage.service.server.baseUrl}/inspect`)
    const hostile =
      '<img src=x onerror="document.title=1"><script>document.title=1</script><a href="javascript:1">a</a>'
    const payload = { vct: hostile, [hostile]: hostile }
    await inspectText(page, `${base64url({ alg: 'ES256', kid: hostile })}.${base64url(payload)}.AAAA`)
    await inspectText(page, `vp_token=${encodeURIComponent(hostile)}&state=${encodeURIComponent(hostile)}`)
    const report = page.locator('#report')
    expect(await report.textContent()).toContain(hostile)
    expect(await report.locator('img, script, a, iframe, style').count()).toBe(0)
    expect(await page.title()).toBe('Inspector of wallet messages')
  })

  it('compares a request with its response, and opens a container of evidence', async () => {
    const { page } = await stage.visitor()
    await page.goto(`${stage.service.server.baseUrl}/inspect`)
    const person = await makeMdocPerson()
    const policy = { ...AGE_POLICY, formats: ['mso_mdoc'] as const }
    const { request, response } = await answerRedirect((asked) => mdocAgeOf(person, asked), { policy })
    await page.getByText('Compare with a response').click()
    await page.getByLabel('Response to the request').fill(response)
    await inspectText(page, request)
    await page.getByRole('heading', { name: 'Outcome' }).waitFor()
    expect(await page.locator('.outcome').textContent()).toMatch(
      /verified under assumptions A verifier accepts the response only if/,
    )
    await page.getByLabel('Response to the request').fill(response.replace(/.{4}$/, 'AAAA'))
    await press(page)
    expect(await page.locator('.outcome').textContent()).toMatch(/refuseddecryption_failed/)
    const zip = await completeCase(await ageMdl(), makeAuthority())
    const file = { name: 'case.asice', mimeType: 'application/zip', buffer: Buffer.from(zip) }
    await page.getByLabel('What to inspect').fill('')
    await page.getByLabel('Response to the request').fill('')
    await page.locator('#input-file').setInputFiles(file)
    expect(await press(page)).toMatch(/^Container of evidence: \d+ checks hold, 0 fail/)
  })

  it.each(Object.entries(DEVICES))(
    'has no axe violation and no overflow on a %s',
    async (device, options) => {
      const { page } = await stage.visitor(options)
      await page.goto(`${stage.service.server.baseUrl}/inspect`)
      await checkPage(page, `inspector-${device}`)
      const toggle = async () => {
        await page.getByText('Compare with a response').click()
        await page.getByText('Keys, trusted issuers').click()
      }
      await toggle()
      await checkPage(page, `inspector-open-${device}`)
      await inspectText(page, vectors('real-issuers').wallet_answer.device_response)
      await checkPage(page, `inspector-credential-${device}`)
      const person = await makeMdocPerson()
      const policy = { ...AGE_POLICY, formats: ['mso_mdoc'] as const }
      const present = (asked: ReceivedRequest) => mdocAgeOf(person, asked, { holder: makeDevice() })
      const { request, response } = await answerRedirect(present, { policy })
      await page.getByLabel('Response to the request').fill(response)
      await inspectText(page, request)
      await toggle()
      await page.evaluate("document.querySelector('#report').scrollIntoView()")
      await checkPage(page, `inspector-report-${device}`, { dark: true })
    },
  )

  it('works as a saved file', async () => {
    const { page } = await stage.visitor()
    const folder = mkdtempSync(join(tmpdir(), 'inspector-'))
    const html = readFileSync(ASSET)
    writeFileSync(join(folder, 'inspect.html'), html)
    await page.goto(pathToFileURL(join(folder, 'inspect.html')).href)
    await page.context().setOffline(true)
    expect(await inspectText(page, vectors('sd-jwt-rfc9901').tokens[2].token)).toMatch(
      /2 checks hold, 0 fail/,
    )
  })
})

const ASSET = join(import.meta.dirname, '../../../assets/inspect/inspect.html')
