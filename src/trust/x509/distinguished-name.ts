// Distinguished names (RFC 5280 §4.1.2.4): decoded, formatted (RFC 4514) and compared (RFC 5280 §7.1).

import { encodeHex, equalBytes } from '../../codec/bytes.ts'
import { decodeEach } from '../../codec/decode-each.ts'
import { DER, type DerElement, readObjectIdentifier, readText } from '../../codec/der.ts'
import { oncePer } from '../../codec/once-per.ts'
import { CERTIFICATE } from '../../limits.ts'

/** A Name: its bytes, and its relative distinguished names, with the most general first. */
export type DistinguishedName = {
  readonly encoded: Uint8Array<ArrayBuffer>
  readonly rdns: readonly RelativeName[]
}

type RelativeName = readonly NameAttribute[]

type NameAttribute = {
  readonly type: string
  /** `undefined` for string types that are not read (TeletexString, UniversalString). */
  readonly text: string | undefined
  /** The encoded value. */
  readonly encoded: Uint8Array<ArrayBuffer>
}

/**
 * Position of a name relative to a constraint. `unknown` means that the comparison is not possible. The name
 * is then treated as not permitted and as excluded.
 */
export type Placement = 'inside' | 'outside' | 'unknown'

/** Decodes a Name. Returns `undefined` for any other element, and for too many attributes. */
export function decodeDistinguishedName(element: DerElement | undefined): DistinguishedName | undefined {
  if (element?.tag !== DER.sequence) return undefined
  const rdns: RelativeName[] = []
  for (const set of element.children) {
    const attributes = decodeEach(set.children, decodeAttribute, CERTIFICATE.attributes)
    if (set.tag !== DER.set || attributes === undefined) return undefined
    rdns.push(attributes)
  }
  return { encoded: element.encoded, rdns }
}

/** Returns the readable form, most specific part first (RFC 4514); `null` for an empty or overlong name. */
export function formatDistinguishedName(name: DistinguishedName): string | null {
  if (name.rdns.length === 0) return null
  const text = name.rdns.toReversed().map(formatRelativeName).join(',')
  return text.length <= CERTIFICATE.nameCharacters ? text : null
}

/** Returns the values of one attribute type. An unreadable value is `undefined`. */
export function attributeValues(name: DistinguishedName, type: string): readonly (string | undefined)[] {
  return name.rdns
    .flat()
    .filter((attribute) => attribute.type === type)
    .map((attribute) => attribute.text)
}

/** Returns whether two names are the same. String types, case and repeated white space are ignored (§7.1). */
export function isSameName(a: DistinguishedName, b: DistinguishedName): boolean {
  if (equalBytes(a.encoded, b.encoded)) return true
  return a.rdns.length === b.rdns.length && placeDistinguishedName(a, b) === 'inside'
}

/**
 * Returns the position of `name` relative to the subtree under `base`. Names are compared from the most
 * general part down (RFC 5280 §7.1).
 */
export function placeDistinguishedName(name: DistinguishedName, base: DistinguishedName): Placement {
  let placement: Placement = name.rdns.length < base.rdns.length ? 'outside' : 'inside'
  for (const [i, constraint] of base.rdns.entries()) {
    const comparison = compareRelativeNames(name.rdns[i] ?? [], constraint)
    if (comparison === 'outside') return 'outside'
    if (comparison === 'unknown' && placement === 'inside') placement = 'unknown'
  }
  return placement
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.42': 'GN',
  '2.5.4.97': 'organizationIdentifier',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
}

function decodeAttribute(element: DerElement): NameAttribute | undefined {
  const [typeElement, value] = element.children
  const type = readObjectIdentifier(typeElement)
  if (element.tag !== DER.sequence || element.children.length !== 2) return undefined
  if (type === undefined || value === undefined) return undefined
  return { type, text: readText(value), encoded: value.encoded }
}

function formatRelativeName(attributes: RelativeName): string {
  return attributes
    .map(({ type, text, encoded }) => {
      const name = SHORT_NAMES[type]
      // RFC 4514 §2.4: the encoded value is written in hexadecimal if the type has no short name, or if the
      // value is no readable text.
      return name === undefined || text === undefined
        ? `${type}=#${encodeHex(encoded)}`
        : `${name}=${escapeText(text)}`
    })
    .join('+')
}

/** RFC 4514 §2.4. Control and direction characters are escaped too, because this text is shown to people. */
function escapeText(text: string): string {
  return text
    .replace(/["+,;<>\\]|^[ #]| $/g, (character) => `\\${character}`)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeOctets)
}

function escapeOctets(character: string): string {
  const octets = encodeHex(new TextEncoder().encode(character))
  return octets.replace(/../g, (octet) => `\\${octet}`)
}

/**
 * Compares two RDNs. They are equal if each attribute of one has an equal attribute in the other (RFC 5280
 * §7.1).
 */
function compareRelativeNames(name: RelativeName, constraint: RelativeName): Placement {
  if (name.length !== constraint.length) return 'outside'
  let placement: Placement = 'inside'
  for (const wanted of constraint) {
    const comparisons = name.map((attribute) => compareAttributes(attribute, wanted))
    if (comparisons.includes('inside')) continue
    if (!comparisons.includes('unknown')) return 'outside'
    placement = 'unknown'
  }
  return placement
}

function compareAttributes(a: NameAttribute, b: NameAttribute): Placement {
  if (a.type !== b.type) return 'outside'
  if (equalBytes(a.encoded, b.encoded)) return 'inside'
  const [folded, other] = [fold(a), fold(b)]
  if (folded === undefined || other === undefined) return 'unknown'
  return folded === other ? 'inside' : 'outside'
}

/**
 * Prepares a text for comparison (RFC 5280 §7.1). Compatibility forms, case and repeated white space are
 * ignored. This is done once for each attribute. Returns `undefined` for an unreadable or overlong text,
 * which is compared only byte for byte.
 */
const fold = oncePer(({ text }: NameAttribute): string | undefined => {
  if (text === undefined || text.length > CERTIFICATE.attributeCharacters) return undefined
  return text.normalize('NFKC').toLowerCase().normalize('NFKC').trim().replace(/\s+/g, ' ')
})
