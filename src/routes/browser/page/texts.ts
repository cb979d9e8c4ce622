// Every word that a person reads on our pages, as data: English here, each further language one more file of the same members
// below assets/texts. `{name}` stands for the relying party, `{types}` for credentials, `{thing}` for what is shown, `{purpose}`
// for why, `{age}` and `{time}` for figures.

import english from './english.json' with { type: 'json' }
import type { Language } from './language.ts'

/** What a page can show: a session's state in a person's terms, or that there is none (any more). */
export const PAGE_STATES = [
  'waiting',
  'scanned',
  'returning',
  'verified',
  'rejected',
  'declined',
  'expired',
  'canceled',
  'gone',
] as const
export type PageState = (typeof PAGE_STATES)[number]

/** One state in words: what it is, and what to do now. */
export type StateText = { readonly title: string; readonly text: string }

export type Texts = {
  /** BCP 47. */
  readonly language: string
  readonly asks: string
  /** The same once it is over. */
  readonly asked: string
  readonly testMode: string
  /** Names the credentials: a list joined by the language's own "or", or "and". */
  readonly from: string
  /** The same for credentials that may be left out. */
  readonly fromOptional: string
  /** A thing that may be left out. */
  readonly optional: string
  /** Before the purpose, in the relying party's own words. */
  readonly why: string
  readonly consent: string
  readonly steps: Readonly<Record<'open' | 'confirm' | 'done', string>>
  /** In place of `states.waiting` on a phone, where the link comes before the QR. */
  readonly onPhone: StateText
  /** Above the QR, where another way stands before it. */
  readonly orScan: string
  readonly qrAlt: string
  /** What happens before the camera of a phone without its wallet app. */
  readonly camera: string
  readonly timeLeft: string
  readonly connectionLost: string
  readonly withoutScript: string
  readonly reload: string
  /** Of a session that demands a link, in place of what they say about the QR. */
  readonly linkStates: Readonly<Record<'waiting' | 'scanned', StateText>>
  readonly openWallet: string
  readonly openNow: string
  readonly testWallet: string
  readonly linkOpened: string
  readonly linkFailed: string
  /** In a frame. */
  readonly linkElsewhere: string
  readonly openBrowserWallet: string
  readonly browserWalletClosed: string
  readonly browserWalletSent: string
  readonly back: string
  /** Of the page that a wallet sends people back to, while and after it brings the response code. */
  readonly returning: Readonly<
    Record<'finishing' | 'interrupted' | 'otherBrowser' | 'invalidCode', StateText>
  >
  readonly tryAgain: string
  readonly states: Readonly<Record<PageState, StateText>>
  readonly notFound: StateText
  readonly unavailable: StateText
  readonly returned: StateText
  /** `age_over_NN`. */
  readonly ageScope: string
  /** In front of what is to be confirmed, if any. */
  readonly confirms: string
  readonly yes: string
  readonly no: string
  /** What is confirmed, by type of transaction data. */
  readonly transactionTypes: Readonly<Record<string, string>>
  /** Its details, by the names on the way to them. */
  readonly transactionDetails: Readonly<Record<string, string>>
  readonly types: Readonly<Record<string, string>>
  readonly scopes: Readonly<Record<string, string>>
}

export const ENGLISH: Texts = english

/** The texts of a language; English where its file cannot be read now. */
export async function textsIn(assets: Pick<Fetcher, 'fetch'>, language: Language): Promise<Texts> {
  if (language === 'en') return ENGLISH
  const texts = read.get(language) ?? (await readTexts(assets, language))
  if (texts === undefined) return ENGLISH
  read.set(language, texts)
  return texts
}

/** By isolate: the files change with the deployment only. */
const read = new Map<Language, Texts>()

async function readTexts(assets: Pick<Fetcher, 'fetch'>, language: Language): Promise<Texts | undefined> {
  try {
    const file = await assets.fetch(`https://assets/texts/${language}.json`)
    return file.ok ? translate(ENGLISH, await file.json()) : undefined
  } catch (fault) {
    console.error(`texts in ${language} cannot be read: ${fault}`)
    return undefined
  }
}

/** Takes the members of English from the other: what is missing there is no hole in a page. */
function translate<T>(original: T, other: unknown): T {
  if (typeof original === 'string') return (typeof other === 'string' ? other : original) as T
  const members = Object.entries(original as object).map(([name, member]) => [
    name,
    translate(member, (other as Readonly<Record<string, unknown>> | null)?.[name]),
  ])
  return Object.fromEntries(members) as T
}

/** Puts values in the places of a text. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(
    /\{(\w+)\}/g,
    (place, key: string) => (Object.hasOwn(values, key) ? values[key] : place) ?? place,
  )
}
