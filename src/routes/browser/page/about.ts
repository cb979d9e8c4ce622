// "About this request" on the session page: what the person should know before they share anything. Every
// line follows from the session or from the settings. A line is absent if its fact is not known.

import { html } from 'hono/html'
import { privacyNotice, type Settings } from '../../../relying-party/document/settings.ts'
import { registeredIdentifier } from '../../../relying-party/verifier/verifier-registration.ts'
import type { PageView } from '../../../session/views/page-view.ts'
import type { Markup } from './document.ts'
import { fill, isolate, type Texts } from './texts.ts'

/** Facts of the settings, as the page shows them. */
export type AboutSettings = {
  /** Address of the privacy notice; null if there is none. */
  readonly privacyNotice: string | null
  /** Registered identifier of the relying party; null without a valid registration certificate. */
  readonly registeredAs: string | null
  /** Days for which the relying party stores values, as it declares; null without this declaration. */
  readonly retentionDays: number | null
}

export type AboutInput = {
  readonly view: PageView
  /** The relying party's name. */
  readonly name: string
  readonly about: AboutSettings
}

/** Reads the facts in the settings. `use`: the intended use of the session. `now` in Unix milliseconds. */
export function aboutSettings(settings: Settings, now: number, use?: string): AboutSettings {
  const { verifier } = settings
  return {
    privacyNotice: privacyNotice(settings),
    retentionDays: settings.values_retention_days ?? null,
    registeredAs: verifier === null ? null : (registeredIdentifier(verifier, use, now) ?? null),
  }
}

/** Returns the lines in a `details` element, which is closed at first. */
export function aboutMarkup(texts: Texts, input: AboutInput): Markup {
  const { about } = texts
  const name = isolate(input.name)
  const notice = input.about.privacyNotice
  return html`<details id="about">
<summary>${about.title}</summary>
${aboutLines(texts, input, name).map((line) => html`<p class="soft">${line}</p>`)}
${notice === null ? '' : html`<p class="soft"><a href="${notice}" target="_blank" rel="noopener">${fill(about.privacyNotice, { name })}</a></p>`}
</details>`
}

function aboutLines(texts: Texts, { view, about: facts }: AboutInput, name: string): readonly string[] {
  const { about } = texts
  const time = durationWords(view.retention_ms, texts)
  const registration = view.sends_registration ? facts.registeredAs : null
  // The page of a login has neither the first two lines below nor the line about retention. It shows the
  // return address elsewhere. The client of the login gets the values, not the relying party.
  const isOfLogin = view.login !== null
  const isRetained = view.requested_claims.items.some(({ retained }) => retained)
  const storesValues = !isOfLogin && view.gives_values && !view.states_no_storage
  const hosts = new Set(Object.values(view.return_addresses ?? {}).map(readHost))
  const lines: readonly (string | false | null)[] = [
    ...(isOfLogin ? [] : [...hosts].map((host) => fill(about.returnTo, { host }))),
    !isOfLogin && fill(view.gives_values ? about.values : about.yesOrNo, { name }),
    fill(view.keeps_values ? about.storedEncrypted : about.notStored, { time }),
    isRetained && fill(about.retained, { name }),
    view.keeps_evidence && fill(about.evidence, { name }),
    view.states_no_storage && view.gives_values && fill(about.notRetained, { name }),
    storesValues &&
      facts.retentionDays !== null &&
      fill(about.retention, { name, time: durationWords(facts.retentionDays * 24 * HOUR_MS, texts) }),
    registration && fill(about.registration, { name, identifier: isolate(registration) }),
  ]
  return lines.filter((line) => typeof line === 'string')
}

function readHost(address: string): string {
  return isolate(new URL(address).host)
}

const HOUR_MS = 3_600_000

/** Returns a time in whole days or whole hours if that is exact, else in minutes, rounded up. */
function durationWords(milliseconds: number, { language }: Texts): string {
  const units = [
    ['day', 24 * HOUR_MS],
    ['hour', HOUR_MS],
  ] as const
  const [unit, length] = units.find(([, one]) => milliseconds % one === 0) ?? ['minute', 60_000]
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(language, style).format(Math.ceil(milliseconds / length))
}
