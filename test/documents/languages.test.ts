// docs/pages: the table of languages is that of the files, and says of each if a native speaker has read it.

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { LANGUAGES } from '../../src/session/views/page-language.ts'

const NAMES = new Intl.DisplayNames('en', { type: 'language' })

it('names each language of the page, and if a native speaker has read its texts', () => {
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
