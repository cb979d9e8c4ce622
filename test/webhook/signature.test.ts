import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSecretFrom, signatureHeaders } from '../../src/webhook/signature.ts'
import { checkSignature } from '../support/service/receiver.ts'

const SECRET = `whsec_${Buffer.from(Uint8Array.from({ length: 32 }, (_, i) => i)).toString('base64')}`
const OLDER_SECRET = `whsec_${Buffer.alloc(32, 0xa5).toString('base64')}`
const NOW = Date.UTC(2026, 10, 21, 9, 30, 15, 999)
const BODY = '{"event_id":"evt_1","status":"verified","note":"Grüße"}'
const SIGNED = { body: BODY, secrets: [SECRET], eventId: 'evt_1', now: NOW }

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function check(headers: Readonly<Record<string, string>>, body = BODY, secret = SECRET) {
  // The libraries compare the timestamp with their own clock.
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  return checkSignature({ headers: lowerCased(headers), body: Buffer.from(body) }, secret)
}

afterEach(() => {
  vi.useRealTimers()
})

describe('the header X-Service-Signature', () => {
  it('contains the HMAC-SHA256 of time and raw body, as node:crypto computes it with the whole secret as key', async () => {
    const headers = await signatureHeaders(SIGNED)
    const t = Math.floor(NOW / 1000)
    const mac = createHmac('sha256', SECRET).update(`${t}.`).update(Buffer.from(BODY, 'utf8')).digest('hex')
    expect(headers['X-Service-Signature']).toBe(`t=${t},v1=${mac}`)
  })

  it('has one v1 for each valid secret, in the order of the secrets', async () => {
    const headers = await signatureHeaders({ ...SIGNED, secrets: [SECRET, OLDER_SECRET] })
    const t = Math.floor(NOW / 1000)
    const macs = [SECRET, OLDER_SECRET].map((secret) =>
      createHmac('sha256', secret).update(`${t}.${BODY}`).digest('hex'),
    )
    expect(headers['X-Service-Signature']).toBe(`t=${t},v1=${macs[0]},v1=${macs[1]}`)
  })

  it('is different for a different time', async () => {
    const first = await signatureHeaders(SIGNED)
    const second = await signatureHeaders({ ...SIGNED, now: NOW + 1000 })
    expect(second['X-Service-Signature']).not.toBe(first['X-Service-Signature'])
  })
})

describe('the Standard Webhooks signature', () => {
  it('is accepted by standardwebhooks and svix, which return the event', async () => {
    const event = JSON.parse(BODY)
    expect(check(await signatureHeaders(SIGNED))).toEqual({
      standardwebhooks: { accepted: event },
      svix: { accepted: event },
    })
  })

  it.each([SECRET, OLDER_SECRET])('is accepted with each of two valid secrets (%s)', async (secret) => {
    const headers = await signatureHeaders({ ...SIGNED, secrets: [SECRET, OLDER_SECRET] })
    expect(check(headers, BODY, secret).standardwebhooks).toHaveProperty('accepted')
  })

  it('is rejected by standardwebhooks and svix for another body, secret, event id or time', async () => {
    const headers = await signatureHeaders(SIGNED)
    const refused = {
      standardwebhooks: { refused: expect.any(String) },
      svix: { refused: expect.any(String) },
    }
    expect(check(headers, BODY.replace('verified', 'rejected'))).toEqual(refused)
    expect(check(headers, BODY, OLDER_SECRET)).toEqual(refused)
    expect(check({ ...headers, 'webhook-id': 'evt_2' })).toEqual(refused)
    expect(check({ ...headers, 'webhook-timestamp': String(Math.floor(NOW / 1000) + 1) })).toEqual(refused)
  })
})

describe('the worked example of the documentation', () => {
  it('has the documented headers for its secret, body and time', async () => {
    const headers = await signatureHeaders({
      secrets: ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='],
      body: '{"event_id":"evt_example","event_type":"verification.verified","status":"verified"}',
      eventId: 'evt_example',
      now: Date.UTC(2026, 0, 1),
    })
    // Computed with another language's HMAC.
    expect(headers).toEqual({
      'X-Service-Signature':
        't=1767225600,v1=2c38249690cfc5ee6ca6e7780893414e4b6a6cf5965e3d5a0b82e86a4fbfdfe8',
      'webhook-id': 'evt_example',
      'webhook-timestamp': '1767225600',
      'webhook-signature': 'v1,HiyCvVNW1h6nDkm3veZbmR+92haxc3Go0PEf/Fn7IVk=',
    })
  })
})

describe('a webhook secret', () => {
  it('is whsec_ followed by the base64 of its 32 bytes', () => {
    expect(createSecretFrom(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(SECRET)
  })

  it.each([0, 31, 33])('is refused if it has %i bytes', (length) => {
    expect(() => createSecretFrom(new Uint8Array(length))).toThrow()
  })

  it.each([
    ['no prefix', SECRET.slice(6)],
    ['another length', 'whsec_AAAA'],
    ['another alphabet', SECRET.replace('A', '-')],
  ])('is never used for a signature if it is malformed: %s', async (_, secret) => {
    await expect(signatureHeaders({ ...SIGNED, secrets: [secret] })).rejects.toThrow()
  })
})
