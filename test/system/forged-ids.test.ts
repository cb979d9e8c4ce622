// Ids that this service never issued (api/creation, api/running). A platform id is 16 bytes and a checksum
// keyed by the class's `uniqueKey`. Anyone who knows that key can create valid ids, and each would become an
// object with its own file.

import { createHash, createHmac, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useOwnStage } from '../support/service/stage.ts'

const stage = useOwnStage()

/**
 * Keys that an attacker would try: the class, its names in other tools' local storage, its binding, nothing.
 */
const GUESSES = [
  'VerificationSession',
  'wallet-verifier-VerificationSession',
  'verifier-VerificationSession',
  'VERIFICATION_SESSION',
  '',
]

describe('a verification id forged with a guessed key', () => {
  it.each(GUESSES)('gets 404 on every route and leaves no file if the key is %j', async (uniqueKey) => {
    const session = await stage.rp.create()
    const before = objectFiles()
    const forged = forgedId(uniqueKey)
    const id = `v_${forged.toString('base64url')}`
    const handle = session.wallet_request.request_uri.slice(-26)
    const requestPath = `/r/${forged.toString('base64url')}${handle}`
    const form = { body: 'state=a&error=access_denied', headers: FORM, token: null }
    const statuses = await Promise.all([
      ...['', '/openid4vp', '/qr', '/deliveries'].map((path) => status('GET', `/v1/verify/${id}${path}`)),
      status('POST', `/v1/verify/${id}/cancel`),
      status('POST', `/v1/verify/${id}/deliveries/dlv_1/redeliver`),
      status('DELETE', `/v1/verify/${id}`),
      status('POST', `/v1/verify/${id}/callback`, form),
      status('GET', requestPath, { token: null }),
      status('POST', requestPath, { ...form, body: 'wallet_nonce=abc' }),
    ])
    expect(statuses).toEqual(statuses.map(() => 404))
    expect(objectFiles()).toEqual(before)
  })

  it('leaves a file if it was made with the real key, which proves that the other tests can fail', async () => {
    const key = readFileSync(
      join(stage.service.server.stateDir, 'keys', 'unique-key-VerificationSession'),
      'utf8',
    )
    const forged = forgedId(key)
    expect(await status('GET', `/v1/verify/v_${forged.toString('base64url')}`)).toBe(404)
    expect(objectFiles().filter((name) => name.includes(forged.toString('hex')))).not.toEqual([])
  })
})

describe('an API key whose relying party id was forged with the class name as key', () => {
  it('gets 401 and leaves no file', async () => {
    const before = objectFiles()
    const forged = forgedId('RelyingParty').toString('base64url')
    const secret = randomBytes(32).toString('base64url')
    const token = `wv_test_${forged}.${randomBytes(8).toString('hex')}.${secret}`
    expect(await status('GET', '/v1/verify/v_none', { token })).toBe(401)
    const path = `/v1/admin/relying_parties/rp_${forged}`
    expect(await status('GET', path, { token: stage.service.server.adminToken })).toBe(404)
    expect(objectFiles()).toEqual(before)
  })
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/**
 * Forges an id as workerd derives it. The second half is HMAC-SHA256 of the first, keyed by SHA-256 of the
 * unique key.
 */
function forgedId(uniqueKey: string): Buffer {
  const base = randomBytes(16)
  const key = createHash('sha256').update(uniqueKey).digest()
  return Buffer.concat([base, createHmac('sha256', key).update(base).digest().subarray(0, 16)])
}

async function status(...[method, path, options]: Parameters<typeof stage.rp.call>): Promise<number> {
  const response = await stage.rp.call(method, path, options)
  await response.text()
  return response.status
}

/** Returns the database files of all objects. Write-ahead logs are left out, since they come and go. */
function objectFiles(): string[] {
  return readdirSync(join(stage.service.server.stateDir, 'objects'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sqlite'))
    .toSorted()
}
