// The language of a page: the session's `locale`, else the browser's preference, else English.

/** Primary subtags (BCP 47 §2.2.1) of the languages in assets/texts. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const
export type Language = (typeof LANGUAGES)[number]

/** `acceptLanguage`: the header (RFC 9110 §12.5.4). Regions do not count: `de-AT` gets German. */
export function chooseLanguage(locale: string | null, acceptLanguage = ''): Language {
  const preferred = acceptLanguage
    .slice(0, HEADER_CHARACTERS)
    .split(',')
    .map(parsePreference)
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
  return [locale ?? '', ...preferred].map(languageOf).find((language) => language !== undefined) ?? 'en'
}

/** Limit of the header. Preferences come first in it, so the rest may be ignored. */
const HEADER_CHARACTERS = 500

/** Parses `de-CH;q=0.8`. A malformed preference has the weight 0. */
function parsePreference(text: string): { readonly tag: string; readonly weight: number } {
  const [, tag = '', weight = '1'] =
    /^\s*([A-Za-z0-9-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(text) ?? []
  return { tag, weight: tag === '' ? 0 : Number(weight) }
}

function languageOf(tag: string): Language | undefined {
  const primary = tag.split('-')[0]?.toLowerCase()
  return LANGUAGES.find((language) => language === primary)
}
