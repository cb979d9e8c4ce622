import { it } from 'vitest'

it.skip('is skipped', () => {})
it.skip('is skipped, where cc is installed', () => {})
