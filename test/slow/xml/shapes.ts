// Documents of 8 MiB that cost a reader of XML time or memory, each inside a signed list.

import { XML } from '../../../src/trust/xml/xml-limits.ts'
import { createRandom } from '../../support/runner/random.ts'

/** Repeats a text up to a number of characters. */
const fill = (part: string, characters: number) => part.repeat(Math.floor(characters / part.length))

/** A content for a number of ASCII characters. */
export type Shape = (characters: number) => string

const attributes = (count: number, name: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => ` ${name(i)}="urn:${i}"`).join('')

/** Elements with `each` attributes, up to the limit of attributes, and then text. */
const withAttributes =
  (each: number, name: (i: number) => string): Shape =>
  (characters) => {
    const element = `<b${attributes(each, name)}/>`
    const elements = element.repeat(Math.floor((XML.allAttributes - 100) / each))
    return elements.slice(0, characters) === elements
      ? elements + fill(' ', characters - elements.length)
      : fill(element, characters)
  }

export const SHAPES: Readonly<Record<string, Shape>> = {
  spaces: (characters) => fill(' ', characters),
  'elements up to the limit': (characters) => {
    const elements = '<b></b>'.repeat(XML.elements - 100)
    return elements + fill(' ', characters - elements.length)
  },
  'texts between elements': (characters) =>
    fill(`<b>${'c'.repeat(Math.ceil(characters / (XML.elements - 100)) - 7)}</b>`, characters),
  'many attributes': withAttributes(XML.attributes - 1, (i) => `a${i}`),
  'many declarations': withAttributes(XML.attributes - 1, (i) => `xmlns:a${i}`),
  'declarations on each level': (characters) => {
    const levels = XML.depth - 4
    const open = Array.from(
      { length: levels },
      (_, level) => `<b${attributes(XML.attributes - 1, (i) => `xmlns:a${level}-${i}`)}>`,
    ).join('')
    const leaves = fill('<a0-0:c/>', Math.min(characters - 2 * open.length, 9 * (XML.elements - 1000)))
    return (
      open + leaves + fill(' ', characters - open.length - leaves.length - 4 * levels) + '</b>'.repeat(levels)
    )
  },
  'long attributes': (characters) => fill(`<b c="${'d'.repeat(XML.partCharacters - 1)}"/>`, characters),
  'long attributes of entities': (characters) =>
    fill(`<b c="${fill('&amp;', XML.partCharacters - 1)}"/>`, characters),
  entities: (characters) => fill('&amp;', characters),
  'character references': (characters) => fill('&#65;', characters),
  'escaped characters': (characters) => fill('&lt;', characters),
  'short comments': (characters) => fill('<!---->', characters),
  'long comments': (characters) => fill(`<!--${'-a'.repeat(16_000)}-->`, characters),
  'short CDATA sections': (characters) => fill('<![CDATA[<]]>', characters),
  'ends of lines': (characters) => fill('\r\n', characters),
  brackets: (characters) => fill(']] ', characters),
  'characters of four bytes': (characters) => fill('\u{1f600}', characters / 2),
  'an attribute without an end': (characters) => `<b c="${fill('d', characters)}`,
  'a comment without an end': (characters) => `<!--${fill('d', characters)}`,
  'a tag without an end': (characters) => `<b ${fill(' ', characters)}`,
  openings: (characters) => fill('<', characters),
  levels: (characters) => fill('<b>', characters),
  'a name': (characters) => `<${fill('b', characters)}/>`,
}

/** Shapes behind one another, each in the same room. */
const mixtureOf =
  (...names: readonly string[]): Shape =>
  (characters) =>
    names.map((name) => SHAPES[name]?.(Math.floor(characters / names.length)) ?? '').join('')

const WELL_FORMED = Object.keys(SHAPES).slice(0, Object.keys(SHAPES).indexOf('an attribute without an end'))

/** Mixtures of three to six shapes, the same in each run. */
export const MIXTURES: Readonly<Record<string, Shape>> = Object.fromEntries(
  Array.from({ length: 6 }, (_, i) => {
    const random = createRandom(612 + i)
    const names = Array.from(
      { length: 3 + Math.floor(random() * 4) },
      () => WELL_FORMED[Math.floor(random() * WELL_FORMED.length)] ?? '',
    )
    return [names.join(', '), mixtureOf(...names)]
  }),
)
