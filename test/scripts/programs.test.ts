// Programs that are bundled for a release, and the packages in them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { packageOf } from '../../scripts/service/module-package.mjs'
import { bundlePrograms } from '../../scripts/service/programs.mjs'

it.each([
  ['node_modules/jose/dist/index.js', 'node_modules/jose'],
  ['/srv/app/node_modules/@noble/curves/p256.js', 'node_modules/@noble/curves'],
  ['node_modules/a/node_modules/@b/c/d.js', 'node_modules/a/node_modules/@b/c'],
])('%s belongs to the innermost package, named as in the lock file', (file, name) => {
  expect(packageOf(file)).toEqual([name])
})

it('a module of the project belongs to no package', () => {
  expect(packageOf('src/worker.ts')).toEqual([])
})

it('the packages of a bundled program are those that its modules come from', () => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const packages = bundlePrograms(['scripts/wallet/command.mjs'], folder)
  expect(packages).toContain('node_modules/jose')
  for (const name of packages) expect(name).toMatch(/^node_modules\/(@[^/]+\/)?[^/]+$/)
})
