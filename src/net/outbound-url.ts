// Rule for every outgoing URL (api/outgoing): https on port 443 to a public name. Revocation lists may use
// http on port 80, because they are signed and often published by http.
//
// The name is checked as text. A public-looking name may still resolve to a private address. The platform
// blocks that connection: on Cloudflare by `global_fetch_strictly_public`, self-hosted by workerd's `network`
// rules.

import { err, ok, type Result } from '../result.ts'

/** Parameters of the rule. */
export type UrlRule = {
  /** Allows http to 127.0.0.1 and localhost, any port: for tests and local development. */
  readonly allowLoopback: boolean
  /**
   * Host of our own base URL, with its port if the URL has one. URLs with this host are rejected, so that the
   * service never calls itself.
   */
  readonly ownHost: string
  /**
   * Port on which this process listens, if known. Behind a proxy it differs from the port of the base URL.
   */
  readonly ownPort?: string | null
  /** Allows http on port 80 of public names, for a signed resource that anyone may read. */
  readonly allowHttp?: boolean
}

/** Reasons to reject a URL. */
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

/** Returns an accepted URL as the URL parser writes it, or the reason to reject the URL. */
export function checkOutboundUrl(text: string, rule: UrlRule): Result<string, UrlError> {
  if (text.length > LENGTH_LIMIT) return err('too_long')
  // A text that the URL parser would silently repair is rejected, because two programs could read it
  // differently.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (!/^[!-[\]-~]*$/.test(text) || !URL.canParse(text)) return err('malformed')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return err('not_https')
  if (authority === undefined) return err('malformed')
  if (authority.includes('@')) return err('userinfo')
  if (text.includes('#')) return err('fragment')
  const error = isLoopback(url) && rule.allowLoopback ? loopbackError(url, rule) : publicError(url, rule)
  if (error !== undefined) return err(error)
  // Rejects a percent-encoded or disguised host. In that case the parser's host differs from the host in the
  // text.
  if (authority.toLowerCase().replace(/:\d*$/, '') !== url.hostname) return err('malformed')
  return ok(url.href)
}

const LENGTH_LIMIT = 2048

/** Pattern that matches every URL that `checkOutboundUrl` accepts, for the API description. */
export const OUTBOUND_URL = '^[Hh][Tt][Tt][Pp][Ss]?://[A-Za-z0-9.-]+(:[0-9]*)?([/?][!-"$-\\[\\]-~]*)?$'

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname)
}

function loopbackError({ port }: URL, { ownHost, ownPort }: UrlRule): UrlError | undefined {
  if ((port || '80') === ownPort) return 'own_host'
  // Both loopback names are the same host, so only the port shows whether the URL is our own.
  const ownUrl = new URL(`http://${ownHost}`)
  return LOOPBACK_HOSTS.includes(ownUrl.hostname) && ownUrl.port === port ? 'own_host' : undefined
}

function publicError(
  { protocol, port, hostname }: URL,
  { ownHost, allowHttp }: UrlRule,
): UrlError | undefined {
  if (protocol !== 'https:' && !allowHttp) return 'not_https'
  if (port !== '') return 'port'
  // URL Standard §3.5: the parser writes every notation of an IPv4 address as four decimal numbers.
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) return 'ip_literal'
  if (!isPublicName(hostname)) return 'not_public_name'
  return hostname === new URL(`https://${ownHost}`).hostname ? 'own_host' : undefined
}

/**
 * Returns whether a host name can be public. A public name has at least two labels of letters, digits and
 * hyphens (RFC 1123 §2.1). A name in `NEVER_PUBLIC`, or below such a name, is not public.
 */
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
  // names that are not in the root zone because private networks use them (ICANN on name collisions, RFC 6762
  // Appendix G)
  'corp',
  'home',
  'intranet',
  'lan',
  'mail',
  'private',
  // names that only the resolvers of private networks and clusters know
  'consul',
  'fritz.box',
  'localdomain',
  'svc',
  'ts.net',
  // public-looking names of cloud providers' metadata services, which give a machine its private data
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
]
