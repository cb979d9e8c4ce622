// A strict reader of XML 1.0 with namespaces, for signed lists. The reader accepts UTF-8 without a document
// type and without processing instructions, and limits every count. The signature is verified over the same
// tree that is read later.

import { SaxesParser } from 'saxes'
import { decodeUtf8 } from '../../codec/bytes.ts'
import { err, ok, type Result } from '../../result.ts'
import { XML } from './xml-limits.ts'

/** An element. The text children are decoded. There is always an element between two texts. */
export type XmlElement = {
  /** The namespace name; empty for none. */
  readonly namespace: string
  readonly prefix: string
  readonly local: string
  /** The attributes in the order of the document, without namespace declarations. */
  readonly attributes: readonly XmlAttribute[]
  /** Prefixes that this element declares. Absent if the element declares none. */
  readonly declared?: readonly string[]
  readonly children: readonly XmlNode[]
}

export type XmlAttribute = {
  readonly namespace: string
  readonly prefix: string
  readonly local: string
  readonly value: string
}

export type XmlNode = XmlElement | string

/** `too_large`: over a limit other than the depth. `malformed`: too deep, or not in the accepted form. */
export type XmlError = 'too_large' | 'malformed'

/**
 * Parses a document, and returns its root element. Comments are left out, and the texts before and after a
 * comment are joined. A CDATA section is text. A value of `Id`, `ID`, `id` or `xml:id` must not occur twice.
 *
 * @example
 * parseXml(utf8('<a b="1">x<!-- y -->z</a>')) // { ok: true, value: { local: 'a', children: ['xz'], … } }
 */
export function parseXml(bytes: Uint8Array): Result<XmlElement, XmlError> {
  if (bytes.length > XML.bytes) return err('too_large')
  const text = decodeUtf8(withLineFeeds(bytes))
  if (text === undefined || text.includes('\0') || text.includes('<!DOCTYPE')) return err('malformed')
  if (hasLongPart(text)) return err('too_large')
  const builder = new TreeBuilder()
  try {
    builder.read(text) // the parser skips one byte order mark
  } catch (error) {
    // Any error other than a `LimitError` means that the document is too deep or not in the accepted form.
    return err(error instanceof LimitError ? 'too_large' : 'malformed')
  }
  return builder.root === undefined ? err('malformed') : ok(builder.root)
}

/**
 * Replaces each line end by a line feed (XML 1.0 §2.11). The parser would do this too, but would need 32
 * bytes of memory for each line.
 */
function withLineFeeds(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(CARRIAGE_RETURN)) return bytes
  const copy = new Uint8Array(bytes.length)
  let length = 0
  for (const [i, byte] of bytes.entries()) {
    if (byte === CARRIAGE_RETURN && bytes[i + 1] === LINE_FEED) continue
    copy[length++] = byte === CARRIAGE_RETURN ? LINE_FEED : byte
  }
  return copy.subarray(0, length)
}

const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a

/**
 * Returns whether an attribute, a comment, a CDATA section or a processing instruction is too long. The
 * parser needs 32 bytes of memory for some of the characters inside, and reports such a part only at its end.
 * So the lengths are checked before the document is parsed.
 */
function hasLongPart(text: string): boolean {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const [open, close] = SECTIONS.find(([start]) => text.startsWith(start, at)) ?? []
    const end = open === undefined ? endOfTag(text, at) : endOfPart(text, at + open.length, close)
    if (end === undefined) return true
    at = end
  }
  return false
}

const SECTIONS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

/** Returns the position after a part that begins at `from`; `undefined` if the part is too long. */
function endOfPart(text: string, from: number, close: string): number | undefined {
  const found = text.indexOf(close, from)
  const end = found < 0 ? text.length : found
  return end - from >= XML.partCharacters ? undefined : end + close.length
}

/** Returns the position after a tag; `undefined` if one of its attributes is too long. */
function endOfTag(text: string, start: number): number | undefined {
  for (let at: number | undefined = start + 1; at !== undefined; ) {
    TAG_MARK.lastIndex = at
    const mark = TAG_MARK.exec(text)
    if (mark === null) return text.length
    if (mark[0] === '>') return mark.index + 1
    if (mark[0] === '<') return mark.index // not well-formed: the parser refuses it here
    at = endOfPart(text, mark.index + 1, mark[0])
  }
  return undefined
}

const TAG_MARK = /["'<>]/g
const XMLNS = 'http://www.w3.org/2000/xmlns/'
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'

class LimitError extends Error {}
class FormError extends Error {}

type OpenElement = Omit<XmlElement, 'children'> & { readonly children: XmlNode[] }

/** Builds the tree from the events of the parser. */
class TreeBuilder {
  root: XmlElement | undefined
  readonly #open: OpenElement[] = []
  readonly #ids = new Set<string>()
  #elements = 0
  #attributes = 0
  #ownAttributes = 0

  read(text: string): void {
    const parser = new SaxesParser({ xmlns: true, position: false })
    parser.on('xmldecl', ({ version, encoding }) => {
      if (version !== '1.0' || (encoding !== undefined && encoding.toUpperCase() !== 'UTF-8'))
        throw new FormError()
    })
    parser.on('doctype', refuse)
    parser.on('processinginstruction', refuse)
    parser.on('opentagstart', () => this.#countElement())
    parser.on('attribute', () => this.#countAttribute())
    parser.on('opentag', (tag) => {
      const attributes = Object.values(tag.attributes)
      // The parser cuts white space from a namespace, but other parsers keep it. The same document would then
      // have different namespaces. So a document with such white space is refused.
      if (attributes.some(({ uri, value }) => uri === XMLNS && value !== value.trim())) refuse()
      this.#begin({
        namespace: tag.uri,
        prefix: tag.prefix,
        local: tag.local,
        attributes: attributes
          .filter(({ uri }) => uri !== XMLNS)
          .map(({ uri, prefix, local, value }) => ({ namespace: uri, prefix, local, value })),
        // The prefixes are taken from `tag.ns`, which has the empty prefix for `xmlns="…"`. The attribute has
        // the local name `xmlns` instead.
        ...(attributes.some(({ uri }) => uri === XMLNS) && { declared: Object.keys(tag.ns) }),
      })
    })
    parser.on('closetag', () => void this.#open.pop())
    parser.on('text', (part) => this.#append(part))
    parser.on('cdata', (part) => this.#append(part))
    parser.write(text).close()
  }

  #countElement(): void {
    this.#ownAttributes = 0
    this.#elements += 1
    if (this.#elements > XML.elements) throw new LimitError()
    if (this.#open.length >= XML.depth) throw new FormError()
  }

  #countAttribute(): void {
    this.#ownAttributes += 1
    this.#attributes += 1
    if (this.#ownAttributes > XML.attributes || this.#attributes > XML.allAttributes) throw new LimitError()
  }

  #begin(start: Omit<XmlElement, 'children'>): void {
    for (const { namespace, local, value } of start.attributes) {
      const isId = /^id$/i.test(local) && (namespace === '' || namespace === XML_NAMESPACE)
      if (isId && this.#ids.has(value)) throw new FormError()
      if (isId) this.#ids.add(value)
    }
    const element: OpenElement = { ...start, children: [] }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.root = element
    else parent.children.push(element)
    this.#open.push(element)
  }

  /** Appends text to the open element. Outside the root there is only white space, which is left out. */
  #append(part: string): void {
    const children = this.#open.at(-1)?.children
    if (children === undefined || part === '') return
    const last = children.at(-1)
    if (typeof last === 'string') children[children.length - 1] = last + part
    else children.push(part)
  }
}

function refuse(): never {
  throw new FormError()
}
