// Identities of the verifier in the console: a person sees, adds, replaces and removes them, and every other
// identity keeps its private key.

import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DEVICES, describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkConsole, confirmed, openPlace } from '../../support/browser/console-page.ts'
import { mintIntermediate, mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'
import type { DigitalRequest } from '../../support/wallets/fake-wallet.ts'
import { identityOf } from '../../support/wallets/good-request.ts'
import { readMultiSigned } from '../../support/wallets/multi-signed.ts'

const SHOP = 'https://shop.example'
const DAY = 86_400_000
/** Extension of Google's certificates. Its digest fits no metadata, so the settings warn. */
const GOOGLE_EXTENSION = {
  oid: '1.3.6.1.4.1.11129.10.1',
  critical: false,
  value: Buffer.from(`0420${'00'.repeat(32)}`, 'hex'),
}

const root = await mintRoot()
const issuer = await mintIntermediate(root)
const [own, apple, google, other, next] = await Promise.all([
  mintLeaf(root, {
    subject: 'O=Corner Wine Shop,CN=EU access',
    altNames: [{ type: 'dns', value: 'shop.example' }],
  }),
  mintLeaf(issuer, { subject: 'O=Corner Wine Shop,CN=Apple', notAfter: new Date(Date.now() + 9 * DAY) }),
  mintLeaf(root, { subject: 'O=Corner Wine Shop,CN=Google', extensions: [GOOGLE_EXTENSION] }),
  mintLeaf(root, { subject: 'O=Corner Wine Shop,CN=<img src=x>' }),
  mintLeaf(root, { subject: 'O=Corner Wine Shop,CN=Apple 2027' }),
])
type Leaf = typeof own

describeInBrowser('the identities in the console', () => {
  const stage = useBrowserStage({ env: { CONSOLE: '1' } })

  const partyWith = (...further: readonly Leaf[]) =>
    relyingPartyOf(stage, {
      origins: [SHOP],
      verifier: { ...identityOf(own), further: further.map(identityOf) },
    })
  const open = async (rp: RelyingParty, device: object = DEVICES.desktop) => {
    const { page } = await stage.visitor({ ...device, reducedMotion: 'reduce' })
    await openPlace(page, rp.api_key, 'developers')
    await page.getByRole('heading', { name: 'Verifier identities' }).waitFor()
    return page
  }

  /** Returns the leaf certificates that sign a request of the browser. Every signature must be good. */
  async function signersOf(rp: RelyingParty): Promise<readonly (string | undefined)[]> {
    const { verification_id: id } = await rp.create(OVER_18)
    const asked = await rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: {} })
    const { digital } = (await expectStatus(asked, 200)) as { digital: { requests: DigitalRequest[] } }
    const multi = digital.requests.find(({ protocol }) => protocol === 'openid4vp-v1-multisigned')
    const { identities } = await readMultiSigned(multi?.data ?? {}, { origin: SHOP, verifierCa: root.pem })
    expect(identities.filter(({ fault }) => fault !== null)).toEqual([])
    return identities.map(({ chain }) => chain[0]?.raw.toString('base64'))
  }
  const x5c = (...leaves: readonly Leaf[]) => leaves.map((leaf) => leaf.x5c)

  it.each(['desktop', 'phone'] as const)(
    'are listed with names, times, fingerprint and warnings on a %s',
    async (device) => {
      const page = await open(await partyWith(apple, google), DEVICES[device])
      const first = cardOf(page, 'Own identity')
      await first.getByText('CN=EU access,O=Corner Wine Shop').waitFor()
      await first.getByText('shop.example').waitFor()
      await first.getByText('In force').waitFor()
      const digest = await crypto.subtle.digest('SHA-256', Buffer.from(own.x5c, 'base64'))
      await first.getByText(Buffer.from(digest).toString('hex')).waitFor()
      expect(await first.getByRole('button', { name: 'Remove' }).count()).toBe(0)
      const second = cardOf(page, 'Further identity 1')
      await second.getByText('Expires soon').waitFor()
      expect(await second.locator('time').last().getAttribute('datetime')).toMatch(/T.*Z$/)
      expect(await second.locator('.notice').count()).toBe(0)
      expect(await cardOf(page, 'Further identity 2').locator('.notice').count()).toBe(1)
      expect(await first.locator('.notice').count()).toBe(0)
      await page.getByText('Add an identity').first().click()
      await page.getByText('Replace: Further identity 1').first().click()
      await first.scrollIntoViewIfNeeded()
      await checkConsole(page, `console-identities-${device}`)
    },
  )

  it('can be added while the other identities keep their keys, and errors of the API are shown at their fields', async () => {
    const rp = await partyWith(apple)
    const page = await open(rp)
    await page.getByText('Add an identity').first().click()
    const form = page.getByRole('form', { name: 'Add an identity' })
    const { chain, key } = fieldsOf(form)
    await chain.fill(other.pem)
    await save(form)
    await hasError(key, 'no stored certificate of verifier equals the first certificate')
    expect(await chain.getAttribute('aria-invalid')).toBeNull()
    await key.fill('{"kty":')
    await save(form)
    await hasError(key, 'must be an object')
    await key.fill(keyTextOf(google))
    await save(form)
    await hasError(chain, 'must begin with the certificate of signing_jwk')
    await chain.fill(own.pem)
    await key.fill(keyTextOf(own))
    await save(form)
    await hasError(chain, 'must begin with another certificate than verifier')
    await form.scrollIntoViewIfNeeded()
    await checkConsole(page, 'console-identities-wrong-desktop')
    await chain.fill(other.pem)
    await key.fill(keyTextOf(other))
    await save(form)
    await cardOf(page, 'Further identity 2').locator('dd').getByText('img src=x').waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect([await chain.inputValue(), await key.inputValue()]).toEqual(['', ''])
    expect(await signersOf(rp)).toEqual(x5c(own, apple, other))
    await chain.fill(google.pem)
    await key.fill(keyTextOf(google))
    await save(form)
    await page.getByText('There are 3 further identities, which is the limit.').waitFor()
    expect(await page.getByText('Add an identity').count()).toBe(0)
    expect(await signersOf(rp)).toEqual(x5c(own, apple, other, google))
  })

  it('can be removed, or replaced by a longer chain of the same key or by a chain with a new key', async () => {
    const rp = await partyWith(apple, google)
    const page = await open(rp)
    const longer = await openForm(page, 'Further identity 1')
    const { chain, key } = fieldsOf(longer)
    await chain.fill(apple.pem + issuer.pem)
    await save(longer)
    await expect
      .poll(async () => (await settingsOf(rp)).further[0]?.certificate_chain_pem)
      .toBe((apple.pem + issuer.pem).trim())
    expect(await signersOf(rp)).toEqual(x5c(own, apple, google))
    await expect.poll(() => key.count()).toBe(0) // the card of the new chain is closed
    const rotated = await openForm(page, 'Further identity 1')
    await fieldsOf(rotated).chain.fill(next.pem)
    await save(rotated)
    await hasError(fieldsOf(rotated).key, 'no stored certificate of verifier equals the first certificate')
    await fieldsOf(rotated).key.fill(keyTextOf(next))
    await save(rotated)
    await cardOf(page, 'Further identity 1').locator('dd').getByText('CN=Apple 2027').waitFor()
    expect(await signersOf(rp)).toEqual(x5c(own, next, google))
    const first = await openForm(page, 'Own identity')
    await fieldsOf(first).chain.fill(other.pem)
    await fieldsOf(first).key.fill(keyTextOf(other))
    await save(first)
    await cardOf(page, 'Own identity').locator('dd').getByText('img src=x').waitFor()
    expect(await signersOf(rp)).toEqual(x5c(other, next, google))
    const remove = cardOf(page, 'Further identity 1').getByRole('button', { name: 'Remove' })
    await remove.click()
    await page.getByRole('dialog').getByText('Remove CN=Apple 2027,O=Corner Wine Shop?').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'No' }).click()
    await confirmed(page, remove)
    await expect.poll(() => page.getByText('Further identity 2').count()).toBe(0)
    expect(await signersOf(rp)).toEqual(x5c(other, google))
  })

  it('say that a new first certificate removes root_certificate_pem, and such a change then removes this member', async () => {
    const rp = await relyingPartyOf(stage, {
      verifier: {
        ...identityOf(own),
        root_certificate_pem: root.pem,
        further: [apple, google].map(identityOf),
      },
    })
    const page = await open(rp)
    const hint = 'A new first certificate removes attestation_jwt and root_certificate_pem'
    const form = await openForm(page, 'Own identity')
    await form.getByText(hint).waitFor()
    expect(await (await openForm(page, 'Further identity 1')).getByText(hint).count()).toBe(0)
    await fieldsOf(form).chain.fill(other.pem)
    await fieldsOf(form).key.fill(keyTextOf(other))
    await save(form)
    await cardOf(page, 'Own identity').locator('dd').getByText('img src=x').waitFor()
    expect(await settingsOf(rp)).toMatchObject({ root_certificate_pem: null })
    await (await openForm(page, 'Own identity')).getByRole('button', { name: 'Save' }).waitFor()
    expect(await page.getByText(hint).count()).toBe(0)
  })

  it('are neither replaced nor removed if they were changed elsewhere after the page was loaded', async () => {
    const rp = await partyWith(apple, google)
    const page = await open(rp)
    const verifier = { ...identityOf(own), further: [identityOf(google)] }
    await expectStatus(await rp.call('PATCH', '/v1/relying_party', { body: { verifier } }), 200)
    await confirmed(page, cardOf(page, 'Further identity 1').getByRole('button', { name: 'Remove' }))
    await page.getByText('This identity was changed meanwhile. Load the page again.').first().waitFor()
    const form = await openForm(page, 'Further identity 1')
    await fieldsOf(form).chain.fill(next.pem)
    await fieldsOf(form).key.fill(keyTextOf(next))
    await save(form)
    await form.getByText('This identity was changed meanwhile. Load the page again.').waitFor()
    expect(await signersOf(rp)).toEqual(x5c(own, google))
  })

  it('can be added by the operator to a relying party without identities: first the own identity, then a further identity', async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP] })
    const { page } = await stage.visitor({ ...DEVICES.desktop, reducedMotion: 'reduce' })
    await openPlace(page, stage.service.server.adminToken, 'operator')
    await page.goto(`${new URL(page.url()).origin}/console#/operator/${rp.relying_party_id}`)
    await page.getByText('There is no identity of your own.').waitFor()
    await page.getByText('Add an identity').first().click()
    const form = page.getByRole('form', { name: 'Add an identity' })
    const { chain, key } = fieldsOf(form)
    await save(form)
    await hasError(chain, 'must be 1 to 5 PEM certificates')
    for (const [leaf, name] of [
      [own, 'Own identity'],
      [apple, 'Further identity 1'],
    ] as const) {
      await chain.fill(leaf === apple ? apple.pem + issuer.pem : leaf.pem)
      await key.fill(keyTextOf(leaf))
      await save(form)
      await cardOf(page, name).waitFor()
    }
    expect(await signersOf(rp)).toEqual(x5c(own, apple))
  })
})

type Shown = { readonly further: readonly { readonly certificate_chain_pem: string }[] }

async function settingsOf(rp: RelyingParty): Promise<Shown> {
  const shown = await expectStatus(await rp.call('GET', '/v1/relying_party'), 200)
  return (shown as { readonly verifier: Shown }).verifier
}

const keyTextOf = (leaf: Leaf) => JSON.stringify(identityOf(leaf).signing_jwk)

const cardOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

const fieldsOf = (form: Locator) => ({
  chain: form.getByLabel('Certificate chain (PEM)'),
  key: form.getByLabel('Private key (JWK)'),
})

const save = (form: Locator) => form.getByRole('button', { name: 'Save' }).click()

/** Opens the form that replaces an identity. */
async function openForm(page: Page, name: string): Promise<Locator> {
  const card = cardOf(page, name)
  await card.getByText(`Replace: ${name}`).click()
  return card.getByRole('form')
}

/** Waits until a field has an error with this text. */
async function hasError(field: Locator, text: string): Promise<void> {
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
  const errors = (await field.getAttribute('aria-describedby'))?.split(' ').at(-1)
  await expect.poll(() => field.page().locator(`[id="${errors}"]`).innerText()).toContain(text)
}
