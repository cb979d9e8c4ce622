// Seeded random numbers. One seed gives one sequence on every machine (sfc32).

export type Random = {
  /** Returns a number from 0 to below 1. */
  readonly next: () => number
  /** Returns a whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number
  /** Returns a whole number from `least` to `most`. */
  readonly between: (least: number, most: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
  readonly bytes: (into: Uint8Array) => void
}

/** Opens a sequence. Two names with one seed have two sequences. */
export function openRandom(seed: number, name: string): Random {
  const uint32 = sequenceOf(seed, name)
  const next = () => uint32() / 2 ** 32
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => probability > 0 && next() < probability,
    pick: (list) => {
      const picked = list[below(list.length)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
    bytes: (into) => {
      for (let i = 0; i < into.length; i += 4) {
        const word = uint32()
        for (let k = 0; k < 4 && i + k < into.length; k++) into[i + k] = (word >>> (8 * k)) & 255
      }
    },
  }
}

function sequenceOf(seed: number, name: string): () => number {
  let [a, b, c, counter] = [seed | 0, Math.floor(seed / 2 ** 32) | 0, hashOf(name), 1]
  const uint32 = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  for (let i = 0; i < 12; i++) uint32()
  return uint32
}

/** FNV-1a with 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
