// Citations of tests in pages: `file` › title › case, and `file` "title". Files are below test/.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const TESTS = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(TESTS, path), 'utf8')
const CONTRACT = readdirSync(join(TESTS, '../docs/api')).map((page) => flowing(read(`../docs/api/${page}`)))

/** Joins lines, so that line breaks do not matter in a comparison. */
function flowing(text: string): string {
  return text.replace(/\s+/g, ' ')
}

/** Returns the rows of every table, cell by cell, without the heads: rows whose first cell is `head`. */
export function rowsOf(document: string, ...heads: readonly string[]): readonly (readonly string[])[] {
  const lines = document.split('\n').filter((line) => line.startsWith('|'))
  // Biome-ignore format: one step
  const cells = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return cells.filter(([clause = '']) => !heads.includes(clause) && !/^-+$/.test(clause))
}

/** Returns the error of `file` › title › case, or of `contract: ` and a sentence of docs/api/. */
export function errorOf(reference: string): string | undefined {
  const [, sentence] = /^contract: (.+)$/.exec(reference) ?? []
  if (sentence !== undefined)
    return CONTRACT.some((page) => page.includes(sentence)) ? undefined : `no sentence “${sentence}”`
  const [, file = '', title = '', example] = /^`([^`]+)` › (.+?)(?: › (.+))?$/.exec(reference) ?? []
  if (!file.endsWith('.ts') || !existsSync(join(TESTS, file))) return `no test in “${reference}”`
  if (!isRun(file)) return `${file} is run by no test`
  if (!titlesOf(file).has(title)) return `${file} has no test “${title}”`
  return example === undefined || [file, ...importsOf(file)].some((path) => hasText(read(path), example))
    ? undefined
    : `${file} has no case “${example}”`
}

/** Returns the error of a file that is cited without a title: it must be run by a test, and have tests. */
export function fileErrorOf(file: string): string | undefined {
  if (!existsSync(join(TESTS, file))) return `no file ${file}`
  if (!isRun(file)) return `${file} is run by no test`
  return titlesOf(file).size > 0 ? undefined : `${file} has no tests`
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
    .filter((path) => !path.startsWith('..') && existsSync(join(TESTS, path)))
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

/** Errors of `file` › title › case, and of each `file` "title", "title" in a text. */
export function citationErrors(text: string): readonly string[] {
  if (/^`[^`]+` › /.test(text)) return [errorOf(text)].filter((error) => error !== undefined)
  return [...text.matchAll(/`([^`]+\.test\.ts)`((?:,? "[^"]+")*)/g)].flatMap(([, file = '', quoted = '']) => {
    if (!existsSync(join(TESTS, file))) return [`no file ${file}`]
    const titles = [...quoted.matchAll(/"([^"]+)"/g)].map(([, title]) => String(title))
    return titles
      .filter((title) => !titlesOf(file).has(title))
      .map((title) => `${file} has no test “${title}”`)
  })
}
