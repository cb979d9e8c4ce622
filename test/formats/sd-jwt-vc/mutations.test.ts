// No presentation that differs from the good one by accident or by chance verifies, and none throws.

import { describe, expect, it } from 'vitest'
import { alter, encodeDisclosure, issueSdJwtVc, type Parts } from '../../support/people/issuer.ts'
import { placesIn, sizeOf, someOf } from '../../support/runner/size.ts'
import { GOOD, HOLDER_KEY, ISSUER, ISSUER_KEY, NOW, presentGood, VCT, verifyGood } from './good.ts'
import { type Random, seededRandom } from './random.ts'

const KEYS = { issuer: ISSUER_KEY, holder: HOLDER_KEY }
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

// As short as they come, so that every character can be tried.
const SHORT = await presentGood(
  await issueSdJwtVc({
    issuer: ISSUER_KEY,
    holder: HOLDER_KEY,
    claims: { iss: ISSUER, vct: VCT, exp: NOW + 60, name: 'Erika' },
    disclosable: { _sd: ['name'] },
  }),
)

const verifies = async (presentation: string) =>
  (await verifyGood(presentation, { isJudged: false })).result.ok

/** Another character of the same kind: one bit of the six differs, or a separator becomes another. */
function flip(character: string, bit: number): string {
  const value = ALPHABET.indexOf(character)
  return value === -1 ? (character === '~' ? '.' : '~') : (ALPHABET[value ^ (1 << bit)] ?? '')
}

async function survivors(mutants: Iterable<string>): Promise<string[]> {
  const found: string[] = []
  for (const mutant of mutants) if (mutant !== SHORT && (await verifies(mutant))) found.push(mutant)
  return found
}

