// Name constraints (RFC 5280 §4.2.1.10): the names that a certification authority may certify. A certificate
// is rejected if a constraint has a form that is not processed, or if a name cannot be compared.

import { decodeEach } from '../../codec/decode-each.ts'
import { type DerElement, readSmallInteger } from '../../codec/der.ts'
import { CERTIFICATE } from '../../limits.ts'
import {
  attributeValues,
  type DistinguishedName,
  type Placement,
  placeDistinguishedName,
} from './distinguished-name.ts'
import { decodeGeneralName, type GeneralName } from './general-name.ts'

/** The permitted and excluded subtrees of one certification authority. */
export type NameConstraints = {
  readonly permitted: readonly GeneralName[]
  readonly excluded: readonly GeneralName[]
}

/** The names of a certificate that constraints apply to. */
type ConstrainedNames = {
  readonly subject: DistinguishedName
  readonly subjectAltNames: readonly GeneralName[]
}

/** Decodes the extension's value; `undefined` if the value is malformed. */
export function decodeNameConstraints(value: DerElement): NameConstraints | undefined {
  const constraints: { permitted: readonly GeneralName[]; excluded: readonly GeneralName[] } = {
    permitted: [],
    excluded: [],
  }
  const parts = value.children
  if (parts.length === 0 || parts.length > 2) return undefined
  if (parts.length === 2 && (parts[0]?.tag !== PERMITTED || parts[1]?.tag !== EXCLUDED)) return undefined
  for (const part of parts) {
    const subtrees = decodeEach(part.children, decodeSubtree, CERTIFICATE.generalNames)
    if (subtrees === undefined) return undefined
    if (part.tag === PERMITTED) constraints.permitted = subtrees
    else if (part.tag === EXCLUDED) constraints.excluded = subtrees
    else return undefined
  }
  return constraints
}

/**
 * Returns whether every name satisfies the constraints. If there are permitted subtrees of the name's form,
 * the name must be inside one. The name must be outside all excluded subtrees of its form.
 */
export function satisfiesNameConstraints(names: ConstrainedNames, constraints: NameConstraints): boolean {
  const { permitted, excluded } = constraints
  if ([...permitted, ...excluded].some((subtree) => subtree.form === 'unprocessed')) return false
  return constrainedNames(names).every((name) => {
    const allowed = permitted.filter((subtree) => subtree.form === name.form)
    if (allowed.length > 0 && !allowed.some((subtree) => place(name, subtree) === 'inside')) return false
    return excluded.every((subtree) => subtree.form !== name.form || place(name, subtree) === 'outside')
  })
}

const PERMITTED = 0xa0
const EXCLUDED = 0xa1
const EMAIL_ADDRESS = '1.2.840.113549.1.9.1'

function decodeSubtree(element: DerElement): GeneralName | undefined {
  const [base, ...bounds] = element.children
  const name = decodeGeneralName(base)
  // RFC 5280 §4.2.1.10: the minimum must be zero, which DER leaves out, and the maximum must be absent. A
  // subtree with other bounds is not processed.
  const bounded = bounds.some((bound) => bound.tag !== 0x80 || readSmallInteger(bound) !== 0)
  return name && bounded ? { form: 'unprocessed' } : name
}

function constrainedNames({ subject, subjectAltNames }: ConstrainedNames): readonly GeneralName[] {
  // An unreadable email address becomes an empty text, which cannot be compared with any subtree.
  const emails = attributeValues(subject, EMAIL_ADDRESS).map((value = '') => ({
    form: 'email' as const,
    value,
  }))
  const directory = subject.rdns.length === 0 ? [] : [{ form: 'directory' as const, name: subject }]
  return [...directory, ...emails, ...subjectAltNames]
}

function place(name: GeneralName, subtree: GeneralName): Placement {
  if (name.form === 'directory' && subtree.form === 'directory') {
    return placeDistinguishedName(name.name, subtree.name)
  }
  if (name.form === 'ip' && subtree.form === 'ip') return placeAddress(name.bytes, subtree.bytes)
  if (name.form === 'dns' && subtree.form === 'dns') return placeDns(name.value, subtree.value)
  if (name.form === 'uri' && subtree.form === 'uri') return placeHost(uriHost(name.value), subtree.value)
  const isEmail = name.form === 'email' && subtree.form === 'email'
  return isEmail ? placeMailbox(name.value, subtree.value) : 'unknown'
}

