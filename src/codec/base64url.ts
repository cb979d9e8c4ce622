// base64 and base64url, strictly (RFC 4648 §3.5, §4, §5): the platform's decoder skips white space and accepts
// non-zero pad bits, so two texts could mean the same bytes. Here one text means one value.

/** Encodes without padding (RFC 7515 §2). */
export function encodeBase64url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes base64url without padding; `undefined` for any other text, non-canonical pad bits included. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined
  const bytes = toBytes(text.replaceAll('-', '+').replaceAll('_', '/'))
  return encodeBase64url(bytes) === text ? bytes : undefined
}

/** Encodes with the standard alphabet and padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK))
  }
  return btoa(binary)
}

/** Decodes standard base64 with its padding; `undefined` for any other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  const bytes = toBytes(text)
  return encodeBase64(bytes) === text ? bytes : undefined
}

// String.fromCharCode takes its bytes as arguments; engines bound their number.
const CHUNK = 8192

function toBytes(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
