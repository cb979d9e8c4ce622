// Texts of the console in five languages. English is part of the script; others are read when they are chosen.

import english from './texts/en.json'

type Texts = Readonly<Record<string, string>>

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const
export type Language = (typeof LANGUAGES)[number]

let texts: Texts = english
let current: Language = 'en'

export function language(): Language {
  return current
}

/** Returns a text, with its `{names}` replaced. A text that is missing in a language is English. */
export function t(name: string, values: Readonly<Record<string, string | number>> = {}): string {
  const text = texts[name] ?? (english as Texts)[name] ?? name
  return text.replace(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ''))
}

/** Returns the first language of the browser that the console has. */
export function browserLanguage(): Language {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())
  return wanted.flatMap((tag) => LANGUAGES.find((known) => known === tag) ?? []).at(0) ?? 'en'
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
