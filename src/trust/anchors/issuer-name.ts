// Names of issuers: https URLs and DIDs. An `iss` that a certificate proves is reported only if it is in
// normal form. An anchor names an issuer even if the anchor spells the name differently.

/**
 * Returns an issuer name as a URL, if the name is in normal form and has no user information or fragment.
 * Returns `undefined` for any other text.
 */
export function canonicalIssuer(text: string): URL | undefined {
  if (!URL.canParse(text) || text.includes('#')) return undefined
  const url = new URL(text)
  if (url.username + url.password !== '' || url.hostname.endsWith('.')) return undefined
  return url.href === text || url.href === `${text}/` ? url : undefined
}

/**
 * Returns the same text for all spellings of an issuer's name. Differences in scheme (http or https), case of
 * scheme and host, default port, and final dot of the host are ignored. Repeated and final slashes, user
 * information, a fragment, and escapes are ignored too. A did:web is compared as the URL that it contains.
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

/** Normalizes a DID. The case of the method name is ignored (DID Core §3.1 has small letters only). */
function normalizeDid(path: string): string {
  const [method = '', host = '', ...rest] = path.split(':')
  if (method.toLowerCase() !== 'web') return normalizePath([method.toLowerCase(), host, ...rest].join(':'))
  // In a did:web the port is separated by an escaped colon, and other colons stand for slashes (did:web
  // §3.2).
  return `web:${normalizeIssuer(`https://${host.replace(/%3a/i, ':')}/${rest.join('/')}`)}`
}

function normalizePath(path: string): string {
  return withoutEnd(unescapeCharacters(path).replace(/\/+/g, '/'), '/')
}

/**
 * Replaces the escapes of printable ASCII characters, except `%`, by the characters. RFC 3986 §6.2.2 does
 * this for unreserved characters only. Here two issuers must not differ by an escape alone. Other escapes are
 * written in upper case.
 */
function unescapeCharacters(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const code = Number.parseInt(escaped.slice(1), 16)
    return code > 0x20 && code < 0x7f && code !== 0x25 ? String.fromCharCode(code) : escaped.toUpperCase()
  })
}

/**
 * Removes a character, also if repeated, from the end of a text. A regular expression would take quadratic
 * time for a long name.
 */
function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
