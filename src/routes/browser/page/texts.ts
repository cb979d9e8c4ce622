// Texts of our pages for people: reads them, and fills in values. Each language has one JSON file below
// assets/texts.

import type english from '../../../../assets/texts/en.json'
import { logLine } from '../../../metrics/log-line.ts'
import type { Language } from '../../../session/views/page-language.ts'
import { type AssetSource, readOnce } from '../../edge/cloudflare.ts'

type English = typeof english

/** Tables of texts that are looked up by a name from a request or from settings. */
type Vocabulary = 'transactionTypes' | 'transactionDetails' | 'types' | 'scopes'

/** The texts of one language: the members of the English file. */
export type Texts = Readonly<Translation<Omit<English, Vocabulary>>> &
  Readonly<Record<Vocabulary, Readonly<Record<string, string>>>>

/** A member with `one` and `other` is a text about a number. A language may have more plural forms. */
type Translation<Member> = Member extends { readonly one: string; readonly other: string }
  ? CountedText
  : { [Name in keyof Member]: Translation<Member[Name]> }

/** Forms of a text by the plural category of its number (`Intl.PluralRules`). */
export type CountedText = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & {
  readonly other: string
}

/** State of a session as the page shows it. `gone`: the session is erased. */
export type PageState = keyof English['states']

/**
 * Returns the texts of a language. Returns the English texts if the language's file is unavailable or lacks a
 * text, so that a page is in one language. Throws if the English texts are unavailable, too.
 */
export async function textsIn(assets: AssetSource, language: Language): Promise<Texts> {
  const english = await readOnce(assets, ENGLISH, async (text) => JSON.parse(text) as English)
  if (language === 'en') return english
  try {
    return await readOnce(assets, `texts/${language}.json`, async (text) => {
      const texts: unknown = JSON.parse(text)
      if (!isComplete(english, texts)) throw new TypeError('a text is missing')
      return texts as Texts
    })
  } catch (error) {
    logLine('warn', 'texts_unavailable', { language, error: error instanceof Error ? error.name : '' })
    return english
  }
}

/** Path of the English texts. The file is part of this service, so its content is not validated. */
const ENGLISH = 'texts/en.json'

/** Returns true if the texts have every member of the English texts. */
function isComplete(english: unknown, texts: unknown): boolean {
  if (typeof english !== 'object' || english === null) return typeof texts === typeof english
  return Object.entries(english).every(([name, member]) =>
    isComplete(member, (texts as Readonly<Record<string, unknown>> | undefined)?.[name]),
  )
}

/** Replaces the placeholders of a text, such as `{name}`. Leaves a placeholder without a value as it is. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(
    /\{(\w+)\}/g,
    (placeholder, key: string) => (Object.hasOwn(values, key) ? values[key] : placeholder) ?? placeholder,
  )
}

/**
 * Returns a text about a number, in the plural form that the language has for this number. The number
 * replaces the placeholder.
 *
 * @example fillCount(texts.ageScope, 'age', 21, texts)
 */
export function fillCount(
  forms: CountedText,
  placeholder: string,
  count: number,
  { language }: Texts,
): string {
  const form = forms[new Intl.PluralRules(language).select(count)] ?? forms.other
  return fill(form, { [placeholder]: new Intl.NumberFormat(language).format(count) })
}

/** Removes characters that change the direction of the text around them (UAX #9 §2). */
export function withoutDirections(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
}

/** Isolates a text, so that its writing direction does not reorder the words around it (U+2068, U+2069). */
export function isolate(text: string): string {
  return `\u2068${withoutDirections(text)}\u2069`
}
