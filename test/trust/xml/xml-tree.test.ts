import { describe, expect, it } from 'vitest'
import { XML } from '../../../src/trust/xml/xml-limits.ts'
import { parseXml } from '../../../src/trust/xml/xml-tree.ts'

const parse = (text: string) => parseXml(new TextEncoder().encode(text))
const verdict = (text: string) => {
  const parsed = parse(text)
  return parsed.ok ? 'ok' : parsed.error
}
const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth)
const withAttributes = (count: number) =>
  `<a ${Array.from({ length: count }, (_, i) => `b${i}="1"`).join(' ')}/>`

describe('the tree of a document', () => {
  it('has decoded texts, which a comment or a CDATA section does not split', () => {
    expect(parse('<a b="1&#x41;">x<!-- y -->&lt;<![CDATA[&]]><c/>z</a>')).toEqual({
      ok: true,
      value: {
        namespace: '',
        prefix: '',
        local: 'a',
        attributes: [{ namespace: '', prefix: '', local: 'b', value: '1A' }],
        children: ['x<&', { namespace: '', prefix: '', local: 'c', attributes: [], children: [] }, 'z'],
      },
    })
  })

  it('has the namespaces of elements and attributes, and the prefixes that an element declares', () => {
    expect(parse('<x:a xmlns:x="urn:x" xmlns="urn:d" x:b="1" c="2"/>')).toEqual({
      ok: true,
      value: {
        namespace: 'urn:x',
        prefix: 'x',
        local: 'a',
        attributes: [
          { namespace: 'urn:x', prefix: 'x', local: 'b', value: '1' },
          { namespace: '', prefix: '', local: 'c', value: '2' },
        ],
        declared: ['x', ''],
        children: [],
      },
    })
  })
})

describe('a document is refused if it has', () => {
  it.each([
    ['no content', ''],
    ['white space alone', ' \n'],
    ['a document type', '<!DOCTYPE a><a/>'],
    [
      'entities of entities',
      `<!DOCTYPE a [<!ENTITY b "cccccccccc">${'<!ENTITY d "&b;&b;">'.repeat(20)}]><a>&d;</a>`,
    ],
    ['a processing instruction', '<a><?b c?></a>'],
    ['an XML declaration after the root element', '<a/><?xml version="1.0"?>'],
    ['an unknown entity', '<a>&nbsp;</a>'],
    ['a reference to a character that XML does not allow', '<a>&#x1;</a>'],
    ['a reference to one half of a surrogate pair', '<a>&#xD800;</a>'],
    ['a character that XML does not allow', '<a>\u0001</a>'],
    ['a zero character', '<a>\0</a>'],
    [
      'an attribute twice, by two prefixes of one namespace',
      '<a xmlns:x="urn:1" xmlns:y="urn:1" x:b="1" y:b="2"/>',
    ],
    ['two declarations of one prefix', '<a xmlns:x="urn:1" xmlns:x="urn:2"/>'],
    ['a prefix without a declaration', '<x:a/>'],
    ['the prefix xml with another namespace', '<a xmlns:xml="urn:1"/>'],
    ['white space before a namespace', '<a xmlns=" urn:1"/>'],
    ['white space after the namespace of a prefix', '<a xmlns:x="urn:1&#x20;"/>'],
    ['a prefix without a namespace', '<a xmlns:x=""/>'],
    ['"<" in an attribute', '<a b="<"/>'],
    ['"]]>" in a text', '<a>]]></a>'],
    ['"--" in a comment', '<a><!-- a -- b --></a>'],
    ['an end tag of another element', '<a><b></a></b>'],
    ['an Id twice', '<a Id="x"><b Id="x"/></a>'],
    ['the same value as Id and as xml:id', '<a Id="x"><b xml:id="x"/></a>'],
    ['more levels than the limit', nested(XML.depth + 1)],
    ['100,000 levels', nested(100_000)],
  ])('%s', (_, text) => {
    expect(verdict(text)).toBe('malformed')
  })

  it.each([
    ['more bytes than the limit', () => `<a>${' '.repeat(XML.bytes)}</a>`],
    ['more elements than the limit', () => `<a>${'<b/>'.repeat(XML.elements)}</a>`],
    ['more attributes of an element than the limit', () => withAttributes(XML.attributes + 1)],
    ['500,000 attributes of an element', () => withAttributes(500_000)],
    ['a million attributes of one name', () => `<a ${'b="" '.repeat(1_000_000)}/>`],
    ['an attribute that is longer than the limit', () => `<a b="${' '.repeat(XML.partCharacters)}"/>`],
    ['an attribute of 8 MB of spaces', () => `<a b='${'"\t'.repeat(4_000_000)}'/>`],
    ['a comment that is longer than the limit', () => `<a><!--${'a-'.repeat(XML.partCharacters / 2)}--></a>`],
    [
      'a third attribute that is longer than the limit',
      () => `<a b='1' c="2" d="${' '.repeat(XML.partCharacters)}"/>`,
    ],
    [
      'a processing instruction that is longer than the limit',
      () => `<a><?b ${' '.repeat(XML.partCharacters)}?></a>`,
    ],
    ['a comment without an end', () => `<a><!--${'a'.repeat(XML.partCharacters)}`],
    [
      'a CDATA section that is longer than the limit',
      () => `<a><![CDATA[${'a]'.repeat(XML.partCharacters / 2)}]]></a>`,
    ],
    [
      'more attributes in total than the limit',
      () => `<a>${withAttributes(XML.attributes).repeat(XML.allAttributes / XML.attributes + 1)}</a>`,
    ],
  ])('%s', (_, text) => {
    expect(verdict(text())).toBe('too_large')
  })

  it('bytes that are not UTF-8', () => {
    for (const bytes of [
      [0xff, 0xfe, 0x3c, 0],
      [0x3c, 0x61, 0x3e, 0xc0, 0x80, 0x3c, 0x2f, 0x61, 0x3e],
    ])
      expect(parseXml(Uint8Array.from(bytes))).toEqual({ ok: false, error: 'malformed' })
  })
})

it('a document that exactly reaches a limit is accepted', () => {
  expect(verdict(nested(XML.depth))).toBe('ok')
  expect(verdict(withAttributes(XML.attributes))).toBe('ok')
  expect(verdict(`<a>${'<b/>'.repeat(XML.elements - 1)}</a>`)).toBe('ok')
  expect(verdict(`<a>${' '.repeat(XML.bytes - 7)}</a>`)).toBe('ok')
  expect(verdict(`<a b="${' '.repeat(XML.partCharacters - 1)}"/>`)).toBe('ok')
  expect(verdict(`<a><!--${' '.repeat(XML.partCharacters - 4)}--></a>`)).toBe('ok')
  expect(verdict('\uFEFF<a/>')).toBe('ok')
})

it.each([
  ['a closing quote', '<a b="1">', '</a>'],
  ['a quote in a text', '<a>"', '</a>'],
  ['an equals sign and a quote in a text', '<a>b="', '</a>'],
  ['quotes in a comment and in a CDATA section', '<a><!-- " --><![CDATA["<]]>', '</a>'],
  ['a quote inside other quotes, and ">" in an attribute', "<a b='\">'>", '</a>'],
])('a text after %s may be longer than the limit for attributes', (_, start, end) => {
  expect(verdict(start + 'c'.repeat(2 * XML.partCharacters) + end)).toBe('ok')
})
