// Which language a page speaks: the session's `locale` says, else the person's browser does, else English is spoken.

/** Primary subtags (BCP 47 §2.2.1) of the languages there are texts in. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const
export type Language = (typeof LANGUAGES)[number]

/** `acceptLanguage`: the header (RFC 9110 §12.5.4). A region is nobody's own language here: `de-AT` is spoken to in German. */
export function chooseLanguage(locale: string | null, acceptLanguage = ''): Language {
  const wished = acceptLanguage
    .slice(0, HEADER_CHARACTERS)
    .split(',')
    .map(readWish)
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
  const spoken = [locale ?? '', ...wished].map(languageOf).find((language) => language !== undefined)
  return spoken ?? 'en'
}

/** Of a longer header the rest is not read: what a person likes best stands first. */
const HEADER_CHARACTERS = 500

/** `de-CH;q=0.8`. What is malformed weighs nothing. */
function readWish(wish: string): { readonly tag: string; readonly weight: number } {
  const [, tag = '', weight = '1'] =
    /^\s*([A-Za-z0-9-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(wish) ?? []
  return { tag, weight: tag === '' ? 0 : Number(weight) }
}

function languageOf(tag: string): Language | undefined {
  const primary = tag.split('-')[0]?.toLowerCase()
  return LANGUAGES.find((language) => language === primary)
}
