import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { survivorsOf, unexplainedSurvivors } from './survivors.mjs'

const FILE = 'src/policy/decide.ts'
const SOURCE = ['const none = isEmpty ? [] : all', '  if (isEmpty) return []', ''].join('\n')
const mutant = (line: number, column: number, status = 'Survived') => ({
  status,
  location: { start: { line, column }, end: { line, column: column + 2 } },
  replacement: '["x"]',
  mutatorName: 'ArrayDeclaration',
})
const FIRST = mutant(1, 24)
const SECOND = mutant(2, 23)
const ROW = {
  file: FILE,
  line: 'const none = isEmpty ? [] : all',
  original: '[]',
  replacement: '["x"]',
  why: 'No query has this name.',
}
const unexplained = (mutants: readonly object[], rows: readonly object[]) =>
  unexplainedSurvivors(FILE, survivorsOf(SOURCE, mutants), rows).map(({ at }: { at: number }) => at)

describe('a surviving mutant', () => {
  it('is a changed line that no test detects', () => {
    const mutants = [FIRST, mutant(2, 23, 'NoCoverage'), mutant(2, 23, 'Killed'), mutant(2, 23, 'Timeout')]
    expect(survivorsOf(SOURCE, mutants)).toEqual([
      { at: 1, line: ROW.line, original: '[]', replacement: '["x"]' },
      { at: 2, line: 'if (isEmpty) return []', original: '[]', replacement: '["x"]' },
    ])
  })

  it('is explained by a row of explained.json with the same line and the same change', () => {
    expect(unexplained([FIRST], [ROW])).toEqual([])
  })

  it.each([
    ['another line', [SECOND], ROW],
    ['another file', [FIRST], { ...ROW, file: 'src/policy/policy.ts' }],
    ['another text', [FIRST], { ...ROW, original: 'all' }],
    ['another replacement', [FIRST], { ...ROW, replacement: '["y"]' }],
  ])('is not explained by a row for %s', (_, mutants, row) => {
    expect(unexplained(mutants, [row])).toHaveLength(1)
  })

  it('is not explained by the row of an equal mutant in the same line, so two equal mutants need two rows', () => {
    expect(unexplained([FIRST, FIRST], [ROW])).toEqual([1])
    expect(unexplained([FIRST, FIRST], [ROW, ROW])).toEqual([])
  })
})

describe('the rows of explained.json', () => {
  it.each(JSON.parse(readFileSync('test/mutation/explained.json', 'utf8')) as (typeof ROW)[])(
    'quote a line that occurs once in the named source file: $file, $line',
    ({ file, line, original, why }) => {
      const lines = readFileSync(file, 'utf8').split('\n')
      expect(lines.filter((each) => each.trim() === line)).toHaveLength(1)
      expect(line).toContain(original)
      expect(why).not.toBe('')
    },
  )
})
