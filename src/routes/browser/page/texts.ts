// Every text that a person reads on our pages. Each language has one JSON file below assets/texts.

import type english from '../../../../assets/texts/en.json'
import { logLine } from '../../../metrics/log-line.ts'
import type { Language } from '../../../session/views/page-language.ts'
import { type AssetSource, readOnce } from '../../edge/cloudflare.ts'

type English = typeof english

/** Tables of texts that are looked up by a name from a request or from settings. */
type Vocabulary = 'transactionTypes' | 'transactionDetails' | 'types' | 'scopes'

/** The texts of one language: the members of the English file. */
export type Texts = Readonly<Omit<English, Vocabulary>> &
  Readonly<Record<Vocabulary, Readonly<Record<string, string>>>>

/** State of a session as the page shows it. `gone`: the session is erased. */
export type PageState = keyof English['states']

/**
 * Returns the texts of a language, or the English texts if the language's file is unavailable. Throws if the
 * English texts are unavailable, too.
 */
export async function textsIn(assets: AssetSource, language: Language): Promise<Texts> {
  if (language === 'en') return readOnce(assets, ENGLISH, async (text) => JSON.parse(text) as English)
  try {
    return await readOnce(assets, `texts/${language}.json`, async (text) =>
      translate(await textsIn(assets, 'en'), JSON.parse(text)),
    )
  } catch (error) {
    logLine('warn', 'texts_unavailable', { language, error: error instanceof Error ? error.name : '' })
    return textsIn(assets, 'en')
  }
}

/** Path of the English texts. The file is part of this service, so its content is not validated. */
const ENGLISH = 'texts/en.json'

/**
 * Returns the members of the English texts, with the texts of the other language. A member that the other
 * language does not have stays English.
 */
function translate<T>(original: T, other: unknown): T {
  if (typeof original === 'string') return (typeof other === 'string' ? other : original) as T
  const members = Object.entries(original as object).map(([name, member]) => [
    name,
    translate(member, (other as Readonly<Record<string, unknown>> | null)?.[name]),
  ])
  return Object.fromEntries(members) as T
}

/** Replaces the placeholders of a text, such as `{name}`. Leaves a placeholder without a value as it is. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(
    /\{(\w+)\}/g,
    (placeholder, key: string) => (Object.hasOwn(values, key) ? values[key] : placeholder) ?? placeholder,
  )
}

/** Removes characters that change the direction of the text around them (UAX #9 §2). */
export function withoutDirections(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
}

/** Isolates a text, so that its writing direction does not reorder the words around it (U+2068, U+2069). */
export function isolate(text: string): string {
  return `\u2068${withoutDirections(text)}\u2069`
}
