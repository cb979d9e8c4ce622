// Writes each page and table that is made from the sources.

import { readFileSync, writeFileSync } from 'node:fs'
import { GENERATED_PAGES, GENERATED_TABLES } from './pages.ts'

for (const [path, describe] of Object.entries(GENERATED_PAGES)) write(path, describe())
for (const [path, describe] of Object.entries(GENERATED_TABLES)) {
  const page = readFileSync(path, 'utf8')
  write(path, withTables(page, describe()))
}

/** The tables of the page that begin as the new ones do are replaced, each in its place. */
function withTables(page: string, tables: string): string {
  return tables.split('\n\n').reduce((text, table) => {
    const head = table.split('\n', 1)[0] ?? ''
    const begin = text.indexOf(`${head}\n`)
    if (begin < 0) throw new Error(`no table begins with ${head}`)
    const end = text.indexOf('\n\n', begin)
    return text.slice(0, begin) + table + (end < 0 ? '\n' : text.slice(end))
  }, page)
}

function write(path: string, text: string): void {
  writeFileSync(path, text)
  console.log(`${path} is written.`)
}
