// The wallets on the session page that can answer this request, by country and platform. A person can choose
// a wallet, or find where to get a wallet. To choose, the person opens this page again by a link that names
// the wallet. The service does not store the choice.

import { html } from 'hono/html'
import { ISO_MDOC } from '../../../openid4vp/dc-api.ts'
import type { OfferedWallet, PageView } from '../../../session/views/page-view.ts'
import { walletProfile } from '../../../wallets/profiles/index.ts'
import type { WalletProfile } from '../../../wallets/profiles/profile.ts'
import type { Markup } from './document.ts'
import { fill, type Texts } from './texts.ts'

/** Input for the list of wallets, from which a person can choose a wallet. */
export type WalletsInput = {
  readonly view: PageView
  /** Wallets that can answer the request, and wallets for which this is not known (`isKnown` false). */
  readonly wallets: readonly OfferedWallet[]
  readonly token: string
  /** Wallet in the address of the page: an id, `any`, or null. */
  readonly named: string | null
  readonly device: PersonDevice
}

/** The person's device. `platform` null: unknown, or a computer. `country` null: unknown. */
type PersonDevice = {
  readonly platform: 'ios' | 'android' | null
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
}

/** Returns the person's device, by the headers of the browser. `locale`: the locale of the session. */
export function parseDevice(
  userAgent: string | undefined,
  acceptLanguage: string | undefined,
  locale: string | null,
): PersonDevice {
  const [, mobile = ''] = /(iPhone|iPad|Android)/.exec(userAgent ?? '') ?? []
  const platform = mobile === '' ? null : mobile === 'Android' ? 'android' : 'ios'
  const regions = [acceptLanguage ?? '', locale ?? ''].map((tags) => /-([A-Z]{2})\b/.exec(tags)?.[1])
  return { platform, country: regions.find((region) => region !== undefined) ?? null }
}

/** Returns the profile of the chosen wallet; `undefined` if no wallet is chosen. */
export function chosenProfile({ view }: Pick<WalletsInput, 'view'>): WalletProfile | undefined {
  return view.wallet === null ? undefined : walletProfile(view.wallet)
}

/** Shows the name of the chosen wallet, links to install it, and the link back to any wallet. */
export function chosenMarkup(texts: Texts, input: WalletsInput): Markup | '' {
  const profile = chosenProfile(input)
  if (profile === undefined) return ''
  const wallet = profile.name
  const isKnown = input.wallets.find(({ id }) => id === profile.id)?.isKnown ?? true
  return html`<div class="chosen">
<p><b>${fill(texts.wallets.chosen, { wallet })}</b></p>
<p><a href="${buildAddress(input, 'any')}">${texts.wallets.other}</a></p>
${isKnown ? '' : html`<p class="soft">${texts.wallets.untestedLong}</p>`}
${listStores(profile, input).length === 0 ? '' : html`<p class="soft">${fill(texts.wallets.install, { wallet })} ${storeLinks(texts, input, profile)}</p>`}
</div>`
}

type Store = keyof WalletProfile['install']

/** Shows the list of wallets. It is closed at first, because the buttons above it need no chosen wallet. */
export function walletsMarkup(texts: Texts, input: WalletsInput): Markup | '' {
  const offered = usableWallets(input).filter(({ id }) => id !== input.view.wallet)
  const { which, hint } = texts.wallets
  return listMarkup(texts, input, { id: 'wallets', title: which, hint, offered }, (one, names) =>
    entry(texts, input, one, names),
  )
}

/**
 * Shows links to the stores of this device for each wallet that can answer. This list is closed at first. It
 * is absent if a wallet is chosen, because `chosenMarkup` then shows the links of that wallet.
 */
export function noWalletMarkup(texts: Texts, input: WalletsInput): Markup | '' {
  const { none, get } = texts.wallets
  const offered = usableWallets(input).filter(
    ({ isKnown, profile }) => isKnown && listStores(profile, input).length > 0,
  )
  if (input.view.wallet !== null) return ''
  return listMarkup(texts, input, { id: 'no-wallet', title: none, hint: get, offered }, (one, names) => {
    const { name, countries } = one.profile
    const where = names === undefined ? '' : html` <small>${countryNames(countries, names)}</small>`
    return html`<li${needsApi(one)}><bdi>${name}</bdi>${where}<br>${storeLinks(texts, input, one.profile)}</li>`
  })
}

/** Returns the offered wallets that the page shows on this device. */
function usableWallets(input: WalletsInput): readonly Entry[] {
  return input.wallets.flatMap((wallet) => {
    const profile = walletProfile(wallet.id)
    return profile !== undefined && canUse(profile, input) ? [{ ...wallet, profile }] : []
  })
}

type List = {
  readonly id: string
  readonly title: string
  readonly hint: string
  readonly offered: readonly Entry[]
}

