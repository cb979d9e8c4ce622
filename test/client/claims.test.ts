// Claims encrypted and signed by jose, decrypted by the client.

import { decryptClaims } from '@wallet-verifier/client/claims'
import { CompactEncrypt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'

const recipient = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
const stranger = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
const service = await generateKeyPair('ES256', { extractable: true })
const retired = await generateKeyPair('ES256', { extractable: true })

const CREDENTIALS = [
  {
    id: 'pid',
    credential_type: 'pid',
    format: 'dc+sd-jwt',
    issuer: null,
    claims: { family_name: 'Ångström' },
  },
]

const checks = {
  privateJwk: (await exportJWK(recipient.privateKey)) as JsonWebKey,
  jwks: {
    keys: [
      { ...((await exportJWK(retired.publicKey)) as JsonWebKey), kid: 'k1' },
      { ...((await exportJWK(service.publicKey)) as JsonWebKey), kid: 'k2' },
    ],
  },
  issuer: 'https://verifier.example',
  audience: 'rp_1',
  verificationId: 'v_1',
}

type EnvelopeOptions = {
  readonly payload?: JWTPayload
  readonly kid?: string
  readonly key?: CryptoKey
  readonly to?: CryptoKey
  readonly enc?: string
  /** `none`: the header has no `typ`. */
  readonly typ?: string
}

/** Builds encrypted claims, correct except for the given changes. */
async function envelope(options: EnvelopeOptions = {}) {
  const { payload = {}, kid = 'k2', key, to, enc = 'A256GCM' } = options
  const { typ = 'verification-claims+jwt' } = options
  const jws = await new SignJWT({ verification_id: 'v_1', credentials: CREDENTIALS, ...payload })
    .setProtectedHeader({ alg: 'ES256', kid, ...(typ !== 'none' && { typ }) })
    .setIssuer(payload.iss ?? checks.issuer)
    .setAudience((payload.aud as string | undefined) ?? checks.audience)
    .setIssuedAt()
    .sign(key ?? service.privateKey)
  return new CompactEncrypt(new TextEncoder().encode(jws))
    .setProtectedHeader({ alg: 'ECDH-ES', enc, cty: 'JWT' })
    .encrypt(to ?? recipient.publicKey)
}

describe('encrypted claims', () => {
  it('encrypted claims for this relying party and this verification are decrypted', async () => {
    const opened = await decryptClaims(await envelope(), checks)
    expect(opened).toMatchObject({ ok: true, value: { verification_id: 'v_1', credentials: CREDENTIALS } })
  })

  it('encrypted claims signed with a retired key are decrypted while the key is still published', async () => {
    const opened = await decryptClaims(await envelope({ kid: 'k1', key: retired.privateKey }), checks)
    expect(opened).toMatchObject({ ok: true })
  })

  it('encrypted claims made by a service before version 0.3 are decrypted', async () => {
    expect(await decryptClaims(await envelope({ typ: 'JWT' }), checks)).toMatchObject({ ok: true })
  })

  it.each<[string, EnvelopeOptions, string]>([
    ['for another key', { to: stranger.publicKey }, 'decryption_failed'],
    ['in another encryption', { enc: 'A128GCM' }, 'unsupported_encryption'],
    ['signed by another key', { key: retired.privateKey }, 'wrong_signature'],
    ['signed by a key that is not published', { kid: 'k3' }, 'unknown_key'],
    ['with the typ of an access token', { typ: 'at+jwt' }, 'not_claims'],
    ['with the typ of a receipt', { typ: 'verification-receipt+jwt' }, 'not_claims'],
    ['without a type', { typ: 'none' }, 'not_claims'],
    ['of another issuer', { payload: { iss: 'https://other.example' } }, 'wrong_audience'],
    ['for another relying party', { payload: { aud: 'rp_2' } }, 'wrong_audience'],
    ['of another verification', { payload: { verification_id: 'v_2' } }, 'wrong_audience'],
  ])('%s are refused', async (_, making, error) => {
    expect(await decryptClaims(await envelope(making), checks)).toEqual({ ok: false, error: error })
  })

  it('encrypted claims with one changed character are refused', async () => {
    const good = await envelope()
    for (let i = 0; i < good.length; i += 7) {
      // A and Q differ in a bit that counts, also in the last character, where the low bits are spare.
      const changed = good.slice(0, i) + (good[i] === 'A' ? 'Q' : 'A') + good.slice(i + 1)
      expect(await decryptClaims(changed, checks), `character ${i}`).toMatchObject({ ok: false })
    }
  })

  it.each(['', 'a.b.c', '....', 'e30.....', 'bnVsbA....'])(
    'are refused as malformed if their text is %j',
    async (text) => {
      expect(await decryptClaims(text, checks)).toEqual({ ok: false, error: 'malformed' })
    },
  )
})
