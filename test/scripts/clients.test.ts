// Behaviour of `npm run proof -- clients` without the tools of a language.

import { expect, it } from 'vitest'
import { missing, resultWithoutTool } from '../../scripts/clients/tools.ts'

const prints = (stdout: string) => () => ({ status: 0, stdout })

it.each([
  ['go', 'go version go1.25.0 linux/amd64', undefined],
  ['go', 'go version go2.0 linux/amd64', undefined],
  ['go', 'go version go1.24.9 linux/amd64', 'go is older than 1.25'],
  ['python3', '3.11.7 (main, Jan 1 2026)', undefined],
  ['python3', '3.9.2 (default)', 'python3 is older than 3.10'],
  ['mvn', 'Apache Maven 3.8.7\nJava version: 17.0.15', undefined],
] as const)('the version of %s is read, and reported if it is too old: %s', (tool, printed, reason) => {
  expect(missing(tool, prints(printed))).toBe(reason)
})

it('a tool that is not installed is reported by name', () => {
  expect(missing('go', () => ({ status: null, stdout: '' }))).toBe('go is not installed')
})

it('the tests of a language are skipped if a tool is missing, but fail with CI_FULL=1', () => {
  expect(resultWithoutTool({})).toBe('skipped')
  expect(resultWithoutTool({ CI_FULL: '0' })).toBe('skipped')
  expect(resultWithoutTool({ CI_FULL: '1' })).toBe('failed')
})
