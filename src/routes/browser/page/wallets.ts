// The choice of a wallet on the session page: the wallets that can answer this request, by country and
// platform. A choice is a link to the same page. The service does not store it.

import { html } from 'hono/html'
import type { OfferedWallet, PageView } from '../../../session/views/page-view.ts'
import { walletProfile } from '../../../wallets/profiles/index.ts'
import type { WalletProfile } from '../../../wallets/profiles/profile.ts'
import type { Markup } from './document.ts'
import { fill, type Texts } from './texts.ts'

/** Input for the choice of a wallet. */
export type WalletsInput = {
  readonly view: PageView
  /** Wallets that can answer, or may be able to. */
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

/** Returns the profile of the chosen wallet; `undefined` for any wallet. */
export function chosenProfile({ view }: Pick<WalletsInput, 'view'>): WalletProfile | undefined {
  return view.wallet === null ? undefined : walletProfile(view.wallet)
}

/** Shows the name of the chosen wallet, links to install it, and the link back to any wallet. */
export function chosenMarkup(texts: Texts, input: WalletsInput): Markup | '' {
  const profile = chosenProfile(input)
  if (profile === undefined) return ''
  const wallet = profile.name
  const stores = Object.entries(profile.install).filter(([on]) => isFor(input.device, on))
  const isKnown = input.wallets.find(({ id }) => id === profile.id)?.isKnown ?? true
  return html`<div class="chosen">
<p><b>${fill(texts.wallets.chosen, { wallet })}</b></p>
<p><a href="${addressOf(input, 'any')}">${texts.wallets.other}</a></p>
${isKnown ? '' : html`<p class="soft">${texts.wallets.untestedLong}</p>`}
${stores.length === 0 ? '' : html`<p class="soft">${fill(texts.wallets.install, { wallet })} ${stores.map(([on, address], i) => html`${i === 0 ? '' : ' · '}<a href="${address}" target="_blank" rel="noopener">${texts.wallets.stores[on as Store]}</a>`)}</p>`}
</div>`
}

type Store = keyof WalletProfile['install']

/**
 * Shows the list of wallets. It is closed at first, because the ways that need no chosen wallet come first.
 */
export function walletsMarkup(texts: Texts, input: WalletsInput): Markup | '' {
  const offered = input.wallets.flatMap((wallet) => {
    const profile = walletProfile(wallet.id)
    const isOffered = profile !== undefined && wallet.id !== input.view.wallet && canUse(profile, input)
    return isOffered ? [{ ...wallet, profile }] : []
  })
  if (offered.length === 0) return ''
  const { country } = input.device
  const names = new Intl.DisplayNames([texts.language], { type: 'region' })
  const here = offered.filter(({ profile }) => country !== null && profile.countries.includes(country))
  const everywhere = offered.filter(({ profile }) => profile.countries.length === 0)
  const elsewhere = offered.filter((one) => !here.includes(one) && !everywhere.includes(one))
  const groups = [
    { title: country === null ? '' : (names.of(country) ?? country), wallets: here },
    { title: texts.wallets.everywhere, wallets: everywhere },
    { title: texts.wallets.elsewhere, wallets: elsewhere },
  ]
  return html`<details id="wallets">
<summary>${texts.wallets.which}</summary>
<p class="soft">${texts.wallets.hint}</p>
${groups
  .filter(({ wallets }) => wallets.length > 0)
  .map(
    ({ title, wallets }, i) => html`<h3 id="wallets-${i}">${title}</h3>
<ul aria-labelledby="wallets-${i}">${wallets.map((one) => entry(texts, input, one, wallets === elsewhere ? names : undefined))}</ul>`,
  )}
</details>`
}

type Entry = OfferedWallet & { readonly profile: WalletProfile }

/**
 * Returns the entry of one wallet. If only the browser's API reaches the wallet, the entry is hidden at
 * first. A script shows the entry if the browser supports one of the wallet's protocols.
 */
function entry(
  texts: Texts,
  input: WalletsInput,
  { profile, isKnown, hasLink, exchanges }: Entry,
  names: Intl.DisplayNames | undefined,
): Markup {
  const { id, name, countries } = profile
  const notes = [
    ...(names === undefined ? [] : [countries.map((code) => names.of(code) ?? code).join(', ')]),
    ...(isKnown ? [] : [texts.wallets.untested]),
  ].filter((note) => note !== '')
  const needs = hasLink ? '' : html` data-exchanges="${exchanges.join(' ')}" hidden`
  return html`<li${needs}><a href="${addressOf(input, id)}"><bdi>${name}</bdi></a>${notes.map((note) => html` <small>${note}</small>`)}</li>`
}

/** Returns the address of this page for another wallet. */
function addressOf({ token }: WalletsInput, wallet: string): string {
  return `?${new URLSearchParams({ token, wallet })}`
}

/**
 * Returns true if the page offers this wallet on this device. In live mode, wallets for tests are not
 * offered.
 */
function canUse({ platforms, status }: WalletProfile, { device, view }: WalletsInput): boolean {
  return (status !== 'test' || !view.livemode) && platforms.some((platform) => isFor(device, platform))
}

function isFor({ platform }: PersonDevice, other: string): boolean {
  return platform === null || other === platform || other === 'web'
}
