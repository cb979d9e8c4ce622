// Work of a decoder, counted from outside: pieces cut from the input, calls of WebCrypto. No clock.

import { vi } from 'vitest'

/** Work done while a function ran. */
export type Effort = {
  /** Views taken of byte sequences: our binary decoders take one or more for each item. */
  readonly pieces: number
  /** Hashes, key imports, signature verifications, decryptions, key agreements. */
  readonly cryptoCalls: number
}

const CRYPTO = ['digest', 'importKey', 'verify', 'decrypt', 'deriveBits'] as const

/** Runs and counts. */
export async function effortOf<T>(run: () => T | Promise<T>): Promise<Effort & { readonly result: T }> {
  let [pieces, cryptoCalls] = [0, 0]
  const { subarray } = Uint8Array.prototype
  const spies = [
    vi.spyOn(Uint8Array.prototype, 'subarray').mockImplementation(function (this: Uint8Array, ...range) {
      pieces++
      return subarray.apply(this, range)
    }),
    ...CRYPTO.map((name) => {
      const original = crypto.subtle[name].bind(crypto.subtle) as (...given: unknown[]) => Promise<never>
      return vi.spyOn(crypto.subtle, name).mockImplementation((...given: unknown[]) => {
        cryptoCalls++
        return original(...given)
      })
    }),
  ]
  try {
    return { result: await run(), pieces, cryptoCalls }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
