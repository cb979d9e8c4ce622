// Width of comments. The formatter wraps code but not comments, so this guard does it for them.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commentsOf } from './support/reading/source-scan.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDERS = [
  'src',
  'sandbox',
  'openapi',
  'packages',
  'examples',
  'assets',
  'console',
  'scripts',
  'test',
  'bench',
]
const MAXIMUM_COLUMNS = 110

/**
 * Returns the lines with a comment that are too long. A line with an address may be longer: it cannot be
 * wrapped.
 */
function errorsOf(path: string, source: string): string[] {
  const lines = source.split('\n')
  if (lines.every(({ length }) => length <= MAXIMUM_COLUMNS)) return []
  const numbers = commentsOf(source).flatMap(({ line }) => {
    const rest = lines.slice(line - 1)
    const isBlock = rest[0]?.trim().startsWith('/*')
    const isEnd = (text: string, i: number) =>
      isBlock ? text.includes('*/') : !rest[i + 1]?.trim().startsWith('//')
    return rest.slice(0, rest.findIndex(isEnd) + 1).map((_, i) => line + i)
  })
  return [...new Set(numbers)].flatMap((number) => {
    const line = lines[number - 1] ?? ''
    const isTooLong = line.length > MAXIMUM_COLUMNS && !/https?:\/\//.test(line)
    return isTooLong ? [`${path}:${number}: ${line.length} columns`] : []
  })
}

it(`the code has no comment line of more than ${MAXIMUM_COLUMNS} columns`, () => {
  const listed = execFileSync('git', ['ls-files', '-z', ...FOLDERS], { cwd: ROOT, encoding: 'utf8' })
  const paths = listed.split('\0').filter((path) => /\.(tsx?|mjs|js)$/.test(path))
  expect(paths.length).toBeGreaterThan(500)
  expect(paths.flatMap((path) => errorsOf(path, readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})

it.each([
  ['a line comment', `const a = 1\n// ${'x'.repeat(108)}\n`, 2],
  ['a comment after code', `const a = 1 // ${'x'.repeat(100)}\n`, 1],
  ['a line of a doc comment', `/**\n * short\n * ${'x'.repeat(108)}\n */\n`, 3],
])('the check of comment width reports %s that is too long', (_, source, line) => {
  expect(errorsOf('a.ts', source)).toEqual([expect.stringMatching(`^a.ts:${line}: 1\\d\\d columns$`)])
})

it('the check of comment width accepts comments of 110 columns, long code, and long addresses', () => {
  const source = `// ${'x'.repeat(107)}\nconst a = '${'x'.repeat(120)}'\n// https://example.org/${'x'.repeat(120)}\n`
  expect(errorsOf('a.ts', source)).toEqual([])
})
