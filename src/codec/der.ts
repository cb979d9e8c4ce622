// Strict DER (X.690 §8, §10, §11). Lengths are definite and in their shortest form, tag numbers are below 31,
// and strings are primitive. No bytes follow the element. The depth is limited.

import { DER_DEPTH } from '../limits.ts'
import { decodeUtf8 } from './bytes.ts'

/** One element. `content` and `encoded` are views into the input, so signed bytes are kept unchanged. */
export type DerElement = {
  /** The identifier octet: class, constructed bit and tag number. */
  readonly tag: number
  readonly content: Uint8Array<ArrayBuffer>
  /** Identifier, length and content. */
  readonly encoded: Uint8Array<ArrayBuffer>
  /** Elements of a constructed element. Empty for a primitive element. */
  readonly children: readonly DerElement[]
}

/** Identifier octets of the universal types that X.509 uses. */
export const DER = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const

/**
 * Decodes one element, which must fill `bytes` completely. Returns `undefined` for anything that is not DER.
 * `depth`: limit of the levels of nesting.
 */
export function decodeDer(bytes: Uint8Array<ArrayBuffer>, depth: number = DER_DEPTH): DerElement | undefined {
  const element = readElement(bytes, 0, depth)
  return element !== undefined && element.encoded.length === bytes.length ? element : undefined
}

/**
 * Splits `content` into elements without decoding their children. Callers split a long list, and then decode
 * each element separately. Returns `undefined` for anything that is not DER, and for more elements than
 * `limit`.
 */
export function splitDer(content: Uint8Array<ArrayBuffer>, limit: number): readonly DerElement[] | undefined {
  return readAll(content, readUnopened, limit)
}

/** Reads a BOOLEAN (X.690 §11.1: true is FF). Returns `undefined` for any other element. */
export function readBoolean(element: DerElement | undefined): boolean | undefined {
  if (element?.tag !== DER.boolean || element.content.length !== 1) return undefined
  const [octet] = element.content
  return octet === 0xff ? true : octet === 0 ? false : undefined
}

/**
 * Returns the octets of a positive INTEGER without its sign octet. Returns `undefined` for zero, negative and
 * padded numbers.
 */
export function readPositiveInteger(element: DerElement | undefined): Uint8Array<ArrayBuffer> | undefined {
  if (element === undefined || !isInteger(element)) return undefined
  const { content } = element
  const [first = 0] = content
  if (first >= 0x80) return undefined
  const magnitude = first === 0 ? content.subarray(1) : content
  return magnitude.length === 0 ? undefined : magnitude
}

/**
 * Reads an INTEGER from 0 to 2^31-1 under any tag, because some fields have context tags. Returns `undefined`
 * for any other element.
 */
export function readSmallInteger(element: DerElement | undefined): number | undefined {
  if (element === undefined || !isMinimalInteger(element.content)) return undefined
  const [first = 0] = element.content
  if (first >= 0x80 || element.content.length > 4) return undefined
  return element.content.reduce((value, octet) => value * 256 + octet, 0)
}

/** Returns true if the element is an INTEGER in its shortest form (X.690 §8.3.2). */
export function isInteger(element: DerElement): boolean {
  return element.tag === DER.integer && isMinimalInteger(element.content)
}

/**
 * Reads a BIT STRING. Returns `undefined` if an unused bit is not zero (X.690 §11.2.1), and for any other
 * element.
 */
export function readBitString(element: DerElement | undefined): BitString | undefined {
  if (element?.tag !== DER.bitString) return undefined
  const [unusedBits] = element.content
  const bytes = element.content.subarray(1)
  if (unusedBits === undefined || unusedBits > 7 || (bytes.length === 0 && unusedBits > 0)) return undefined
  const last = bytes.at(-1) ?? 0
  return (last & ((1 << unusedBits) - 1)) === 0 ? { bytes, unusedBits } : undefined
}

type BitString = { readonly bytes: Uint8Array<ArrayBuffer>; readonly unusedBits: number }

/** Returns an OBJECT IDENTIFIER in dotted form; `undefined` for any other element. */
export function readObjectIdentifier(element: DerElement | undefined): string | undefined {
  if (element?.tag !== DER.objectIdentifier) return undefined
  const arcs = readArcs(element.content)
  if (arcs === undefined) return undefined
  const [first = 0n, ...rest] = arcs
  // X.690 §8.19.4: the first two arcs share one number.
  const top = first < 40n ? 0n : first < 80n ? 1n : 2n
  return [top, first - top * 40n, ...rest].join('.')
}

/**
 * Returns the Unix seconds of a UTCTime or GeneralizedTime. Only the form of RFC 5280 §4.1.2.5 is accepted,
 * which has seconds and `Z`. Returns `undefined` for any other form.
 */
export function readTime(element: DerElement | undefined): number | undefined {
  if (element?.tag !== DER.utcTime && element?.tag !== DER.generalizedTime) return undefined
  const text = readAscii(element.content)
  const pattern = element.tag === DER.utcTime ? UTC_TIME : GENERALIZED_TIME
  const [, year, month, day, hour, minute, second] = pattern.exec(text ?? '')?.map(Number) ?? []
  if (year === undefined || month === undefined || second === undefined) return undefined
  const fullYear = element.tag === DER.generalizedTime ? year : year + (year < 50 ? 2000 : 1900)
  const date = new Date(0)
  date.setUTCFullYear(fullYear, month - 1, day)
  date.setUTCHours(hour ?? 0, minute, second)
  // JavaScript changes a time that does not exist (30 February, 24:00) to another time.
  const exists =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  return exists ? date.getTime() / 1000 : undefined
}

