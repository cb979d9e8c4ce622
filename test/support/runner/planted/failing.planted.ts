import { expect, it } from 'vitest'

it('fails', () => expect.fail())
