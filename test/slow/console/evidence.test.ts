// Evidence in the console: its state and its digest, a file with its envelope, and its erasure. Its content
// is never shown.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkConsole, confirmed, openConsole, WITH_CONSOLE } from '../../support/browser/console-page.ts'
import { checkPage, saveScreenshot } from '../../support/browser/page-check.ts'
import { callEvidence, type Envelope, newKeeper, openSealed } from '../../support/service/evidence.ts'
import { expectStatus, OVER_18 } from '../../support/service/service.ts'
import { finish, relyingPartyOf } from '../../support/service/stage.ts'

describeInBrowser('evidence on the page of a verification', () => {
  const stage = useBrowserStage({ env: WITH_CONSOLE })

  /** A relying party with a verified session, and a key that may read evidence and verifications. */
  async function setUp(policy: object) {
    const keeper = await newKeeper(stage.service, (settings) => relyingPartyOf(stage, settings))
    const { session } = await finish(stage, {}, policy, keeper.rp)
    const granted = await stage.service.admin('POST', `/${keeper.rp.relying_party_id}/api_keys`, {
      scopes: ['verify:read', 'verify:create', 'evidence:read'],
    })
    const { api_key: archivist } = (await expectStatus(granted, 201)) as { readonly api_key: string }
    return { keeper, archivist, id: session.verification_id }
  }
  const open = (token: string, id: string) => openConsole(stage, token, { hash: `#/verifications/${id}` })

  it('is shown with its state and digest, can be fetched as a file, and is erased after a confirmation', async () => {
    const { keeper, archivist, id } = await setUp({ ...OVER_18, evidence: true })
    const page = await open(archivist, id)
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Evidence' }) })
    const { evidence } = (await keeper.rp.poll(id)) as { evidence?: { manifest_sha256: string } }
    await section.getByText(evidence?.manifest_sha256 ?? 'no digest').waitFor()
    await page.locator('dd', { hasText: 'kept here' }).waitFor()
    await section.scrollIntoViewIfNeeded()
    await checkConsole(page, 'console-evidence')
    await page.setViewportSize({ width: 390, height: 844 })
    await section.scrollIntoViewIfNeeded()
    await saveScreenshot(page, 'console-evidence-phone')

    const saved = page.waitForEvent('download')
    await section.getByRole('button', { name: 'Fetch the evidence' }).click()
    const file = await saved
    expect(file.suggestedFilename()).toBe(`${id}.evidence.json`)
    const envelope = JSON.parse(readFileSync(await file.path(), 'utf8')) as Envelope
    expect(envelope).toEqual(await expectStatus(await callEvidence(keeper, id), 200))
    expect(await openSealed(envelope, keeper.recipient.privateKey)).toHaveProperty('mimetype')
    const { ciphertext } = envelope.sealed
    expect(await page.content()).not.toContain(ciphertext.slice(0, 40))

    const erase = section.getByRole('button', { name: 'Erase the evidence' })
    await erase.click()
    await page.getByRole('dialog').getByRole('button', { name: 'No' }).click()
    expect((await callEvidence(keeper, id)).status).toBe(200)
    await confirmed(page, erase)
    await page.locator('dd', { hasText: 'erased' }).waitFor()
    await expect.poll(() => section.getByRole('button').count()).toBe(0)
    expect(await section.innerText()).toContain(evidence?.manifest_sha256)
    expect((await callEvidence(keeper, id)).status).toBe(410)
    await section.scrollIntoViewIfNeeded()
    await checkPage(page, 'console-evidence-erased-phone')
  })

  it('has no buttons for a key without the scope, and says which scope is missing', async () => {
    const { keeper, id } = await setUp({ ...OVER_18, evidence: true })
    const page = await open(keeper.rp.api_key, id)
    await page.getByText('needs an API key with the scope evidence:read').waitFor()
    expect(await page.getByRole('button', { name: 'the evidence' }).count()).toBe(0)
    await page.getByRole('heading', { name: 'Evidence' }).scrollIntoViewIfNeeded()
    await checkPage(page, 'console-evidence-scope')
  })

  it('is shown as none if no evidence was kept', async () => {
    const { archivist, id } = await setUp(OVER_18)
    const page = await open(archivist, id)
    await page.locator('dl div', { hasText: 'Evidence' }).getByText('none').waitFor()
    expect(await page.getByRole('heading', { name: 'Evidence' }).count()).toBe(0)
  })
})
