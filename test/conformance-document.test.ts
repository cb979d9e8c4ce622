// docs/conformance.md lists clauses and the tests that show them. Every row has a test, cited by its title. A
// clause that does not apply cites a sentence of docs/contract.md instead. The record of attacks and faults
// cites tests in the same way, or as `file` "title".

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const TESTS = dirname(fileURLToPath(import.meta.url))
const read = (path: string) => readFileSync(join(TESTS, path), 'utf8')
const CONFORMANCE = read('../docs/conformance.md')
const CONTRACT = flowing(read('../docs/contract.md'))

/** Joins lines, so that line breaks do not matter in a comparison. */
function flowing(text: string): string {
  return text.replace(/\s+/g, ' ')
}

/** Returns the rows of every table, cell by cell, without the heads. */
function rowsOf(document: string): readonly (readonly string[])[] {
  const lines = document.split('\n').filter((line) => line.startsWith('|'))
  // Biome-ignore format: one step
  const cells = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return cells.filter(([clause = '']) => clause !== 'clause' && !/^-+$/.test(clause))
}

/** Returns the errors of a table, one sentence each, in the order of its rows. */
function errorsOf(document: string): readonly string[] {
  return rowsOf(document).flatMap((row) => {
    const [clause = '', does = '', shown = ''] = row
    if (row.length !== 3 || clause === '' || does === '') return [`${clause}: not a row of three`]
    const references = shown.split('<br>').map((text) => text.trim())
    return references.map(errorOf).flatMap((error) => (error === undefined ? [] : [`${clause}: ${error}`]))
  })
}

