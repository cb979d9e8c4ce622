// Reads an input as text or bytes: UTF-8, PEM, JSON, hexadecimal, base64 and base64url.

import { decodeBase64, decodeBase64url } from '../../../src/codec/base64url.ts'
import { decodeHex, decodeUtf8 } from '../../../src/codec/bytes.ts'
import { INPUT } from './limits.ts'
import { UnreadableInputError } from './report.ts'

/** An input: a text, or bytes that are no text. `bytes` of a text are decoded from hexadecimal or base64. */
export type Source =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: Bytes | undefined }
  | { readonly kind: 'bytes'; readonly bytes: Bytes }

/** Bytes that own their buffer. */
export type Bytes = Uint8Array<ArrayBuffer>

/**
 * Reads an input. White space around a text is removed. Throws `UnreadableInputError` for an empty input and
 * for an input over the limit.
 */
export function readSource(input: string | Uint8Array): Source {
  if (input.length > INPUT.bytes) throw new UnreadableInputError('the input has more than 64 MiB')
  if (typeof input !== 'string') {
    const bytes = new Uint8Array(input)
    const decoded = isText(bytes) ? decodeUtf8(bytes) : undefined
    return decoded === undefined ? { kind: 'bytes', bytes } : readSource(decoded)
  }
  const text = input.replace(/^\ufeff/, '').trim()
  if (text === '') throw new UnreadableInputError('the input is empty')
  return { kind: 'text', text, bytes: decodeText(text) }
}

/** Returns false for bytes with control characters that no text has. */
function isText(bytes: Bytes): boolean {
  return !bytes.subarray(0, 4096).some((byte) => byte < 9 || (byte > 13 && byte < 32))
}

/** Decodes hexadecimal, base64url or base64, with line breaks; `undefined` for any other text. */
export function decodeText(text: string): Bytes | undefined {
  const compact = text.replaceAll(/\s+/g, '')
  if (compact.length < 8) return undefined
  if (/^[0-9a-f]+$/i.test(compact)) {
    const decoded = decodeHex(compact.toLowerCase())
    if (decoded !== undefined) return decoded
  }
  if (!/^[A-Za-z0-9+/_=-]+$/.test(compact)) return undefined
  return decodeBase64url(compact.replace(/=+$/, '')) ?? decodeBase64(compact)
}
