import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { VERSION } from '../src/version.ts'

it('the version of the service is that of its package', () => {
  expect(VERSION).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version)
})
