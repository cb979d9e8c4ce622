// Names of issuers: https URLs and DIDs. Only a name in normal form is reported. For the decision about
// trust, different spellings of a name are one issuer.

/** The URL of an issuer name in normal form, without user information and fragment; `undefined` otherwise. */
export function canonicalIssuer(text: string): URL | undefined {
  if (!URL.canParse(text) || text.includes('#')) return undefined
  const url = new URL(text)
  if (url.username + url.password !== '' || url.hostname.endsWith('.')) return undefined
  return url.href === text || url.href === `${text}/` ? url : undefined
}

/**
 * Returns the one form of all spellings of an issuer's name. Case of scheme and host, http for https, a
 * default port, a final dot of the host, repeated and final slashes, user information, a fragment, and
 * escapes do not count. A did:web is compared as the URL that it spells.
 *
 * @example
 * normalizeIssuer('HTTPS://Issuer.example:443/') === normalizeIssuer('https://issuer.example') // true
 */
export function normalizeIssuer(text: string): string {
  if (!URL.canParse(text)) return text
  const { protocol, hostname, port, pathname, search } = new URL(text)
  const query = unescapeCharacters(search)
  if (hostname === '') return `${protocol}${normalizeDid(pathname)}${query}`
  const scheme = protocol === 'http:' ? 'https:' : protocol
  const place = port === '' ? '' : `:${port}`
  return `${scheme}//${withoutEnd(hostname, '.')}${place}${normalizePath(pathname)}${query}`
}

/** Case does not count in the method name (DID Core §3.1 has small letters only). */
function normalizeDid(path: string): string {
  const [method = '', host = '', ...rest] = path.split(':')
  if (method.toLowerCase() !== 'web') return normalizePath([method.toLowerCase(), host, ...rest].join(':'))
  // did:web §3.2: the port is escaped, and colons are slashes.
  return `web:${normalizeIssuer(`https://${host.replace(/%3a/i, ':')}/${rest.join('/')}`)}`
}

function normalizePath(path: string): string {
  return withoutEnd(unescapeCharacters(path).replace(/\/+/g, '/'), '/')
}

/**
 * An escaped character means the character. RFC 3986 §6.2.2 has this for letters only; here no two issuers
 * may differ by an escape. Escapes of other bytes have no case.
 */
function unescapeCharacters(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const code = Number.parseInt(escaped.slice(1), 16)
    return code > 0x20 && code < 0x7f && code !== 0x25 ? String.fromCharCode(code) : escaped.toUpperCase()
  })
}

/** A loop, because a pattern would take quadratic time for a long name. */
function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
