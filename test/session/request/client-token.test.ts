// The two kinds of client tokens. The other cases run over HTTP (test/routes/edge/authenticate.test.ts).

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import {
  signClientToken,
  verifyClientToken,
  verifySessionToken,
} from '../../../src/session/request/client-token.ts'
import { sealLoginToken } from '../../../src/session/request/login-token.ts'

const ID = `v_${'a'.repeat(43)}`

it('the token of a login is a client token, and never the token of a session', async () => {
  const config = loadConfig(env)
  const createdAt = Date.now()
  const content = { createdAt, expiresAt: createdAt + 1, relyingPartyId: 'rp', clientId: 'c', browser: 'b' }
  const ofLogin = (await sealLoginToken(config, ID, { ...content, request: 'urn:x' })) ?? ''
  const ofSession = await signClientToken(config, { verification_id: ID, created_at: createdAt })
  expect(await verifyClientToken(config, ID, ofLogin)).toBe(createdAt)
  expect(await verifySessionToken(config, ID, ofLogin)).toBeUndefined()
  expect(await verifyClientToken(config, ID, ofSession)).toBe(createdAt)
  expect(await verifySessionToken(config, ID, ofSession)).toBe(createdAt)
})
