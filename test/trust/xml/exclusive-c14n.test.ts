// Canonical forms of small documents, compared with libxml2.

import { describe, expect, it } from 'vitest'
import { canonicalize } from '../../../src/trust/xml/exclusive-c14n.ts'
import { childElements } from '../../../src/trust/xml/reading.ts'
import { parseXml, type XmlElement } from '../../../src/trust/xml/xml-tree.ts'
import vectors from '../../vectors/exclusive-c14n.json' with { type: 'json' }

function rootOf(document: string): XmlElement {
  const root = parseXml(new TextEncoder().encode(document))
  if (!root.ok) throw new Error(root.error)
  return root.value
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('canonicalize writes the same bytes as libxml2 for', () => {
  it.each(vectors.documents)('$name', ({ document, canonical }) => {
    expect(textOf(canonicalize(rootOf(document)))).toBe(canonical)
  })

  it.each(vectors.documents)('a document that is already canonical: $name', ({ canonical }) => {
    expect(textOf(canonicalize(rootOf(canonical)))).toBe(canonical)
  })
})

it('canonicalize leaves out the element that the caller passes, and keeps the white space around it', () => {
  const root = rootOf('<a xmlns:x="urn:x">\n<b/> <x:c x:d="1">e</x:c>\n</a>')
  expect(textOf(canonicalize(root, childElements(root)[1]))).toBe('<a>\n<b></b> \n</a>')
  expect(textOf(canonicalize(childElements(root)[1] ?? root))).toBe('<x:c xmlns:x="urn:x" x:d="1">e</x:c>')
})

it('the number of map entries that canonicalize writes grows only linearly with the namespaces of a document', () => {
  const level = (i: number) =>
    Array.from({ length: 30 }, (_, j) => `xmlns:p${i}-${j}="urn:p" p${i}-${j}:a${j}="1"`).join(' ')
  const levels = 30
  const leaves = 1000
  const root = rootOf(
    Array.from({ length: levels }, (_, i) => `<e ${level(i)}>`).join('') +
      '<x:y xmlns:x="urn:x"/>'.repeat(leaves) +
      '</e>'.repeat(levels),
  )
  const { set } = Map.prototype
  let entries = 0
  Map.prototype.set = function (this: Map<unknown, unknown>, key, value) {
    entries += 1
    return set.call(this, key, value)
  } as typeof set
  try {
    canonicalize(root)
  } finally {
    Map.prototype.set = set
  }
  const declarations = levels * 30 + leaves
  expect(entries).toBeGreaterThan(declarations)
  expect(entries).toBeLessThan(4 * declarations)
})

it('canonicalize gives a prefix its former namespace again after the element that changed it', () => {
  const root = rootOf(
    '<x:a xmlns:x="urn:1"><x:b xmlns:x="urn:2"><y:c xmlns:y="urn:3"/></x:b><x:d/><y:e xmlns:y="urn:3"/></x:a>',
  )
  expect(textOf(canonicalize(root))).toBe(
    '<x:a xmlns:x="urn:1"><x:b xmlns:x="urn:2"><y:c xmlns:y="urn:3"></y:c></x:b><x:d></x:d><y:e xmlns:y="urn:3"></y:e></x:a>',
  )
})