/**
 * Shows a list of wallets in groups: wallets of the person's country, wallets of all countries, wallets of
 * other countries. Only a wallet of another country is shown with the names of its countries (`names`).
 */
function listMarkup(
  texts: Texts,
  { device: { country } }: WalletsInput,
  { id, title, hint, offered }: List,
  item: (one: Entry, names: Intl.DisplayNames | undefined) => Markup,
): Markup | '' {
  if (offered.length === 0) return ''
  const names = new Intl.DisplayNames([texts.language], { type: 'region' })
  const here = offered.filter(({ profile }) => country !== null && profile.countries.includes(country))
  const everywhere = offered.filter(({ profile }) => profile.countries.length === 0)
  const elsewhere = offered.filter((one) => !here.includes(one) && !everywhere.includes(one))
  const groups = [
    { title: country === null ? '' : (names.of(country) ?? country), wallets: here },
    { title: texts.wallets.everywhere, wallets: everywhere },
    { title: texts.wallets.elsewhere, wallets: elsewhere },
  ]
  return html`<details id="${id}">
<summary>${title}</summary>
<p class="soft">${hint}</p>
${groups
  .filter(({ wallets }) => wallets.length > 0)
  .map(
    ({ title, wallets }, i) => html`<h3 id="${id}-${i}">${title}</h3>
<ul aria-labelledby="${id}-${i}">${wallets.map((one) => item(one, wallets === elsewhere ? names : undefined))}</ul>`,
  )}
</details>`
}

/**
 * Returns true if an iPhone app can answer through the browser, by `org-iso-mdoc`. Also returns true if a
 * wallet is chosen, or if the wallets are not known. Also returns true if the page offers neither a link nor
 * a QR code.
 */
export function answersOnIphone(
  { view, wallets }: Pick<WalletsInput, 'view' | 'wallets'>,
  mayLower: boolean,
): boolean {
  if (!mayLower || !view.offers_redirect || view.wallet !== null) return true
  const iphone = { platform: 'ios', country: null } as const
  return wallets.some(({ id, exchanges }) => {
    const profile = walletProfile(id)
    return profile && exchanges.includes(ISO_MDOC) && canUse(profile, { view, device: iphone })
  })
}

type Entry = OfferedWallet & { readonly profile: WalletProfile }

/**
 * Returns the entry of one wallet. If the wallet has no link, the entry is hidden at first. A script shows
 * the entry if the browser's Digital Credentials API supports one of the wallet's protocols.
 */
function entry(texts: Texts, input: WalletsInput, one: Entry, names: Intl.DisplayNames | undefined): Markup {
  const { id, name, countries } = one.profile
  const notes = [
    ...(names === undefined ? [] : [countryNames(countries, names)]),
    ...(one.isKnown ? [] : [texts.wallets.untested]),
  ].filter((note) => note !== '')
  return html`<li${needsApi(one)}><a href="${buildAddress(input, id)}"><bdi>${name}</bdi></a>${notes.map((note) => html` <small>${note}</small>`)}</li>`
}

/**
 * Returns attributes that hide the entry of a wallet without a link. A script shows the entry if the
 * browser's Digital Credentials API supports one of the protocols (`exchanges`).
 */
function needsApi({ hasLink, exchanges }: Entry): Markup | '' {
  return hasLink ? '' : html` data-exchanges="${exchanges.join(' ')}" hidden`
}

function countryNames(countries: readonly string[], names: Intl.DisplayNames): string {
  return countries.map((code) => names.of(code) ?? code).join(', ')
}

/** Returns the links to install a wallet on this device, with the name of the store. */
function storeLinks(texts: Texts, input: Pick<WalletsInput, 'device'>, profile: WalletProfile) {
  return listStores(profile, input).map(
    ([on, address], i) =>
      html`${i === 0 ? '' : ' · '}<a href="${address}" target="_blank" rel="noopener">${texts.wallets.stores[on]}</a>`,
  )
}

function listStores({ install }: WalletProfile, { device }: Pick<WalletsInput, 'device'>) {
  const stores = Object.entries(install) as [Store, string][] // the members of the schema
  return stores.filter(([on]) => isFor(device, on))
}

/** Returns the address of this page for another wallet. */
function buildAddress({ token }: WalletsInput, wallet: string): string {
  return `?${new URLSearchParams({ token, wallet })}`
}

/**
 * Returns true if the page offers this wallet on this device. In live mode, wallets for tests are not
 * offered.
 */
function canUse(
  { platforms, status }: WalletProfile,
  { device, view }: Pick<WalletsInput, 'device' | 'view'>,
): boolean {
  return (status !== 'test' || !view.livemode) && platforms.some((platform) => isFor(device, platform))
}

function isFor({ platform }: PersonDevice, other: string): boolean {
  return platform === null || other === platform || other === 'web'
}
