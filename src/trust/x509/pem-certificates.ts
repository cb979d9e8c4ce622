// Decodes and encodes certificates of trust anchors in PEM (RFC 7468 §5). Each isolate caches the decoded
// texts.

import { decodeBase64, encodeBase64 } from '../../codec/base64url.ts'
import { equalBytes } from '../../codec/bytes.ts'
import { decodeEach } from '../../codec/decode-each.ts'
import { CERTIFICATE, PEM, TRUST_LIST } from '../../limits.ts'
import { type Certificate, decodeCertificate } from './certificate.ts'

/**
 * Returns the certificates of a PEM text, in order. Any other text, which the admin API rejects, gives an
 * empty list.
 */
export function anchorCertificates(pem: string): readonly Certificate[] {
  lookups += 1
  const cached = decoded.get(pem)
  const certificates = cached?.certificates ?? decodePemCertificates(pem) ?? []
  if (cached === undefined && !hasRoom()) return certificates
  decoded.delete(pem)
  decoded.set(pem, { certificates, usedAt: lookups })
  return certificates
}

/** Decodes a PEM text that holds certificates and nothing else; `undefined` for any other text. */
export function decodePemCertificates(pem: string): readonly Certificate[] | undefined {
  if (pem.length > PEM.characters) return undefined
  const [before = '', ...blocks] = pem.split(BEGIN)
  if (before.trim() !== '') return undefined
  return decodeEach(blocks, decodeBlock, PEM.certificates)
}

/** Returns the first entry whose chain has the same leaf certificate as the chain in a PEM text. */
export function findByLeaf<Entry extends { readonly certificate_chain_pem: string }>(
  entries: readonly Entry[],
  chainPem: string,
): Entry | undefined {
  const leaf = leafOf(chainPem)
  if (leaf === undefined) return undefined
  return entries.find(({ certificate_chain_pem }) => {
    const other = leafOf(certificate_chain_pem)
    return other !== undefined && equalBytes(other, leaf)
  })
}

function leafOf(chainPem: string): Uint8Array | undefined {
  return decodePemCertificates(chainPem)?.[0]?.encoded
}

/** Returns a certificate as PEM. */
export function encodePem(bytes: Uint8Array): string {
  return `${BEGIN}\n${encodeBase64(bytes)}\n${END}\n`
}

type CachedText = { readonly certificates: readonly Certificate[]; readonly usedAt: number }

/**
 * Cache of decoded PEM texts, with the least recently used text first. The texts come from settings and trust
 * lists, never from a wallet. The cache has space for six full trust lists. A certificate takes about 10 KB.
 */
const decoded = new Map<string, CachedText>()
const CACHED_TEXTS = 6 * TRUST_LIST.anchors
let lookups = 0

/**
 * A full cache drops a text only if the text was unused for this number of lookups. Each presentation looks
 * up all anchors in the same order. If there were more anchors than cached texts, and each new text replaced
 * the oldest text, every lookup would miss.
 */
const UNUSED_LOOKUPS = 100_000

/** Makes room for one text. Returns `false` if all cached texts are in use. */
function hasRoom(): boolean {
  if (decoded.size < CACHED_TEXTS) return true
  const [oldest] = decoded
  return oldest !== undefined && lookups - oldest[1].usedAt > UNUSED_LOOKUPS && decoded.delete(oldest[0])
}

/** Pattern of the beginning of each text that `decodePemCertificates` decodes, for the API description. */
export const PEM_BEGINNING = /^\s*-----BEGIN CERTIFICATE-----/

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'

function decodeBlock(block: string): Certificate | undefined {
  const [base64 = '', after, ...rest] = block.split(END)
  if (after === undefined || after.trim() !== '' || rest.length > 0) return undefined
  const text = base64.replace(/\s+/g, '')
  if (text.length > (CERTIFICATE.bytes * 4) / 3 + 4) return undefined
  const bytes = decodeBase64(text)
  return bytes && decodeCertificate(bytes)
}
