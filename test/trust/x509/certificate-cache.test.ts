// A trusted chain is decoded and verified once. Nothing that may change between two uses is cached with it.
// Every test verifies a good chain first, then changes one thing.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { concatBytes } from '../../../src/codec/bytes.ts'
import { CERTIFICATE } from '../../../src/limits.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { type Certificate, decodeCertificate } from '../../../src/trust/x509/certificate.ts'
import { cacheCertificates, cachedCertificate } from '../../../src/trust/x509/certificate-cache.ts'
import {
  type IssuerPki,
  mintIntermediate,
  mintIssuerPki,
  mintLeaf,
  mintRoot,
} from '../../support/certificates/certificates.ts'
import { ask, caAnchor, NOW, outcomeOf, pinnedAnchor } from '../fixtures.ts'

const HOUR = 3600

let seen: IssuerPki
let anchors: readonly TrustAnchor[]

beforeEach(async () => {
  seen = await mintIssuerPki({
    leaf: { notBefore: new Date((NOW - HOUR) * 1000), notAfter: new Date((NOW + HOUR) * 1000) },
  })
  anchors = [caAnchor(seen.root.pem)]
  expect(await askAgain()).toBe('trusted')
})

afterEach(() => {
  vi.restoreAllMocks()
})

/** Resolves the trusted chain, or another one, with the same or changed input. */
async function askAgain(
  changes: { readonly chain?: Uint8Array<ArrayBuffer>[]; readonly now?: number } = {},
  trusted = anchors,
): Promise<string> {
  const { chain = seen.chain, now = NOW } = changes
  return outcomeOf(await ask({ chain }, { anchors: trusted, now }))
}

