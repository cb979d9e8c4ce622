// Compression of responses. The platform compresses a body with the coding that its header names.

/** Content codings of responses, best first. */
const CODINGS = ['br', 'gzip']

/**
 * Returns the headers of a compressed text. `acceptEncoding` is the header of the request. Do not use these
 * headers for a response that contains both a secret and a text that a stranger chose. The length of the
 * compressed response would tell if the text is part of the secret (BREACH).
 */
export function codingHeaders(acceptEncoding: string | undefined): Readonly<Record<string, string>> {
  const [coding] = acceptedCodings(acceptEncoding)
  return { Vary: 'Accept-Encoding', ...(coding && { 'Content-Encoding': coding }) }
}

/**
 * Returns the content codings that the header `Accept-Encoding` accepts, best first. A weight of 0 refuses a
 * coding (RFC 9110 §12.5.3).
 */
export function acceptedCodings(acceptEncoding: string | undefined): readonly string[] {
  const entries = (acceptEncoding ?? '').toLowerCase().split(',')
  const accepted = entries.flatMap((entry) => {
    const [name = '', weight = ''] = entry.split(';').map((part) => part.trim())
    return /^q=0(\.0*)?$/.test(weight) ? [] : [name]
  })
  return CODINGS.filter((coding) => accepted.includes(coding))
}
