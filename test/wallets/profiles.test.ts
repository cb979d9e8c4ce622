// The wallet profiles as data.

import { describe, expect, it } from 'vitest'
import { describeWallets } from '../../scripts/documents/wallets.ts'
import { WALLET_PROFILES } from '../../src/wallets/profiles/index.ts'
import { walletProfileSchema, walletSourcesSchema } from '../../src/wallets/profiles/profile.ts'
import { WALLET_SOURCES } from '../../src/wallets/profiles/sources.ts'
import { ASKED_PROTOCOLS } from '../support/wallets/questions.ts'

describe('wallet profiles', () => {
  it.each(WALLET_PROFILES.map((profile) => [profile.id, profile] as const))(
    'name only features that the service has: %s',
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

  it('have unique ids', () => {
    const ids = WALLET_PROFILES.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
