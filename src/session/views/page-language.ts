// The languages of the pages for people, and the language that a tag leads to. A tag without a translation
// falls back along its own subtags (RFC 4647 §3.4): `de-AT` leads to German, `nl` to none.

/** Languages of the files in assets/texts. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const
export type Language = (typeof LANGUAGES)[number]

/** Returns the language for a tag (BCP 47), or null if it has no translation. */
export function findPageLanguage(tag: string | null): Language | null {
  const primary = tag?.split('-')[0]?.toLowerCase()
  return LANGUAGES.find((language) => language === primary) ?? null
}
