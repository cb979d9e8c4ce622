// Receipts signed by jose, verified by the client.

import { verifyReceipt } from '@wallet-verifier/client/receipt'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'

const service = await generateKeyPair('ES256', { extractable: true })
const retired = await generateKeyPair('ES256', { extractable: true })

const checks = {
  jwks: {
    keys: [
      { ...((await exportJWK(service.publicKey)) as JsonWebKey), kid: 'k2' },
      { ...((await exportJWK(retired.publicKey)) as JsonWebKey), kid: 'k1' },
    ],
  },
  issuer: 'https://verifier.example',
  verificationId: 'v_1',
}

type ReceiptOptions = {
  readonly claims?: object
  readonly typ?: string
  readonly kid?: string
  readonly key?: CryptoKey
}

/** Builds a receipt, correct except for the given changes. */
function receipt({ claims, typ = 'verification-receipt+jwt', kid = 'k2', key }: ReceiptOptions = {}) {
  return new SignJWT({ iss: checks.issuer, verification_id: 'v_1', status: 'verified', ...claims })
    .setProtectedHeader({ alg: 'ES256', typ, kid })
    .sign(key ?? service.privateKey)
}

describe('a receipt', () => {
  it('a receipt of this verification is accepted', async () => {
    expect(await verifyReceipt(await receipt(), checks)).toMatchObject({
      ok: true,
      value: { verification_id: 'v_1', status: 'verified' },
    })
  })

  it('a receipt of any verification is accepted if the caller passes no verificationId', async () => {
    const { verificationId: _, ...any } = checks
    const other = await receipt({ claims: { verification_id: 'v_2' } })
    expect(await verifyReceipt(other, any)).toMatchObject({ ok: true, value: { verification_id: 'v_2' } })
  })

  it('a receipt signed with a retired key is accepted while the key is published', async () => {
    const old = await receipt({ kid: 'k1', key: retired.privateKey })
    expect(await verifyReceipt(old, checks)).toMatchObject({ ok: true })
    const [today] = checks.jwks.keys
    const jwks = { keys: today ? [today] : [] }
    expect(await verifyReceipt(old, { ...checks, jwks })).toEqual({ ok: false, error: 'unknown_key' })
  })

  it.each<[string, ReceiptOptions, string]>([
    ['signed by another key', { key: retired.privateKey }, 'wrong_signature'],
    ['signed by a key that is not published', { kid: 'k3' }, 'unknown_key'],
    ['that is an access token', { typ: 'at+jwt' }, 'not_a_receipt'],
    ['of another service', { claims: { iss: 'https://other.example' } }, 'wrong_verification'],
    ['of another verification', { claims: { verification_id: 'v_2' } }, 'wrong_verification'],
  ])('%s is refused', async (_, making, error) => {
    expect(await verifyReceipt(await receipt(making), checks)).toEqual({ ok: false, error: error })
  })

  it.each(['', 'a.b.c', '..', 'e30.e30.AA'])(
    'a receipt with the text %j is refused as malformed',
    async (text) => {
      expect(await verifyReceipt(text, checks)).toEqual({ ok: false, error: 'malformed' })
    },
  )

  it('a receipt with nonzero spare bits in its last base64url character is refused', async () => {
    const good = await receipt()
    // The last of 86 characters has two bits of the signature and four spare bits, which are zero.
    const spare = { A: 'B', Q: 'R', g: 'h', w: 'x' }[good.slice(-1)]
    expect(spare).toBeDefined()
    expect(await verifyReceipt(good.slice(0, -1) + spare, checks)).toEqual({ ok: false, error: 'malformed' })
  })

  it('a receipt with one changed character is refused', async () => {
    const good = await receipt()
    const last = good.length - 1
    for (const i of [...Array(last).keys()].filter((index) => index % 5 === 0).concat(last)) {
      const changed = good.slice(0, i) + (good[i] === 'A' ? 'B' : 'A') + good.slice(i + 1)
      expect(await verifyReceipt(changed, checks), `character ${i}`).toMatchObject({ ok: false })
    }
  })
})