function errorOf(reference: string): string | undefined {
  const [, sentence] = /^contract: (.+)$/.exec(reference) ?? []
  if (sentence !== undefined) return CONTRACT.includes(sentence) ? undefined : `no sentence “${sentence}”`
  const [, file = '', title = '', example] = /^`([^`]+)` › (.+?)(?: › (.+))?$/.exec(reference) ?? []
  if (!file.endsWith('.ts') || !existsSync(join(TESTS, file))) return `no test in “${reference}”`
  if (!isRun(file)) return `${file} is run by no test`
  if (!titlesOf(file).has(title)) return `${file} has no test “${title}”`
  return example === undefined || [file, ...importsOf(file)].some((path) => hasText(read(path), example))
    ? undefined
    : `${file} has no case “${example}”`
}

/** Returns `true` if a test file runs the file: a suite runs when a test imports it. */
function isRun(file: string): boolean {
  return file.endsWith('.test.ts') || testFiles().some((test) => importsOf(test).includes(file))
}

function testFiles(): readonly string[] {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => file.endsWith('.test.ts'))
}

/** Returns the files of test/ that a file of test/ imports. */
function importsOf(file: string): readonly string[] {
  const specifiers = [...read(file).matchAll(/ from '(\.[^']+\.ts)'/g)].map(([, path]) => String(path))
  return specifiers
    .map((path) => normalize(join(dirname(file), path)))
    .filter((path) => !path.startsWith('..'))
}

/**
 * Returns the titles of a file's tests and of the suites that it runs. A table of cases has one title, as
 * written.
 */
function titlesOf(file: string): ReadonlySet<string> {
  return new Set([file, ...importsOf(file)].flatMap((path) => ownTitles(read(path))))
}

/** The first argument of `it`, `test` and `describe`, and of the function that their `each` returns. */
const TITLE =
  /(?:\b(?:it|test|describe)|\))\(\s*(?:'((?:\\.|[^'\\\n])+)'|"((?:\\.|[^"\\\n])+)"|`((?:\\.|[^`\\])+)`),/g

function ownTitles(source: string): readonly string[] {
  return [...source.matchAll(TITLE)].map(([, ...quoted]) => quoted.join('').replace(/\\(.)/g, '$1'))
}

/** Returns `true` if a source contains a text as a literal or as a member's name. */
function hasText(source: string, text: string): boolean {
  const escaped = text.replaceAll("'", "\\'")
  return [`'${text}'`, `'${escaped}'`, `"${text}"`, `\`${text}\``, `${text}: `].some((quoted) =>
    source.includes(quoted),
  )
}

/** Errors of the record of attacks and faults: rows without a reference, missing files, missing titles. */
function recordErrorsOf(document: string): readonly string[] {
  return rowsOf(document).flatMap((row) => {
    const [finding = '', shown = ''] = row
    if (finding === 'finding') return []
    const isLinked = /\]\(|`npm run|`docs\/|^as \d/.test(shown)
    if (row.length !== 2 || !(isLinked || shown.includes('.test.ts`'))) return [`${finding}: no reference`]
    const references = shown
      .replaceAll('`test/', '`')
      .split('<br>')
      .filter((text) => text.includes('.test.ts`'))
    return references.flatMap(citationErrors).map((error) => `${finding}: ${error}`)
  })
}

/** Errors of `file` › title › case, and of each `file` "title", "title" in a text. */
function citationErrors(text: string): readonly string[] {
  if (/^`[^`]+` › /.test(text)) return [errorOf(text)].filter((error) => error !== undefined)
  return [...text.matchAll(/`([^`]+\.test\.ts)`((?:,? "[^"]+")*)/g)].flatMap(([, file = '', quoted = '']) => {
    if (!existsSync(join(TESTS, file))) return [`no file ${file}`]
    const titles = [...quoted.matchAll(/"([^"]+)"/g)].map(([, title]) => String(title))
    return titles
      .filter((title) => !titlesOf(file).has(title))
      .map((title) => `${file} has no test “${title}”`)
  })
}

it('the record of attacks and faults cites existing tests', () => {
  const record = read('../docs/decisions/attacks-and-faults.md')
  expect(recordErrorsOf(record)).toEqual([])
  expect(recordErrorsOf(`${record}\n| x | \`codec/json.test.ts\` "no such title" |`)).toHaveLength(1)
  expect(recordErrorsOf(`${record}\n| x | \`codec/json.test.ts\` › no such title |`)).toHaveLength(1)
  expect(recordErrorsOf(`${record}\n| x | \`test/codec/nowhere.test.ts\` |`)).toHaveLength(1)
  expect(recordErrorsOf(`${record}\n| x | a sentence |`)).toHaveLength(1)
})

describe('docs/conformance.md', () => {
  it('cites for every clause existing tests, or a sentence of the contract', () => {
    expect(errorsOf(CONFORMANCE)).toEqual([])
  })

  const row = (shown: string) => `| VP §1 | something | ${shown} |`
  const FILE = '`formats/mdoc/credential.test.ts`'

  it.each([
    [row(`${FILE} › with \${name} › version 2.0`), undefined],
    [row('contract: The Digital Credentials API'), undefined],
    [row(''), 'no test in “”'],
    ['| VP §1 | something |', 'not a row of three'],
    [row('`formats/mdoc/nowhere.test.ts` › x'), 'no test in “`formats/mdoc/nowhere.test.ts` › x”'],
    [row(FILE), `no test in “${FILE}”`],
    [row(`${FILE} › with \${nam`), 'formats/mdoc/credential.test.ts has no test “with ${nam”'],
    [row(`${FILE} › no documents`), 'formats/mdoc/credential.test.ts has no test “no documents”'],
    [
      row(`${FILE} › with \${name} › version 1.2`),
      'formats/mdoc/credential.test.ts has no case “version 1.2”',
    ],
    [row('`system/fuzz/requests.ts` › x'), 'system/fuzz/requests.ts has no test “x”'],
    [row('`system/canary/nobody.ts` › x'), 'no test in “`system/canary/nobody.ts` › x”'],
    [row('contract: no such sentence'), 'no sentence “no such sentence”'],
  ])('reports %s: %s', (document, error) => {
    expect(errorsOf(document)).toEqual(error === undefined ? [] : [`VP §1: ${error}`])
  })
})
