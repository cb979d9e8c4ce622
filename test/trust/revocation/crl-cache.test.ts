// Lifetime of a revocation list, and its replacement.

import { describe, expect, it } from 'vitest'
import { CRL, FETCH_CACHE } from '../../../src/limits.ts'
import type { SharedCache, SharedCopy } from '../../../src/net/shared-cache.ts'
import { checkCertificates } from '../../../src/trust/revocation/certificate-revocation.ts'
import { mintIntermediate, mintLeaf } from '../../support/certificates/certificates.ts'
import { dateOf, makeCrl } from '../../support/certificates/crl.ts'
import { NOW } from '../fixtures.ts'
import {
  decodePath,
  LEAF_LIST,
  listOf,
  PATH,
  pathOf,
  place,
  pointName,
  points,
  root,
  SERIAL,
  type Web,
  webOf,
  word,
} from '../x509/crl-fixtures.ts'

const DAY = 86_400
const WEEK = 7 * DAY
const good = await listOf({ nextUpdate: dateOf(NOW + 30 * DAY) })
const revoking = (thisUpdate: number) =>
  listOf({ thisUpdate: dateOf(thisUpdate), revoked: [SERIAL.leaf], nextUpdate: dateOf(NOW + 30 * DAY) })

const FORGED = await listOf({
  signer: await mintIntermediate(root),
  thisUpdate: dateOf(NOW),
  revoked: [SERIAL.leaf],
})
const OVER = await listOf({ nextUpdate: dateOf(NOW - 1) })
const OVER_SOON = await listOf({ nextUpdate: dateOf(NOW) })
const REVOKING = await revoking(NOW - DAY)

/** A world with one cache: the status at a time, and the number of requests. */
function world(first: Web, sharedCache?: SharedCache) {
  const { fetchResource, asked, state } = webOf(first)
  return {
    at: async (now: number, web: Web = state.web, path = PATH) => {
      state.web = web
      return word(await checkCertificates(path, { now, fetchResource, sharedCache }))
    },
    asked: () => asked.length,
  }
}

describe('a revocation list', () => {
  it('is fetched once for all callers within an hour, even if several call at the same time', async () => {
    const { at, asked } = world({ [LEAF_LIST]: good })
    expect(await Promise.all([at(NOW), at(NOW), at(NOW)])).toEqual(['valid', 'valid', 'valid'])
    expect(await at(NOW + CRL.refreshSeconds - 1)).toBe('valid')
    expect(asked()).toBe(1)
  })

  it('is fetched again after an hour, and the new list is used', async () => {
    const { at, asked } = world({ [LEAF_LIST]: good })
    await at(NOW)
    expect(await at(NOW + CRL.refreshSeconds, { [LEAF_LIST]: await revoking(NOW) })).toBe('revoked')
    expect(asked()).toBe(2)
  })

  it('is fetched again after two seconds if it was unavailable', async () => {
    const { at, asked } = world({})
    expect(await at(NOW)).toBe('not_fetched')
    expect(await at(NOW + FETCH_CACHE.failedSeconds - 1, { [LEAF_LIST]: good })).toBe('not_fetched')
    expect(asked()).toBe(1)
    expect(await at(NOW + FETCH_CACHE.failedSeconds)).toBe('valid')
  })

  it('is fetched again after two seconds if its signature was invalid', async () => {
    const junk = await listOf({ signer: await mintIntermediate(root) })
    const { at } = world({ [LEAF_LIST]: junk })
    expect(await at(NOW)).toBe('invalid_signature')
    expect(await at(NOW + FETCH_CACHE.failedSeconds, { [LEAF_LIST]: good })).toBe('valid')
  })
})

