// The wallets that a creation may name (api/wallets).

import { expect, it } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { WALLET_PROFILES } from '../../../src/wallets/profiles/index.ts'
import { setUp } from '../../session/driver.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()

it('GET /v1/wallets lists every wallet that a create request may name, and what the wallet supports', async () => {
  const { headers } = await setUp()
  const { wallets } = await json(call(app, 'GET', '/v1/wallets', { headers }))
  const ids = wallets.map(({ id }: { id: string }) => id)
  expect(ids).toEqual(WALLET_PROFILES.map(({ id }) => id))
  expect(wallets[ids.indexOf('nl-wallet')]).toMatchObject({
    name: 'NL Wallet',
    countries: ['NL'],
    platforms: ['ios', 'android'],
    formats: expect.arrayContaining(['dc+sd-jwt']),
    protocols: expect.arrayContaining(['openid4vp-1.0']),
  })
  for (const id of ids) {
    const body = { credential_types: ['pid'], scope: ['age_over_18'], wallet: id }
    const { errors = [] } = await json(call(app, 'POST', '/v1/verify', { headers, body }))
    expect(errors).not.toContainEqual(expect.objectContaining({ code: 'unknown_wallet' }))
  }
})
