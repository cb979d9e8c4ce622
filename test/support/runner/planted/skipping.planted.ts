import { it } from 'vitest'

it.skip('is skipped', () => {})
it.skip('is skipped, if cc is installed', () => {})