describe('the last good copy of a revocation list', () => {
  const later = NOW + CRL.refreshSeconds

  it.each([
    ['the list is unavailable later', {}],
    ['the next response is no list', { [LEAF_LIST]: Uint8Array.of(0) }],
    ['the next list has an invalid signature', { [LEAF_LIST]: FORGED }],
    ['the next list has expired', { [LEAF_LIST]: OVER_SOON }],
  ] as readonly [string, Web][])('stays in use if %s, until a good list replaces it', async (_, web) => {
    const revoked = await revoking(NOW - 3600)
    const { at, asked } = world({ [LEAF_LIST]: revoked })
    expect(await at(NOW)).toBe('revoked')
    expect(await at(later, web)).toBe('revoked')
    expect(await at(later + 1, web)).toBe('revoked')
    expect(asked()).toBe(2)
    const after = await listOf({ thisUpdate: dateOf(later), nextUpdate: dateOf(NOW + DAY) })
    expect(await at(later + CRL.refreshSeconds, { [LEAF_LIST]: after })).toBe('valid')
  })

  it('is not replaced by an older list', async () => {
    const { at } = world({ [LEAF_LIST]: await revoking(NOW - 3600) })
    await at(NOW)
    expect(await at(later, { [LEAF_LIST]: good })).toBe('revoked')
  })

  it.each([
    ['its nextUpdate', NOW + DAY, 'stale'],
    ['a week after it was fetched', NOW + 30 * DAY, 'not_fetched'],
  ])('is used until %s', async (_, end, cause) => {
    const list = await listOf({ nextUpdate: dateOf(end) })
    const last = Math.min(end, NOW + WEEK)
    const { at } = world({ [LEAF_LIST]: list })
    expect(await at(NOW)).toBe('valid')
    expect(await at(last, {})).toBe('valid')
    const still = cause === 'stale' ? { [LEAF_LIST]: list } : {}
    expect(await at(last + 1, still)).toBe(cause)
  })

  it('is not used if the clock was set back to before its thisUpdate', async () => {
    const { at } = world({ [LEAF_LIST]: good })
    await at(NOW)
    expect(await at(NOW - 2 * DAY, {})).toBe('not_fetched')
  })

  it('is separate for each issuer, even if two issuers have the same list address', async () => {
    const other = await mintIntermediate(root)
    const below = await mintLeaf(other, { serialNumber: SERIAL.leaf, crls: [LEAF_LIST] })
    const path = decodePath(below, other, root)
    const { at } = world({ [LEAF_LIST]: await revoking(NOW - 60) })
    expect(await at(NOW)).toBe('revoked')
    expect(await at(NOW, undefined, path)).toBe('invalid_signature')
    expect(await at(NOW, { [LEAF_LIST]: await makeCrl(other, NOW) }, path)).toBe('invalid_signature')
    expect(await at(NOW + 2, undefined, path)).toBe('valid')
    expect(await at(NOW + 2)).toBe('revoked')
  })
})

it('the cache of revocation lists counts the bytes of long names, and drops the oldest list above its limit', async () => {
  const addresses = Array.from({ length: FETCH_CACHE.bytes / CRL.bytes + 1 }, (_, i) => `${LEAF_LIST}?${i}`)
  const long = place(pointName(...addresses, `http://${'a'.repeat(CRL.bytes / 2)}`))
  const list = await listOf({ extensions: [long], nextUpdate: dateOf(NOW + 30 * DAY) })
  const { at, asked } = world(Object.fromEntries(addresses.map((address) => [address, list])))
  const paths = await Promise.all(
    addresses.map((address) => pathOf({ extensions: [points([pointName(address)])] })),
  )
  for (const path of paths) expect(await at(NOW, undefined, path)).toBe('valid')
  expect(asked()).toBe(addresses.length)
  await at(NOW, undefined, paths.at(-1))
  expect(asked()).toBe(addresses.length)
  await at(NOW, undefined, paths[0])
  expect(asked()).toBe(addresses.length + 1)
})

/** A cache that isolates share, and its stored copies. */
function cacheOf(copy?: SharedCopy) {
  const kept: { name: string; copy: SharedCopy; seconds: number }[] = []
  const cache: SharedCache = {
    get: async () => kept.at(-1)?.copy ?? copy,
    put: async (name, given, seconds) => void kept.push({ name, copy: given, seconds }),
  }
  return { cache, kept }
}

describe('the shared cache of revocation lists', () => {
  it('gives a verified list to other isolates for an hour', async () => {
    const { cache, kept } = cacheOf()
    expect(await world({ [LEAF_LIST]: good }, cache).at(NOW)).toBe('valid')
    expect(kept).toEqual([
      { name: `crl ${LEAF_LIST}`, copy: { body: good, fetchedAt: NOW }, seconds: CRL.refreshSeconds },
    ])
    const second = world({}, cache)
    expect(await second.at(NOW + 10)).toBe('valid')
    expect(second.asked()).toBe(0)
  })

  it.each([
    ['forged', { body: FORGED, fetchedAt: NOW }],
    ['expired', { body: OVER, fetchedAt: NOW }],
    ['more than an hour old', { body: REVOKING, fetchedAt: NOW - CRL.refreshSeconds }],
    ['not a list', { body: Uint8Array.of(1), fetchedAt: NOW }],
  ])('is ignored, and the list is fetched, if its copy of the list is %s', async (_, copy) => {
    const one = world({ [LEAF_LIST]: good }, cacheOf(copy).cache)
    expect(await one.at(NOW)).toBe('valid')
    expect(one.asked()).toBe(1)
  })

  it.each([
    ['forged', FORGED],
    ['expired', OVER],
  ])('never contains a list that is %s', async (_, list) => {
    const { cache, kept } = cacheOf()
    await world({ [LEAF_LIST]: list }, cache).at(NOW)
    expect(kept).toEqual([])
  })
})
