// Certificates of trust anchors: PEM (RFC 7468 §5), decoded once for each text and isolate.

import { decodeBase64 } from '../../codec/base64url.ts'
import { decodeEach } from '../../codec/decode-each.ts'
import { CERTIFICATE, PEM, TRUST_LIST } from '../../limits.ts'
import { type Certificate, decodeCertificate } from '../x509/certificate.ts'

/** The certificates of a PEM text, in its order. Empty for any other text, which the admin API rejects. */
export function anchorCertificates(pem: string): readonly Certificate[] {
  const known = decoded.get(pem)
  if (known !== undefined) return known
  const certificates = decodePemCertificates(pem) ?? []
  const [oldest] = decoded.keys()
  if (decoded.size >= CACHED_TEXTS && oldest !== undefined) decoded.delete(oldest)
  decoded.set(pem, certificates)
  return certificates
}

/** Decodes a PEM text that holds certificates and nothing else; `undefined` for any other text. */
export function decodePemCertificates(pem: string): readonly Certificate[] | undefined {
  if (pem.length > PEM.characters) return undefined
  const [before = '', ...blocks] = pem.split(BEGIN)
  if (before.trim() !== '') return undefined
  return decodeEach(blocks, decodeBlock, PEM.certificates)
}

/**
 * Cache of a pure function. Its texts come from settings and lists, never from a wallet. Two whole lists fit.
 */
const decoded = new Map<string, readonly Certificate[]>()
const CACHED_TEXTS = 2 * TRUST_LIST.anchors

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
