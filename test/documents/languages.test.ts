// docs/pages: the table of languages is that of the files, and says of each if a native speaker has read it.
// The texts of a language have one form of address.

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { LANGUAGES } from '../../src/session/views/page-language.ts'

const NAMES = new Intl.DisplayNames('en', { type: 'language' })

it('docs/pages.md names each language of the session page, and states if a native speaker has read its texts', () => {
  const rows = readFileSync('docs/pages.md', 'utf8').matchAll(
    /^\| (\w+) \| `(\w\w)` \| .+ \| .+ \| (yes|no) \|$/gm,
  )
  const documented = [...rows].map(([, name, code, reviewed]) => `${code} ${name} ${reviewed === 'yes'}`)
  const files = readdirSync('assets/texts').map((file) => {
    const { language, reviewed } = JSON.parse(readFileSync(`assets/texts/${file}`, 'utf8'))
    expect(`${language}.json`).toBe(file)
    return `${language} ${NAMES.of(language)} ${reviewed}`
  })
  expect(documented.sort()).toEqual(files.sort())
  expect(files.map((row) => row.slice(0, 2)).sort()).toEqual([...LANGUAGES].sort())
})

/**
 * Words of the form of address that the texts of a language do not use (docs/pages.md), and in Italian the
 * other word for a wallet. Words that also mean something else are left out.
 */
const OTHER_ADDRESS: Readonly<Record<string, string>> = {
  bg: 'ти твоя твоят твоето твоите теб',
  cs: 'ty tvůj tvoje tvá tvou tě ti',
  da: 'deres',
  de: 'du dein deine deinen deinem deiner dir dich',
  el: 'εσύ σου',
  es: 'tú tu tus ti',
  et: 'sina sinu sa sulle',
  fi: 'te teidän teitä teille',
  fr: 'tu ton ta tes toi',
  ga: 'sibh bhur',
  hr: 'ti tvoj tvoja tvoje tvoju',
  hu: 'te tiéd neked téged',
  it: 'lei suo sua suoi sue portafoglio portafogli',
  lt: 'tu tavo tau',
  lv: 'tu tavs tava tavu tev',
  mt: 'intom tagħkom',
  nl: 'u uw',
  pl: 'pan pani pana pańska',
  pt: 'tu teu tua teus tuas',
  ro: 'tu tău ta tale tăi ție',
  sk: 'ty tvoj tvoja tvoje tvoju ťa ti',
  sl: 'tvoj tvoja tvoje tvojo',
  sv: 'ni er ert era',
}

it.each(Object.entries(OTHER_ADDRESS))(
  'the texts of the session page address the person in one form (formal or informal): %s',
  (language, words) => {
    const texts = textsOf(JSON.parse(readFileSync(`assets/texts/${language}.json`, 'utf8')))
    const others = new Set(words.split(' '))
    const found = texts.filter((text) =>
      text
        .toLowerCase()
        .match(/\p{L}+/gu)
        ?.some((word) => others.has(word)),
    )
    expect(found).toEqual([])
  },
)

/** Returns each text of a file. */
function textsOf(part: unknown): readonly string[] {
  if (typeof part === 'string') return [part]
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(textsOf) : []
}
