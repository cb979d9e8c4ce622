// The wallet profiles as data.

import { describe, expect, it } from 'vitest'
import { describeWallets } from '../../scripts/documents/wallets.ts'
import { WALLET_PROFILES } from '../../src/wallets/profiles/index.ts'
import { walletProfileSchema, walletSourcesSchema } from '../../src/wallets/profiles/profile.ts'
import { WALLET_SOURCES } from '../../src/wallets/profiles/sources.ts'
import { ASKED_PROTOCOLS } from '../support/wallets/questions.ts'

describe('wallet profiles', () => {
  it.each(WALLET_PROFILES.map((profile) => [profile.id, profile] as const))(
    'say only what the service can do: %s',
    (_, profile) => {
      expect(walletProfileSchema.safeParse(profile).error?.issues ?? []).toEqual([])
    },
  )

  it.each(WALLET_PROFILES.map(({ id }) => id))('have sources and the day of their check: %s', (id) => {
    expect(walletSourcesSchema.safeParse(WALLET_SOURCES[id]).error?.issues ?? []).toEqual([])
  })

  it('have every source on the page of wallets', () => {
    const page = describeWallets()
    const urls = Object.values(WALLET_SOURCES).flatMap(({ sources }) => sources.map(({ url }) => url))
    expect(urls.filter((url) => !page.includes(url))).toEqual([])
  })

  it.each(WALLET_PROFILES)(
    'name only protocols that the fake wallet is tested with, or that are unknown: $id',
    ({ protocols, unknown_protocols = [] }) => {
      const others = protocols.filter((id) => !ASKED_PROTOCOLS.includes(id))
      expect(unknown_protocols).toEqual(expect.arrayContaining(others))
      expect(protocols).toEqual(expect.arrayContaining([...unknown_protocols]))
    },
  )

  it('have each id once', () => {
    const ids = WALLET_PROFILES.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
