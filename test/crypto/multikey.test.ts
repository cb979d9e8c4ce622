// Compared with the published did:key vectors, and with node:crypto, which computes the public half of each
// published seed.

import { createPrivateKey, createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseMultikey } from '../../src/crypto/multikey.ts'
import vectors from '../vectors/did-key.json' with { type: 'json' }

const word = (did: string) => did.slice('did:key:'.length)
const [P256 = ''] = vectors.nist.map(({ did }) => word(did))

describe('a multikey', () => {
  it.each(vectors.nist.map(({ did, jwk }) => [jwk.crv, word(did), jwk] as const))(
    'a multikey of %s gives the published point: %s',
    (_, text, jwk) => {
      expect(parseMultikey(text)).toEqual(jwk)
    },
  )

  it.each(vectors.ed25519.map(({ did, seed }) => [word(did), seed]))(
    'a multikey of Ed25519 gives the public key of the published seed: %s',
    (text, seed) => {
      const pkcs8 = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex')
      const key = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }))
      const { x } = key.export({ format: 'jwk' })
      expect(parseMultikey(text)).toEqual({ kty: 'OKP', crv: 'Ed25519', x })
    },
  )

  it.each([
    ['no multibase prefix', P256.slice(1)],
    ['the multibase prefix m', `m${P256.slice(1)}`],
    ['nothing after the multibase prefix', 'z'],
    ['one character less', P256.slice(0, -1)],
    ['one character more', `${P256}1`],
    ['a codec of key agreement (X25519)', 'z6LShs9GGnqk85isEBzzshkuVWrVKsRp24GnDuHk8QWkARMW'],
    ['secp256k1', 'zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme'],
  ])('is rejected with %s', (_, text) => {
    expect(parseMultikey(text)).toBeUndefined()
  })

  it('is rejected if its x coordinate belongs to no point of the curve', () => {
    // Half of all coordinates have no point, so a neighbour of a good point is rejected.
    const neighbours = Array.from('23456789ABCDEFGH', (last) => P256.slice(0, -1) + last)
    const read = neighbours.map(parseMultikey)
    expect(read).toContain(undefined)
    expect(read.filter((key) => key !== undefined).length).toBeGreaterThan(0)
  })
})
