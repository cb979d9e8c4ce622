// Signatures of certificates that no key made, inside workerd: it throws where node says that they do not
// verify.

import { expect, it } from 'vitest'
import { resolveSigner } from '../../src/trust/anchors/resolve-signer.ts'

type Octets = readonly number[]

function tlv(tag: number, ...contents: readonly Octets[]): Octets {
  const content = contents.flat()
  const { length } = content
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return [tag, ...head, ...content]
}

const text = (value: string) => [...new TextEncoder().encode(value)]

const ED25519 = tlv(0x30, tlv(0x06, [0x2b, 0x65, 0x70]))
const NAME = tlv(0x30, tlv(0x31, tlv(0x30, tlv(0x06, [0x55, 4, 3]), tlv(0x0c, text('a stranger')))))

/** A certificate in its own name, with an Ed25519 key and this many octets for a signature. */
function certificateSignedBy(octets: number): Uint8Array<ArrayBuffer> {
  const times = tlv(0x30, tlv(0x18, text('20240101000000Z')), tlv(0x18, text('20491231235959Z')))
  const key = tlv(0x30, ED25519, tlv(0x03, [0, ...Array<number>(32).fill(0x58)]))
  const body = tlv(0x30, tlv(0xa0, tlv(0x02, [2])), tlv(0x02, [1]), ED25519, NAME, times, NAME, key)
  const signature = tlv(0x03, [0, ...Array<number>(octets).fill(7)])
  return Uint8Array.from(tlv(0x30, body, ED25519, signature))
}

it.each([0, 1, 63, 64, 65, 512])(
  'RFC 8032 §5.1.6: an Ed25519 signature of %d octets is treated as invalid, and causes no exception',
  async (octets) => {
    const chain = [certificateSignedBy(octets)]
    const claims = { iss: undefined, kid: undefined, chain, algorithm: 'EdDSA' }
    const found = await resolveSigner(claims, {
      now: Date.parse('2030-01-01') / 1000,
      anchors: [],
      credentialType: { name: 'pid', builtIn: true },
      purpose: 'issuer',
      fetchResource: () => Promise.reject(new Error('nothing is fetched')),
    })
    expect(found).toEqual({ ok: false, error: { reason: 'untrusted_issuer' } })
  },
)