/**
 * Returns the position of a DNS name relative to a constraint. A constraint covers a domain and every name
 * below it. A constraint with a leading period covers only the names below the domain. This form is not in
 * the RFC, but in use.
 */
function placeDns(name: string, constraint: string): Placement {
  if (constraint === '') return 'inside'
  const domain = hostName(constraint.replace(/^\./, ''))
  const wildcard = name.startsWith('*.')
  const host = hostName(wildcard ? name.slice(2) : name)
  if (domain === undefined || host === undefined) return 'unknown'
  if (host.endsWith(`.${domain}`)) return 'inside'
  if (host === domain) return wildcard || !constraint.startsWith('.') ? 'inside' : 'outside'
  // The wildcard name `*.example.com` covers names inside and outside the constraint `a.example.com`.
  return wildcard && domain.endsWith(`.${host}`) ? 'unknown' : 'outside'
}

/**
 * Returns the position of a host relative to a constraint. The host is from a URI or a mail address. A
 * constraint without a leading period covers exactly one host. A constraint with a leading period covers only
 * the names below that host.
 */
function placeHost(host: string | undefined, constraint: string): Placement {
  if (constraint === '') return 'inside'
  const below = constraint.startsWith('.')
  const domain = hostName(below ? constraint.slice(1) : constraint)
  if (domain === undefined || host === undefined) return 'unknown'
  return (below ? host.endsWith(`.${domain}`) : host === domain) ? 'inside' : 'outside'
}

function placeMailbox(address: string, constraint: string): Placement {
  const [local, host] = mailbox(address) ?? []
  if (local === undefined || host === undefined) return 'unknown'
  if (!constraint.includes('@')) return placeHost(host, constraint)
  const wanted = mailbox(constraint)
  if (wanted === undefined) return 'unknown'
  if (host !== wanted[1]) return 'outside'
  if (local === wanted[0]) return 'inside'
  // Local parts that differ only in case may name one mailbox or two mailboxes.
  return local.toLowerCase() === wanted[0].toLowerCase() ? 'unknown' : 'outside'
}

/**
 * Returns the parts of a plain mail address; `undefined` for any other text. Quoted local parts are not read,
 * because they could hide an `@`.
 */
function mailbox(address: string): readonly [local: string, host: string] | undefined {
  const [local, domain, ...rest] = address.split('@')
  const host = hostName(domain ?? '')
  if (local === undefined || host === undefined || rest.length > 0) return undefined
  return /^[\w.!#$%&'*+/=?^`{|}~-]+$/.test(local) ? [local, host] : undefined
}

/**
 * Returns the host of a URI. Returns `undefined` for a URI without a host, with user information, or with an
 * IP address as host. §4.2.1.10 rejects IP addresses.
 */
function uriHost(uri: string): string | undefined {
  const [, host] =
    /^[a-z][a-z0-9+.-]*:\/\/([\w.-]+)(?::\d*)?(?:[/?#][\w:/?#[\]@!$&'()*+,;=.~%-]*)?$/i.exec(uri) ?? []
  return host === undefined ? undefined : hostName(host)
}

/**
 * Returns a host name in lower case. Returns `undefined` for an IP address, a final period, or a character
 * other than letters, digits, hyphens and `_`.
 */
function hostName(text: string): string | undefined {
  if (text.length > 253 || !/^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/i.test(text)) return undefined
  return /(?:^|\.)\d+$/.test(text) ? undefined : text.toLowerCase()
}

function placeAddress(address: Uint8Array, constraint: Uint8Array): Placement {
  if (!IP_BYTES.has(address.length) || !IP_BYTES.has(constraint.length / 2)) return 'unknown'
  if (constraint.length !== address.length * 2) return 'outside'
  const inside = address.every((octet, i) => {
    const mask = constraint[address.length + i] ?? 0
    return (octet & mask) === ((constraint[i] ?? 0) & mask)
  })
  return inside ? 'inside' : 'outside'
}

const IP_BYTES: ReadonlySet<number> = new Set([4, 16])
