// Texts of the console in five languages. English is part of the script. Another language is read when it is
// chosen.

import english from './texts/en.json'

type Texts = Readonly<Record<string, string>>

export const LANGUAGES = ['en', 'de', 'es', 'fr', 'it'] as const
export type Language = (typeof LANGUAGES)[number]

const STORED = 'console-language'

let texts: Texts = english
let current: Language = 'en'

export function language(): Language {
  return current
}

/** Returns the language with the region of the reader, which decides the order of a date and the clock. */
export function localeTag(): string {
  return navigator.languages.find((each) => each.startsWith(current)) ?? current
}

/** Returns true if there is a text of this name. */
export function hasText(name: string): boolean {
  return Object.hasOwn(english, name)
}

/** Returns a text, with its `{names}` replaced. If the language lacks the text, returns the English text. */
export function t(name: string, values: Readonly<Record<string, string | number>> = {}): string {
  const text = texts[name] ?? (english as Texts)[name] ?? name
  return text.replace(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ''))
}

/** Returns the language that was chosen before, else the browser's first language that the console has. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(STORED) ?? '', ...navigator.languages]
  const tags = wanted.map((tag) => tag.slice(0, 2).toLowerCase())
  return tags.flatMap((tag) => LANGUAGES.find((known) => known === tag) ?? []).at(0) ?? 'en'
}

/** Changes the language. A language that cannot be loaded changes nothing. */
export async function setLanguage(next: Language): Promise<void> {
  if (next !== 'en') {
    const response = await fetch(`/console/assets/texts-${next}.json`).catch(() => undefined)
    if (!response?.ok) return
    texts = await response.json()
  } else texts = english
  current = next
  document.documentElement.lang = next
}

/** Stores the language for the next visit. */
export function storeLanguage(chosen: Language): void {
  localStorage.setItem(STORED, chosen)
}
