// The links of a request for any wallet.

import { expect, it } from 'vitest'
import { linksOfProtocol } from '../../src/wallets/links.ts'
import { WALLET_PROFILES } from '../../src/wallets/profiles/index.ts'

const nameLinks = (prefix: 'x509_hash' | 'redirect_uri' | 'decentralized_identifier') =>
  Object.keys(linksOfProtocol({ protocol: 'openid4vp-1.0', prefix }, { livemode: true }))

it('the session page lists the links of wallets that accept the client_id prefix of the request', () => {
  const signed = nameLinks('x509_hash')
  const unsigned = nameLinks('redirect_uri')
  // The age verification app takes unsigned requests only.
  expect([signed.includes('av'), unsigned.includes('av')]).toEqual([false, true])
  expect([signed[0], unsigned[0]]).toEqual(['openid4vp', 'openid4vp'])
})

it('the session page does not list the link of a wallet that needs `iss` in the request', () => {
  const named = WALLET_PROFILES.filter(({ names_issuer }) => names_issuer)
  expect(named.map(({ id }) => id)).toEqual(['io-app'])
  expect(nameLinks('x509_hash')).not.toContain('io-app')
})

it('the links of wallets have no authority part, except for Inji, whose app manifest requires an authority', () => {
  const withAuthority = WALLET_PROFILES.flatMap(({ id, links }) =>
    [...(links.live ?? []), ...(links.test ?? [])].flatMap((link) =>
      link.includes(':') && !link.startsWith('https:') ? [[id, link]] : [],
    ),
  )
  expect(withAuthority).toEqual([['inji', 'openid4vp://authorize']])
})

it('each link on the session page, except openid4vp, opens a wallet that accepts the client_id prefix', () => {
  for (const prefix of ['x509_hash', 'redirect_uri', 'decentralized_identifier'] as const) {
    const names = nameLinks(prefix).filter((name) => name !== 'openid4vp')
    for (const name of names) {
      const isOpened = WALLET_PROFILES.some(
        ({ id, links, client_id_prefixes: prefixes }) =>
          (id === name || links.live?.includes(name)) && prefixes.includes(prefix),
      )
      expect([name, isOpened]).toEqual([name, true])
    }
  }
})
