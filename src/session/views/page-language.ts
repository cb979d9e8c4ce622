// Languages of the pages for people, and the choice of the language for a tag. No language has a file for a
// region or a script, so a lookup (RFC 4647 §3.4) ends at the first subtag: `pt-BR` gives Portuguese. A tag
// gives no language if its language has no file. For example, `nb` does not give Danish.

/** Languages of the files in assets/texts: the official languages of the European Union. */
export const LANGUAGES = [
  ...(['en', 'de', 'fr', 'es', 'it', 'bg', 'cs', 'da', 'el', 'et', 'fi', 'ga'] as const),
  ...(['hr', 'hu', 'lt', 'lv', 'mt', 'nl', 'pl', 'pt', 'ro', 'sk', 'sl', 'sv'] as const),
] as const
export type Language = (typeof LANGUAGES)[number]

/** Returns the language for a tag (BCP 47); null if there is no tag, or no translation. */
export function findPageLanguage(tag: string | null): Language | null {
  const primary = tag?.split('-')[0]?.toLowerCase()
  return LANGUAGES.find((language) => language === primary) ?? null
}
