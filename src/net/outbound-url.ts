// Where the service may send a request to (CONTRACT 7): https on 443 to a public name. One rule for webhooks and for
// every other outgoing request, but that revocation lists may come by http on 80: they are signed, and published so.
//
// A name is judged as text. One that looks public may still resolve to a private address; that is stopped where the
// connection is made, by `global_fetch_strictly_public` at the edge and by workerd's `network` rules when self-hosted.

import { err, ok, type Result } from '../result.ts'

/** What the judgement depends on besides the text. */
export type UrlRule = {
  /** Adds http to 127.0.0.1 and localhost, any port: for tests and local development. */
  readonly allowLoopback: boolean
  /** Host of our own base URL, with its port where it has one: the service never calls itself. */
  readonly ownHost: string
  /** Adds http on port 80 of public names: for what is public and signed. */
  readonly allowHttp?: boolean
}

/** Why a URL is refused. */
export type UrlError =
  | 'too_long'
  | 'malformed'
  | 'userinfo'
  | 'fragment'
  | 'not_https'
  | 'port'
  | 'ip_literal'
  | 'not_public_name'
  | 'own_host'

/** Hosts that tests and local development may reach by plain http. */
export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', 'localhost']

/** Accepts a URL, in the parser's spelling, or says why not. */
export function checkOutboundUrl(text: string, rule: UrlRule): Result<string, UrlError> {
  if (text.length > LENGTH_LIMIT) return err('too_long')
  // What the URL parser would silently repair is refused: two readers could read it differently.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (!/^[!-[\]-~]*$/.test(text) || !URL.canParse(text)) return err('malformed')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return err('not_https')
  if (authority === undefined) return err('malformed')
  if (authority.includes('@')) return err('userinfo')
  if (text.includes('#')) return err('fragment')
  const fault = isLoopback(url) && rule.allowLoopback ? loopbackError(url, rule) : publicError(url, rule)
  if (fault !== undefined) return err(fault)
  // A percent-encoded or otherwise disguised host: the parser's spelling is not the one that was written.
  if (authority.toLowerCase().replace(/:\d*$/, '') !== url.hostname) return err('malformed')
  return ok(url.href)
}

const LENGTH_LIMIT = 2048

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname)
}

function loopbackError({ port }: URL, { ownHost }: UrlRule): UrlError | undefined {
  // Both names are one place, so the port alone tells our own door from another's.
  const own = new URL(`http://${ownHost}`)
  return LOOPBACK_HOSTS.includes(own.hostname) && own.port === port ? 'own_host' : undefined
}

function publicError(
  { protocol, port, hostname }: URL,
  { ownHost, allowHttp }: UrlRule,
): UrlError | undefined {
  if (protocol !== 'https:' && !allowHttp) return 'not_https'
  if (port !== '') return 'port'
  // URL Standard §3.5: the parser has turned every notation of an IPv4 address into four decimal numbers.
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) return 'ip_literal'
  if (!isPublicName(hostname)) return 'not_public_name'
  return hostname === new URL(`https://${ownHost}`).hostname ? 'own_host' : undefined
}

/** Two labels or more, each in the letters, digits and hyphens of RFC 1123 §2.1, and none of the names that are never public. */
function isPublicName(hostname: string): boolean {
  const labels = hostname.split('.')
  const wellFormed = labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  if (labels.length < 2 || hostname.length > 253 || !wellFormed) return false
  return !NEVER_PUBLIC.some((name) => hostname === name || hostname.endsWith(`.${name}`))
}

const NEVER_PUBLIC = [
  // IANA Special-Use Domain Names (RFC 6761, 6762, 7686, 8375, 9476) and ICANN's name for private use
  'alt',
  'arpa',
  'example',
  'internal',
  'invalid',
  'local',
  'localhost',
  'onion',
  'test',
  // names kept out of the root because private networks use them (ICANN on name collisions, RFC 6762 Appendix G)
  'corp',
  'home',
  'intranet',
  'lan',
  'mail',
  'private',
  // what resolvers of networks and clusters answer themselves
  'consul',
  'fritz.box',
  'localdomain',
  'svc',
  'ts.net',
  // metadata services under public-looking names
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
]
