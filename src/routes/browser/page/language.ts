// The language of a page: the session's `locale`, else the browser's preference, else English.

import { findPageLanguage, type Language } from '../../../session/views/page-language.ts'

/**
 * Returns the language of the page. `acceptLanguage`: the header (RFC 9110 §12.5.4). Regions are ignored:
 * `de-AT` gets German.
 */
export function chooseLanguage(locale: string | null, acceptLanguage = ''): Language {
  const preferred = acceptLanguage
    .slice(0, HEADER_CHARACTERS)
    .split(',')
    .map(parsePreference)
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
  return [locale, ...preferred].map(findPageLanguage).find((language) => language !== null) ?? 'en'
}

/**
 * Number of characters of the header that are read. Browsers send the preferred languages first, so the rest
 * may be ignored.
 */
const HEADER_CHARACTERS = 500

/** Parses one preference, such as `de-CH;q=0.8`. A malformed preference has the weight 0. */
function parsePreference(text: string): { readonly tag: string; readonly weight: number } {
  const [, tag = '', weight = '1'] =
    /^\s*([A-Za-z0-9-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(text) ?? []
  return { tag, weight: tag === '' ? 0 : Number(weight) }
}

/**
 * Returns the locale for numbers and dates: the session's locale if it has the page's language, else the
 * page's language.
 */
export function chooseLocale(language: string, locale: string | null): string {
  return locale !== null && findPageLanguage(locale) === language && isLocale(locale) ? locale : language
}

/**
 * Returns the HTML attributes of a text that the relying party wrote: its language and its writing direction.
 */
export function ownTextAttributes(locale: string | null): { readonly lang: string; readonly dir: Direction } {
  if (locale === null || !isLocale(locale)) return { lang: '', dir: 'auto' } // unknown (HTML §3.2.6.1)
  return { lang: locale, dir: readDirection(locale) }
}

type Direction = 'auto' | 'ltr' | 'rtl'

/** Returns the writing direction of a language. `language`: a well-formed tag. */
export function readDirection(language: string): Direction {
  const { script = '' } = new Intl.Locale(language).maximize()
  return RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr'
}

/** Scripts (ISO 15924) that are written from right to left. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set([
  ...['Adlm', 'Arab', 'Aran', 'Hebr', 'Mand', 'Mend', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi'],
])

/**
 * Returns true if the tag is well-formed. The schema of `locale` also accepts other tags, which `Intl`
 * rejects.
 */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
