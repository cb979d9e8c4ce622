// docs/conformance.md lists clauses and the tests that show them. Every row has a test, cited by its title. A
// clause that does not apply cites a sentence of a page in docs/api instead. The table of attacks and faults
// in docs/decisions/proofs.md cites files of tests.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { citationErrors, errorOf, rowsOf } from './support/reading/citations.ts'

const TESTS = dirname(fileURLToPath(import.meta.url))
const read = (path: string) => readFileSync(join(TESTS, path), 'utf8')
const CONFORMANCE = read('../docs/conformance.md')

/** Returns the errors of a table, one sentence each, in the order of its rows. */
function errorsOf(document: string): readonly string[] {
  return rowsOf(document, 'clause').flatMap((row) => {
    const [clause = '', does = '', shown = ''] = row
    if (row.length !== 3 || clause === '' || does === '') return [`${clause}: not a row of three`]
    const references = shown.split('<br>').map((text) => text.trim())
    return references.map(errorOf).flatMap((error) => (error === undefined ? [] : [`${clause}: ${error}`]))
  })
}

/** Errors of the table of attacks and faults: rows without a reference, missing files, missing titles. */
function recordErrorsOf(document: string): readonly string[] {
  return rowsOf(document, 'finding').flatMap((row) => {
    const [finding = '', shown = ''] = row
    const isLinked = /\]\(|`npm run|`docs\/|^as \d/.test(shown)
    if (row.length !== 2 || !(isLinked || shown.includes('.test.ts`'))) return [`${finding}: no reference`]
    const references = shown
      .replaceAll('`test/', '`')
      .split('<br>')
      .filter((text) => text.includes('.test.ts`'))
    return references.flatMap(citationErrors).map((error) => `${finding}: ${error}`)
  })
}

it('the table of attacks and faults cites existing tests', () => {
  const [, record = ''] = read('../docs/decisions/proofs.md').split('\n## Attacks and faults\n')
  expect(rowsOf(record, 'finding').length).toBeGreaterThan(10)
  expect(recordErrorsOf(record)).toEqual([])
  expect(recordErrorsOf(`${record}\n| x | \`codec/json.test.ts\` "no such title" |`)).toHaveLength(1)
  expect(recordErrorsOf(`${record}\n| x | \`codec/json.test.ts\` › no such title |`)).toHaveLength(1)
  expect(recordErrorsOf(`${record}\n| x | \`test/codec/nowhere.test.ts\` |`)).toHaveLength(1)
  expect(recordErrorsOf(`${record}\n| x | a sentence |`)).toHaveLength(1)
})

describe('docs/conformance.md', () => {
  it('cites existing tests or a sentence of the contract for every clause', () => {
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
    [row('`system/fuzz/run.ts` › x'), 'system/fuzz/run.ts has no test “x”'],
    [row('`slow/canary/nobody.ts` › x'), 'no test in “`slow/canary/nobody.ts` › x”'],
    [row('contract: no such sentence'), 'no sentence “no such sentence”'],
  ])('a document with the row %s gives the error %s (undefined: no error)', (document, error) => {
    expect(errorsOf(document)).toEqual(error === undefined ? [] : [`VP §1: ${error}`])
  })
})
