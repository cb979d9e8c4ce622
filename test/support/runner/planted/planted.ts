// A test file that ends in the way that its project is named after (vitest.config.ts beside it).

import { expect, it } from 'vitest'

const PLANTS: Readonly<Record<string, () => void>> = {
  passing: () =>
    it('passes', ({ task }) => {
      Object.assign(task.meta, { refusals: { mso_mdoc: 2 } })
    }),
  skipping: () => {
    it.skip('is skipped', () => {})
    it.skip('is skipped, if cc is installed', () => {})
  },
  failing: () => it('fails', () => expect.fail()),
  unloadable: () => {
    throw new Error('planted')
  },
  killed: () =>
    it('kills its own process', () => {
      process.kill(process.pid, 'SIGKILL')
    }),
}

PLANTS[process.env.PLANTED ?? '']?.()
