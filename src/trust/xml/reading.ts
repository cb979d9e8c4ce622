// Functions that read an XML tree: its elements by name, texts and attributes. If a name is expected once but
// occurs twice, both children are treated as absent.

import type { XmlElement } from './xml-tree.ts'

/** A namespace and a local name. */
export type XmlName = readonly [namespace: string, local: string]

/** Returns whether an element has this name. */
export function isNamed(element: XmlElement, [namespace, local]: XmlName): boolean {
  return element.local === local && element.namespace === namespace
}

/** Returns the child elements, without text. */
export function childElements(element: XmlElement): readonly XmlElement[] {
  return element.children.filter((child) => typeof child !== 'string')
}

/** Returns the child elements with this name. */
export function childrenNamed(element: XmlElement | undefined, name: XmlName): readonly XmlElement[] {
  return element === undefined ? [] : childElements(element).filter((child) => isNamed(child, name))
}

/** Returns the child element with this name; `undefined` if there is none, or more than one. */
export function onlyChild(element: XmlElement | undefined, name: XmlName): XmlElement | undefined {
  const [child, ...others] = childrenNamed(element, name)
  return others.length === 0 ? child : undefined
}

/** Returns the element at the end of a path; `undefined` if a name does not occur exactly once. */
export function descend(
  element: XmlElement | undefined,
  ...path: readonly XmlName[]
): XmlElement | undefined {
  return path.reduce(onlyChild, element)
}

/**
 * Returns the text of an element, without white space at its ends. `undefined` if the element is absent, or
 * has an element inside.
 */
export function readText(element: XmlElement | undefined): string | undefined {
  if (element === undefined || childElements(element).length > 0) return undefined
  return element.children.join('').replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
}

/** Returns the value of an attribute without a namespace. */
export function readAttribute(element: XmlElement | undefined, local: string): string | undefined {
  return element?.attributes.find((attribute) => attribute.namespace === '' && attribute.local === local)
    ?.value
}
