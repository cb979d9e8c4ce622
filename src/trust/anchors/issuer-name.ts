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
 * Returns whether two names are spellings of one issuer. Case of scheme and host, a default port, a final dot
 * of the host, a final slash, user information, a fragment, and escaped letters do not count.
 */
export function isSameIssuer(a: string, b: string): boolean {
  return a === b || normalize(a) === normalize(b)
}

function normalize(text: string): string {
  if (!URL.canParse(text)) return text
  const { protocol, hostname, port, pathname, search } = new URL(text)
  const path = withoutEnd(unescapeLetters(pathname), '/')
  if (hostname === '') return `${protocol}${normalizeDid(path)}${search}`
  return `${protocol}//${withoutEnd(hostname, '.')}${port && `:${port}`}${path}${search}`
}

/** Case does not count in the method name and in a did:web's host (DID Core §3.1 has small letters only). */
function normalizeDid(path: string): string {
  const [method = '', host = '', ...rest] = path.split(':')
  if (method.toLowerCase() !== 'web') return [method.toLowerCase(), host, ...rest].join(':')
  const name = withoutEnd(host.toLowerCase().replace(/%3a443$/, ''), '.')
  return ['web', name, ...rest].join(':')
}

/** RFC 3986 §6.2.2: an escaped unreserved character means the character. Escapes have no case. */
function unescapeLetters(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase()
  })
}

/** A loop, because a pattern would take quadratic time for a long name. */
function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