describe('a presentation that verifies', () => {
  it('verifies unchanged', async () => {
    expect([await verifies(SHORT), await verifies(GOOD)]).toEqual([true, true])
  })

  it('does not verify after a change of any one character', async () => {
    const mutants = Array.from(
      SHORT,
      (character, i) => SHORT.slice(0, i) + flip(character, i % 6) + SHORT.slice(i + 1),
    )
    expect(await survivors(someOf(mutants))).toEqual([])
  })

  it('does not verify after a change of any one bit in either signature', async () => {
    const mutants: string[] = []
    for (const end of [SHORT.indexOf('~'), SHORT.length]) {
      const start = SHORT.lastIndexOf('.', end - 1) + 1
      for (let bit = 0; bit < 512; bit++) {
        const signature = Buffer.from(SHORT.slice(start, end), 'base64url')
        signature.writeUInt8(signature.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        mutants.push(SHORT.slice(0, start) + signature.toString('base64url') + SHORT.slice(end))
      }
    }
    expect(mutants).toHaveLength(1024)
    expect(await survivors(someOf(mutants))).toEqual([])
  })

  it('does not verify if a character is missing, doubled, or swapped with its neighbour', async () => {
    const mutants = placesIn(SHORT).flatMap((i) => [
      SHORT.slice(0, i) + SHORT.slice(i + 1),
      SHORT.slice(0, i) + SHORT.slice(i, i + 1) + SHORT.slice(i),
      SHORT.slice(0, i) +
        SHORT.slice(i, i + 2)
          .split('')
          .reverse()
          .join('') +
        SHORT.slice(i + 2),
    ])
    expect(await survivors(mutants)).toEqual([])
  })

  it('does not verify if its end is cut off, unless the rest ends with a tilde and holder binding is not required', async () => {
    const beginnings = Array.from(SHORT, (_, i) => SHORT.slice(0, i))
    expect(await survivors(beginnings)).toEqual([])
    const unbound: string[] = []
    for (const beginning of beginnings) {
      const { result } = await verifyGood(beginning, {
        expected: { holderBinding: false },
        isJudged: false,
      })
      if (result.ok) unbound.push(beginning)
    }
    // A disclosure may be withheld, so both tildes end an SD-JWT.
    expect(unbound).toEqual([
      SHORT.slice(0, SHORT.indexOf('~') + 1),
      SHORT.slice(0, SHORT.lastIndexOf('~') + 1),
    ])
  })

  it('does not verify after random changes of its parts and characters', async () => {
    const random = seededRandom(9901)
    const mutants = Array.from({ length: sizeOf(2000) }, () => splice(SHORT, random))
    expect(await survivors(mutants)).toEqual([])
  })
})

describe('a presentation with invalid content that its issuer signed', () => {
  it('is verified without an exception, and its claims never contain `_sd`, `_sd_alg` or `...`', async () => {
    const random = seededRandom(7515)
    for (let i = 0; i < sizeOf(2000); i++) {
      const nonsense = await alter(GOOD, KEYS, (parts) => scramble(parts, random))
      const { result, trace } = await verifyGood(nonsense, { isJudged: false })
      expect(trace.length).toBeGreaterThan(0)
      if (result.ok) expect(JSON.stringify(result.value.claims)).not.toMatch(/"(_sd|_sd_alg|\.\.\.)":/)
    }
  })
})

const JUNK = ['', '~', '.', '=', ' ', '\n', 'e30', 'e30.e30.AAAA', 'WyJzIiwieCIsMV0', '\u0000', 'ä', '\ud800']

function splice(text: string, random: Random): string {
  const pieces = text.split(/(?<=[.~])/)
  for (let edits = 1 + random.below(3); edits > 0; edits--) {
    const at = random.below(pieces.length)
    const piece = pieces[at] ?? ''
    const cut = random.below(piece.length + 1)
    const edit = random.below(5)
    if (edit === 0) pieces.splice(at, 1)
    else if (edit === 1) pieces.splice(at, 0, random.pick(pieces.filter((other) => other !== '')))
    else if (edit === 2) pieces[at] = piece.slice(0, cut) + random.pick(JUNK.slice(1)) + piece.slice(cut)
    else if (edit === 3)
      pieces[at] = piece.slice(0, cut) + flip(piece[cut] ?? 'A', random.below(6)) + piece.slice(cut + 1)
    else pieces[at] = random.pick(JUNK)
  }
  return pieces.join('')
}

const NAMES = [
  '_sd',
  '_sd_alg',
  '...',
  'cnf',
  'exp',
  'nbf',
  'iat',
  'iss',
  'vct',
  'aud',
  'status',
  '__proto__',
  'address',
  'x',
]

/** A random value of JSON, the format's own names more often than not. */
function randomValue(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 3 ? 5 : 8)
  if (kind === 0) return null
  if (kind === 1) return random.below(2) === 0
  if (kind === 2) return random.pick([0, -1, 1.5, NOW, 1e300])
  if (kind < 5) return random.pick(['', 'sha-256', 'sha-512', 'x', VCT, ISSUER])
  const size = random.below(4)
  if (kind === 5) return Array.from({ length: size }, () => randomValue(random, depth + 1))
  return Object.fromEntries(
    Array.from({ length: size }, () => [random.pick(NAMES), randomValue(random, depth + 1)]),
  )
}

/** Puts random values where the format has its own, in header, payload, disclosures and KB-JWT. */
function scramble(
  parts: Parts & { payload: Record<string, unknown>; header: Record<string, unknown> },
  random: Random,
) {
  for (let edits = 1 + random.below(3); edits > 0; edits--) {
    const place = random.below(5)
    if (place < 2) parts.payload[random.pick(NAMES)] = randomValue(random)
    else if (place === 2) parts.header[random.pick(['x5c', 'kid', 'cty', 'jwk'])] = randomValue(random)
    else if (place === 3) parts.disclosures.push(encodeDisclosure(JSON.stringify(randomValue(random))))
    else
      Object.assign(parts.kb?.payload ?? {}, {
        [random.pick(['iat', 'aud', 'nonce', 'exp'])]: randomValue(random),
      })
  }
}
