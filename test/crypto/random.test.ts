import { afterEach, describe, expect, it, vi } from 'vitest'
import { randomBytes } from '../../src/crypto/random.ts'

afterEach(() => void vi.restoreAllMocks())

describe('random bytes', () => {
  it('come from the random generator of the platform', () => {
    const generator = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
      if (array instanceof Uint8Array) array.fill(7)
      return array
    })
    expect(randomBytes(16)).toEqual(new Uint8Array(16).fill(7))
    expect(generator).toHaveBeenCalledTimes(1)
  })
})
