// Exclusive XML Canonicalization 1.0 without comments (W3C xml-exc-c14n §3) of one element of a parsed
// document (xml-tree.ts). A list of inclusive prefixes is not supported.

import { utf8 } from '../../codec/bytes.ts'
import type { XmlAttribute, XmlElement } from './xml-tree.ts'

/**
 * Returns the canonical bytes of an element with everything below it. The element `omitted`, which is the
 * enveloped signature, is left out.
 */
export function canonicalize(element: XmlElement, omitted?: XmlElement): Uint8Array<ArrayBuffer> {
  const parts: string[] = []
  // At the start the default namespace is empty, so `xmlns=""` is not written.
  write(parts, element, { rendered: new Map([['', '']]), omitted })
  return utf8(parts.join(''))
}

type Context = {
  /**
   * Namespaces that output ancestors declare, by prefix. All elements share one map. Each element adds its
   * own namespaces, and removes them at its end. A copy for each element would take quadratic time.
   */
  readonly rendered: Map<string, string>
  readonly omitted: XmlElement | undefined
}

function write(parts: string[], element: XmlElement, { rendered, omitted }: Context): void {
  const name = qualifiedName(element)
  const missing = undeclaredPrefixes(element, rendered)
  parts.push('<', name)
  for (const [prefix, namespace] of missing)
    parts.push(prefix === '' ? ' xmlns="' : ` xmlns:${prefix}="`, escapeAttribute(namespace), '"')
  for (const attribute of inOrder(element.attributes))
    parts.push(' ', qualifiedName(attribute), '="', escapeAttribute(attribute.value), '"')
  parts.push('>')
  const former = missing.map(([prefix]) => [prefix, rendered.get(prefix)] as const)
  for (const [prefix, namespace] of missing) rendered.set(prefix, namespace)
  for (const child of element.children) {
    if (typeof child === 'string') parts.push(escapeText(child))
    else if (child !== omitted) write(parts, child, { rendered, omitted })
  }
  for (const [prefix, namespace] of former) {
    if (namespace === undefined) rendered.delete(prefix)
    else rendered.set(prefix, namespace)
  }
  parts.push('</', name, '>')
}

function qualifiedName({ prefix, local }: Pick<XmlElement, 'prefix' | 'local'>): string {
  return prefix === '' ? local : `${prefix}:${local}`
}

/**
 * Returns the namespaces that the element or an attribute visibly uses, and that no output ancestor declares
 * with this value. The namespaces are in the order of their prefixes. `xml` is never declared.
 */
function undeclaredPrefixes(
  element: XmlElement,
  rendered: ReadonlyMap<string, string>,
): readonly (readonly [prefix: string, namespace: string])[] {
  const used = [element, ...element.attributes.filter(({ prefix }) => prefix !== '')]
  const missing = used.filter(
    ({ prefix, namespace }) => prefix !== 'xml' && rendered.get(prefix) !== namespace,
  )
  if (missing.length === 0) return NONE
  const byPrefix = new Map(missing.map(({ prefix, namespace }) => [prefix, namespace]))
  return [...byPrefix].sort(([a], [b]) => compare(a, b))
}

const NONE: readonly never[] = []

/** Sorts attributes by their namespaces, then by their local names (Canonical XML 1.0 §2.3). */
function inOrder(attributes: readonly XmlAttribute[]): readonly XmlAttribute[] {
  if (attributes.length < 2) return attributes
  return attributes.toSorted((a, b) => compare(a.namespace, b.namespace) || compare(a.local, b.local))
}

/**
 * Compares by UTF-16 code units. This differs from the order of code points only for names outside the Basic
 * Multilingual Plane. If the order of such names differs, the digest differs, and the list is refused.
 */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

const TEXT_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\r': '&#xD;',
}

const ATTRIBUTE_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}

function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => TEXT_ESCAPES[character] ?? character)
}

function escapeAttribute(value: string): string {
  return value.replace(/[&<"\t\n\r]/g, (character) => ATTRIBUTE_ESCAPES[character] ?? character)
}
