// Inputs for a decoder: noise, good input with a few changes, and costly shapes. fast-check prints the seed
// of a failure.

import fc from 'fast-check'

/** One change of a byte sequence. Positions are shares of its length, so that they fit any. */
type Change = (bytes: Uint8Array) => Uint8Array

const at = (bytes: Uint8Array, share: number) => Math.floor(bytes.length * share)

const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(share, fc.integer({ min: 0, max: 7 })).map(
    ([where, bit]): Change =>
      (bytes) => {
        const changed = Uint8Array.from(bytes)
        const i = at(bytes, where)
        if (i < changed.length) changed[i] = (changed[i] ?? 0) ^ (1 << bit)
        return changed
      },
  ),
  fc.tuple(share, fc.integer({ min: 0, max: 255 })).map(
    ([where, value]): Change =>
      (bytes) => {
        const changed = Uint8Array.from(bytes)
        changed[at(bytes, where)] = value
        return changed
      },
  ),
  share.map(
    (where): Change =>
      (bytes) =>
        bytes.slice(0, at(bytes, where)),
  ),
  fc.tuple(share, share).map(
    ([a, b]): Change =>
      (bytes) => {
        const [from, to] = [at(bytes, Math.min(a, b)), at(bytes, Math.max(a, b))]
        return Uint8Array.from([...bytes.slice(0, to), ...bytes.slice(from)]) // a piece is duplicated
      },
  ),
  fc.tuple(share, share).map(
    ([a, b]): Change =>
      (bytes) => {
        const [from, to] = [at(bytes, Math.min(a, b)), at(bytes, Math.max(a, b))]
        return Uint8Array.from([...bytes.slice(0, from), ...bytes.slice(to)]) // a piece is missing
      },
  ),
  fc.tuple(share, fc.uint8Array({ maxLength: 16 })).map(
    ([where, noise]): Change =>
      (bytes) => {
        const i = at(bytes, where)
        return Uint8Array.from([...bytes.slice(0, i), ...noise, ...bytes.slice(i)])
      },
  ),
)

/** One of these good inputs with one to four changes. */
export function changed(goods: readonly Uint8Array[]): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  return fc
    .tuple(fc.constantFrom(...goods), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([good, changes]) => Uint8Array.from(changes.reduce((bytes, one) => one(bytes), good)))
}

/** The same for texts of bytes. */
export function changedText(goods: readonly string[]): fc.Arbitrary<string> {
  return changed(goods.map((good) => Buffer.from(good, 'latin1'))).map((bytes) =>
    Buffer.from(bytes).toString('latin1'),
  )
}

/** Random bytes. */
export const noise: fc.Arbitrary<Uint8Array<ArrayBuffer>> = fc
  .uint8Array({ maxLength: 512 })
  .map((bytes) => Uint8Array.from(bytes))

/** Number of runs of each property. */
export const RUNS = { numRuns: 400 } as const
