import { createHmac } from 'node:crypto'
import { verifyWebhook } from '@wallet-verifier/client/webhook'
import { describe, expect, it } from 'vitest'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const NEXT = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const NOW = 1_800_000_000
const BODY = JSON.stringify({ event_id: 'evt_1', event_type: 'verification.verified', status: 'verified' })

/** Signs with node:crypto. */
function signature({ body = BODY, secrets = [SECRET], t = NOW } = {}): string {
  const macs = secrets.map((secret) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'))
  return [`t=${t}`, ...macs.map((mac) => `v1=${mac}`)].join(',')
}

const checks = { secrets: [SECRET], now: NOW * 1000 }

describe('a webhook', () => {
  it('a webhook signed with the secret is accepted, and its event is returned', async () => {
    expect(await verifyWebhook(BODY, signature(), checks)).toEqual({ ok: true, value: JSON.parse(BODY) })
  })

  it('that is signed with both secrets during a rotation is accepted with either secret', async () => {
    const rotating = signature({ secrets: [NEXT, SECRET] })
    for (const secrets of [[SECRET], [NEXT], [NEXT, SECRET]]) {
      expect(await verifyWebhook(BODY, rotating, { ...checks, secrets })).toMatchObject({ ok: true })
    }
  })

  it('is accepted if its time differs from the clock by at most five minutes', async () => {
    for (const t of [NOW - 300, NOW + 300]) {
      expect(await verifyWebhook(BODY, signature({ t }), checks)).toMatchObject({ ok: true })
    }
    for (const t of [NOW - 301, NOW + 301]) {
      const verified = await verifyWebhook(BODY, signature({ t }), checks)
      expect(verified).toEqual({ ok: false, error: 'outside_tolerance' })
    }
  })

  it.each([
    ['a body that was not signed', `${BODY} `, signature(), 'wrong_signature'],
    ['a signature by an unknown secret', BODY, signature({ secrets: [NEXT] }), 'wrong_signature'],
    [
      'a time that differs from the signed time',
      BODY,
      signature().replace(`t=${NOW}`, `t=${NOW + 1}`),
      'wrong_signature',
    ],
    ['no signature', BODY, null, 'malformed_signature'],
    ['a signature without a time', BODY, signature().replace(/^t=[0-9]+,/, ''), 'malformed_signature'],
    ['two values of t', BODY, `t=${NOW},${signature()}`, 'malformed_signature'],
    ['no v1 signature', BODY, `t=${NOW}`, 'malformed_signature'],
    ['a truncated v1 signature', BODY, signature().slice(0, -2), 'malformed_signature'],
    ['a body that is not JSON', '{', signature({ body: '{' }), 'malformed_body'],
  ])('a webhook with %s is refused', async (_, body, header, error) => {
    expect(await verifyWebhook(body, header, checks)).toEqual({ ok: false, error: error })
  })
})
