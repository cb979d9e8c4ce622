// Languages of the pages for people, and the choice of the language for a tag. The first subtag decides (RFC
// 4647 §3.4): `de-AT` gives German. `nl` gives no language.

/** Languages of the files in assets/texts. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const
export type Language = (typeof LANGUAGES)[number]

/** Returns the language for a tag (BCP 47); null if there is no tag, or no translation. */
export function findPageLanguage(tag: string | null): Language | null {
  const primary = tag?.split('-')[0]?.toLowerCase()
  return LANGUAGES.find((language) => language === primary) ?? null
}