describe('a cached chain', () => {
  it('is trusted again without another verification of its signatures', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify')
    expect(await askAgain()).toBe('trusted')
    expect(verify).not.toHaveBeenCalled()
  })

  it('is refused if one byte is changed', async () => {
    for (const place of [0, 1]) {
      for (let i = 0; i < seen.chain[place]!.length; i += 3) {
        const chain = seen.chain.map((der) => der.slice())
        chain[place]![i]! ^= 1
        expect(await askAgain({ chain }), `byte ${i} of certificate ${place}`).not.toBe('trusted')
      }
    }
    expect(await askAgain()).toBe('trusted')
  })

  it('is refused if a byte is missing or added', async () => {
    const [leaf, intermediate] = seen.chain as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]
    for (const changed of [leaf.slice(1), leaf.slice(0, -1), concatBytes(leaf, Uint8Array.of(0))]) {
      expect(await askAgain({ chain: [changed, intermediate] })).toBe('malformed_certificate_chain')
    }
  })

  it('is refused once it has expired, and before it is valid', async () => {
    expect(await askAgain({ now: NOW + HOUR + 1 })).toBe('certificate_expired')
    expect(await askAgain({ now: NOW - HOUR - 1 })).toBe('certificate_not_yet_valid')
    expect(await askAgain()).toBe('trusted')
  })

  it('is refused if its anchor is no longer configured', async () => {
    expect(await askAgain({}, [])).toBe('untrusted_issuer')
    expect(await askAgain({}, [caAnchor((await mintRoot({ subject: 'CN=Other' })).pem)])).toBe(
      'untrusted_issuer',
    )
  })

  it('is refused if the only anchor has the same name but another key', async () => {
    expect(await askAgain({}, [caAnchor((await mintRoot()).pem)])).toBe('invalid_certificate_path')
  })

  it('is refused if its anchor now covers only another type, purpose or extended key usage', async () => {
    expect(await askAgain({}, [caAnchor(seen.root.pem, { credential_types: ['mdl'] })])).toBe(
      'untrusted_issuer',
    )
    expect(await askAgain({}, [caAnchor(seen.root.pem, { purpose: ['status'] })])).toBe('untrusted_issuer')
    expect(await askAgain({}, [caAnchor(seen.root.pem, { eku: ['1.0.18013.5.1.2'] })])).toBe(
      'certificate_profile_violation: extended_key_usage',
    )
  })

  it('does not make a forged leaf trusted that is sent with the same intermediate', async () => {
    const forger = await mintIntermediate(await mintRoot())
    const forged = await mintLeaf(forger)
    expect(await askAgain({ chain: [forged.der, seen.intermediate.der] })).toBe('invalid_certificate_path')
  })

  it('does not make another intermediate trusted that is sent with the same leaf', async () => {
    const other = await mintIntermediate(seen.root)
    expect(await askAgain({ chain: [seen.leaf.der, other.der] })).toBe('invalid_certificate_path')
  })

  it('is refused if its order changes, if its intermediate is missing, or if it also contains its anchor', async () => {
    expect(await askAgain({ chain: seen.chain.toReversed() })).not.toBe('trusted')
    expect(await askAgain({ chain: [seen.leaf.der] })).not.toBe('trusted')
    expect(await askAgain({ chain: [...seen.chain, seen.root.der] })).toBe('trust_anchor_in_chain')
  })

  it('is refused if the leaf is no longer pinned', async () => {
    const pinned = await mintIssuerPki()
    const chain = [pinned.leaf.der]
    expect(await askAgain({ chain }, [pinnedAnchor(pinned.leaf.pem)])).toBe('trusted')
    expect(await askAgain({ chain })).not.toBe('trusted')
    expect(await askAgain({ chain }, [pinnedAnchor(seen.leaf.pem)])).not.toBe('trusted')
  })

  it('does not change if the bytes of the message change, and does not keep the message in memory', async () => {
    const { root, chain } = await mintIssuerPki()
    const message = concatBytes(new Uint8Array(5000), chain[0]!)
    const part = message.subarray(5000)
    expect(await askAgain({ chain: [part, chain[1]!] }, [caAnchor(root.pem)])).toBe('trusted')
    expect(cachedCertificate(chain[0]!)?.tbs.buffer.byteLength).toBe(chain[0]!.length)
    message.fill(0)
    expect(await askAgain({ chain: [part, chain[1]!] }, [caAnchor(root.pem)])).toBe(
      'malformed_certificate_chain',
    )
    expect(await askAgain({ chain }, [caAnchor(root.pem)])).toBe('trusted')
  })
})

describe('the cache of certificates', () => {
  it('contains no certificate of a chain that no anchor trusts', async () => {
    const stranger = await mintIssuerPki()
    expect(await askAgain({ chain: stranger.chain })).toBe('invalid_certificate_path')
    expect(stranger.chain.map(cachedCertificate)).toEqual([undefined, undefined])
  })

  it('contains only the leaf of a chain whose leaf is pinned', async () => {
    const [pinned, stranger] = [await mintIssuerPki(), await mintRoot()]
    const chain = [pinned.leaf.der, stranger.der]
    expect(await askAgain({ chain }, [pinnedAnchor(pinned.leaf.pem)])).toBe('trusted')
    expect(chain.map((der) => cachedCertificate(der) !== undefined)).toEqual([true, false])
  })

  it('has a limited size, and drops the least recently used certificates first', () => {
    const others = Array.from({ length: CERTIFICATE.remembered }, (_, i) => another(i))
    cacheCertificates(others)
    expect(cachedCertificate(seen.leaf.der)).toBeUndefined()
    const [first, second] = others as [Certificate, Certificate]
    cacheCertificates([first])
    cacheCertificates([another(-1)])
    expect(cachedCertificate(first.encoded)).toBe(first)
    expect(cachedCertificate(second.encoded)).toBeUndefined()
  })
})

/** Like the leaf, with a signature of its own that is not checked here. */
function another(number: number): Certificate {
  const encoded = seen.leaf.der.slice()
  new DataView(encoded.buffer).setInt32(encoded.length - 8, number)
  return { ...(decodeCertificate(seen.leaf.der) as Certificate), encoded }
}