/**
 * Returns the text of a character string type. Returns `undefined` for other types and for malformed texts.
 */
export function readText(element: DerElement): string | undefined {
  if (element.tag === DER.utf8String) return decodeUtf8(element.content)
  if (element.tag === DER.bmpString) return readUtf16(element.content)
  return ASCII_STRINGS.has(element.tag) ? readAscii(element.content) : undefined
}

/**
 * Returns seven-bit text; `undefined` for any other bytes. Callers pass the content of an element. So they
 * can also read an IA5String that has a context tag.
 */
export function readAscii(bytes: Uint8Array): string | undefined {
  return bytes.every((octet) => octet < 0x80) ? decodeUtf8(bytes) : undefined
}

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/
const ASCII_STRINGS: ReadonlySet<number> = new Set([DER.numericString, DER.printableString, DER.ia5String])

const CONSTRUCTED = 0x20
const UNIVERSAL_CONSTRUCTED: ReadonlySet<number> = new Set([DER.sequence, DER.set])

function readElement(bytes: Uint8Array<ArrayBuffer>, start: number, depth: number): DerElement | undefined {
  const element = depth === 0 ? undefined : readUnopened(bytes, start)
  if (element === undefined || (element.tag & CONSTRUCTED) === 0) return element
  const children = readAll(element.content, (content, offset) => readElement(content, offset, depth - 1))
  return children && { ...element, children }
}

function readUnopened(bytes: Uint8Array<ArrayBuffer>, start: number): DerElement | undefined {
  const tag = bytes[start]
  if (tag === undefined || !isKnownForm(tag)) return undefined
  const header = readLength(bytes, start + 1)
  if (header === undefined || header.length > bytes.length - header.end) return undefined
  const end = header.end + header.length
  return { tag, content: bytes.subarray(header.end, end), encoded: bytes.subarray(start, end), children: [] }
}

function readAll(
  content: Uint8Array<ArrayBuffer>,
  read: (content: Uint8Array<ArrayBuffer>, offset: number) => DerElement | undefined,
  limit = Number.POSITIVE_INFINITY,
): readonly DerElement[] | undefined {
  const elements: DerElement[] = []
  let offset = 0
  while (offset < content.length) {
    const element = elements.length < limit ? read(content, offset) : undefined
    if (element === undefined) return undefined
    elements.push(element)
    offset += element.encoded.length
  }
  return elements
}

/**
 * Returns true if the identifier octet is not 0, and its tag number is below 31. SEQUENCE and SET must be
 * constructed, and all other universal types must be primitive (X.690 §10.2).
 */
function isKnownForm(tag: number): boolean {
  if ((tag & 0x1f) === 0x1f || tag === 0) return false
  const universal = (tag & 0xc0) === 0
  if (!universal) return true
  return UNIVERSAL_CONSTRUCTED.has(tag | CONSTRUCTED) === ((tag & CONSTRUCTED) !== 0)
}

/**
 * Reads a length in the definite form with the fewest octets (X.690 §10.1). Returns `undefined` for any other
 * form, and for more than four octets.
 */
function readLength(bytes: Uint8Array, start: number): { length: number; end: number } | undefined {
  const first = bytes[start]
  if (first === undefined) return undefined
  if (first < 0x80) return { length: first, end: start + 1 }
  const count = first & 0x7f
  const end = start + 1 + count
  if (count === 0 || count > 4 || end > bytes.length || bytes[start + 1] === 0) return undefined
  const length = bytes.subarray(start + 1, end).reduce((value, octet) => value * 256 + octet, 0)
  return length < 0x80 ? undefined : { length, end }
}

function isMinimalInteger(content: Uint8Array): boolean {
  const [first, second] = content
  if (first === undefined) return false
  if (second === undefined) return true
  return !(first === 0 && second < 0x80) && !(first === 0xff && second >= 0x80)
}

/**
 * Reads base-128 numbers (X.690 §8.19.2). Returns `undefined` if a number starts with the octet 80 (a leading
 * zero), and if the content is empty, incomplete or longer than 64 octets.
 */
function readArcs(content: Uint8Array): readonly bigint[] | undefined {
  if (content.length === 0 || content.length > 64 || (content.at(-1) ?? 0) >= 0x80) return undefined
  const arcs: bigint[] = []
  let arc = 0n
  let starts = true
  for (const octet of content) {
    if (starts && octet === 0x80) return undefined
    arc = (arc << 7n) | BigInt(octet & 0x7f)
    starts = octet < 0x80
    if (starts) {
      arcs.push(arc)
      arc = 0n
    }
  }
  return arcs
}

function readUtf16(bytes: Uint8Array): string | undefined {
  if (bytes.length % 2 !== 0) return undefined
  let text = ''
  for (let i = 0; i < bytes.length; i += 2) {
    text += String.fromCharCode(((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0))
  }
  return text.isWellFormed() ? text : undefined
}
