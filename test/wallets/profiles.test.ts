// The wallet profiles as data.

import { describe, expect, it } from 'vitest'
import { describeWallets } from '../../scripts/documents/wallets.ts'
import { WALLET_PROFILES } from '../../src/wallets/profiles/index.ts'
import { walletProfileSchema, walletSourcesSchema } from '../../src/wallets/profiles/profile.ts'
import { WALLET_SOURCES } from '../../src/wallets/profiles/sources.ts'
import { ASKED_PROTOCOLS } from '../support/wallets/questions.ts'

const DAY = 86_400_000

/** The source of these apps is closed, and only a library of theirs is public. */
const LIBRARIES_ONLY = ['apple-wallet', 'california-dmv', 'igrant']

/** Ids of the profiles that were checked more than 60 days before `now` (Unix milliseconds). */
function staleProfiles(now: number): readonly string[] {
  return Object.entries(WALLET_SOURCES)
    .filter(([, { checked }]) => now - Date.parse(checked) > 60 * DAY)
    .map(([id]) => id)
}

describe('wallet profiles', () => {
  it.each(WALLET_PROFILES.map((profile) => [profile.id, profile] as const))(
    'name only features that this service supports: %s',
    (_, profile) => {
      expect(walletProfileSchema.safeParse(profile).error?.issues ?? []).toEqual([])
    },
  )

  it.each(WALLET_PROFILES.map(({ id }) => id))(
    'have sources with the date when they were checked: %s',
    (id) => {
      expect(walletSourcesSchema.safeParse(WALLET_SOURCES[id]).error?.issues ?? []).toEqual([])
    },
  )

  it('have only sources that docs/wallets.md lists', () => {
    const page = describeWallets()
    const urls = Object.values(WALLET_SOURCES).flatMap(({ sources }) => sources.map(({ url }) => url))
    expect(urls.filter((url) => !page.includes(url))).toEqual([])
  })

  it.each(WALLET_PROFILES)(
    'name only protocols that are tested with the fake wallet or marked as unknown: $id',
    ({ protocols, unknown_protocols = [] }) => {
      const others = protocols.filter((id) => !ASKED_PROTOCOLS.includes(id))
      expect(unknown_protocols).toEqual(expect.arrayContaining(others))
      expect(protocols).toEqual(expect.arrayContaining([...unknown_protocols]))
    },
  )

  it.each(WALLET_PROFILES.map(({ id }) => id))(
    'cite the source code of the app, unless only documentation or a library is public: %s',
    (id) => {
      const { sources = [] } = WALLET_SOURCES[id] ?? {}
      const isOpen = sources.some(({ version }) => version !== 'documentation')
      const citesApp = sources.some(({ app }) => app === true)
      expect(citesApp || !isOpen || LIBRARIES_ONLY.includes(id)).toBe(true)
    },
  )

  it('are stale if they were checked more than 60 days ago', () => {
    const oldest = Date.parse('2026-11-22')
    expect(staleProfiles(oldest + 60 * DAY)).toEqual([])
    expect(staleProfiles(oldest + 61 * DAY)).toContain('walt-id')
    expect(staleProfiles(oldest + 61 * DAY)).not.toContain('nl-wallet')
    const stale = staleProfiles(Date.now())
    if (stale.length > 0) console.info(`Checked more than 60 days ago: ${stale.join(', ')}.`)
  })

  it('have unique ids', () => {
    const ids = WALLET_PROFILES.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
