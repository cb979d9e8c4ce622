// EncryptionInfo and the session transcript of Annex C, compared with published examples.

import { createHash } from 'node:crypto'
import { decode } from 'cborg'
import { describe, expect, it } from 'vitest'
import { encodeHex } from '../../src/codec/bytes.ts'
import { buildDcApiTranscript, buildSessionTranscript } from '../../src/formats/mdoc/session-transcript.ts'
import { buildEncryptionInfo } from '../../src/iso18013-7/encryption-info.ts'
import annexC from '../vectors/annex-c.json' with { type: 'json' }

/** Nonce and coordinates of a published EncryptionInfo, as another decoder reads them. */
function membersOf(encryptionInfo: string) {
  const [, parameters] = decode(Buffer.from(encryptionInfo, 'base64url'), { useMaps: true })
  const key = parameters.get('recipientPublicKey')
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  return { nonce: text(parameters.get('nonce')), x: text(key.get(-2)), y: text(key.get(-3)) }
}

const { waltId, euAgeVerification } = annexC

describe.each([
  ['walt.id', waltId],
  ['the EU age verification profile', euAgeVerification],
])('the example of %s', (_, { encryptionInfoB64 }) => {
  it('has exactly the bytes of the EncryptionInfo that we build', () => {
    expect(buildEncryptionInfo(membersOf(encryptionInfoB64))).toBe(encryptionInfoB64)
  })
})

describe('the session transcript', () => {
  it('the session transcript of walt.id has the published hash', async () => {
    const transcript = await buildDcApiTranscript({
      encryptionInfo: waltId.encryptionInfoB64,
      origin: waltId.origin,
    })
    expect(createHash('sha256').update(transcript).digest('hex')).toBe(waltId.sessionTranscriptSha256Hex)
  })

  it('the session transcript of the EU age verification profile has the published digest', async () => {
    const { encryptionInfoB64: encryptionInfo, origin, handoverDigestHex } = euAgeVerification
    const transcript = await buildDcApiTranscript({ encryptionInfo, origin })
    expect(handoverDigestHex).toMatch(/^4a292708.*db0a$/)
    expect(encodeHex(transcript)).toBe(`83f6f682656463617069${'5820'}${handoverDigestHex}`)
  })

  it('depends on the origin and on the encryption information', async () => {
    const { encryptionInfoB64: encryptionInfo, origin } = euAgeVerification
    const hexOf = async (input: { encryptionInfo: string; origin: string }) =>
      encodeHex(await buildDcApiTranscript(input))
    const good = await hexOf({ encryptionInfo, origin })
    expect(await hexOf({ encryptionInfo, origin: `${origin}/` })).not.toBe(good)
    expect(await hexOf({ encryptionInfo: waltId.encryptionInfoB64, origin })).not.toBe(good)
  })

  it('can also be built from a handover of the kind `iso_dc_api`', async () => {
    const { encryptionInfoB64: encryptionInfo, origin } = euAgeVerification
    const handover = { kind: 'iso_dc_api', origin, encryptionInfo, encryptionKey: null } as const
    const built = await buildSessionTranscript({ audience: 'not used', nonce: 'not used', handover })
    expect(built).toEqual(await buildDcApiTranscript({ encryptionInfo, origin }))
  })
})
