// Random changes of one place of a signed list. A list is accepted only if its signed content is the same.

import { beforeAll, expect, it } from 'vitest'
import { verifyXmlList } from '../../../src/trust/lists/tl-signature.ts'
import { type Minted, mintIssuerPki } from '../../support/certificates/certificates.ts'
import { publishedList } from '../../support/certificates/published-lists.ts'
import { mintListSigner } from '../../support/certificates/trust-lists.ts'
import { signXmlList, xmlList } from '../../support/certificates/xml-lists.ts'
import { createRandom } from '../../support/runner/random.ts'
import { hugeSizeOf } from '../../support/runner/size.ts'

const CHARACTERS = [...'<>&"\'/=!?-:;#[] \t\n\rabzAZ019._', '\0', '\u00a0', '\u0430', '\ufeff', '\u{1f600}']

/** Replaces, inserts or removes one character in front of `end`. */
function change(text: string, end: number, random: () => number): string {
  const at = Math.floor(random() * end)
  const kind = Math.floor(random() * 3)
  const character = CHARACTERS[Math.floor(random() * CHARACTERS.length)] ?? ''
  return text.slice(0, at) + (kind === 2 ? '' : character) + text.slice(kind === 1 ? at : at + 1)
}

let signer: Minted
let list: string
beforeAll(async () => {
  const pki = await mintIssuerPki()
  signer = await mintListSigner()
  const services = [{ certificates: [pki.root.x5c] }, { certificates: [pki.intermediate.x5c] }]
  list = new TextDecoder().decode(signXmlList(xmlList({ services }), signer))
})

const bytesOf = (text: string) => new TextEncoder().encode(text)

it('no change of one character inside the signed tree of a canonical list is accepted, except white space between attributes', async () => {
  const random = createRandom(119612)
  const start = list.indexOf('<TrustServiceStatusList')
  const [head, body] = [list.slice(0, start), list.slice(start)]
  const end = body.indexOf('<ds:Signature')
  const good = await verifyXmlList(bytesOf(list), [signer.pem])
  if (!good.ok) throw new Error(good.error)
  const { contentDigest } = good.value
  const accepted: string[] = []
  for (let i = 0; i < hugeSizeOf(100_000); i++) {
    const changed = change(body, end, random)
    // XML reads a carriage return, alone or before a line feed, as the end of a line.
    if (changed.replaceAll(/\r\n?/g, '\n') === body) continue
    const verified = await verifyXmlList(bytesOf(head + changed), [signer.pem])
    if (!verified.ok) continue
    const isSame = verified.value.contentDigest === contentDigest && isBetweenAttributes(body, changed)
    if (!isSame) accepted.push(difference(body, changed))
  }
  expect(accepted).toEqual([])
})

it('a published list that is accepted after a change of one character has the same signed content', async () => {
  const random = createRandom(20150)
  const { text, signer: pem } = publishedList('IS')
  const good = await verifyXmlList(bytesOf(text), [pem])
  const contentDigest = good.ok ? good.value.contentDigest : ''
  let refused = 0
  for (let i = 0; i < hugeSizeOf(5000); i++) {
    const verified = await verifyXmlList(bytesOf(change(text, text.length, random)), [pem])
    if (verified.ok) expect(verified.value.contentDigest).toBe(contentDigest)
    else refused += 1
  }
  expect(refused).toBeGreaterThan(hugeSizeOf(5000) * 0.9)
})

/** Returns whether the change only adds or replaces white space in a tag, outside of the quotes. */
function isBetweenAttributes(before: string, after: string): boolean {
  const at = firstDifference(before, after)
  const isSpace = /^[ \t\r\n]$/.test(after[at] ?? '')
  const isReplaced = after.length === before.length && /^[ \t\r\n]$/.test(before[at] ?? '')
  const tag = after.slice(after.lastIndexOf('<', at - 1), at)
  const isOutside = !tag.includes('>') && tag.split('"').length % 2 === 1
  return isSpace && isOutside && (isReplaced || after.length > before.length)
}

it('isBetweenAttributes is true only for white space that was added in a tag outside the quotes', () => {
  const excused = (after: string) => isBetweenAttributes('<a b="c d">e</a>', after)
  expect(['<a  b="c d">e</a>', '<a\nb="c d">e</a>', '<a b="c d" >e</a>'].map(excused)).toEqual([
    true,
    true,
    true,
  ])
  expect(['<a b="c  d">e</a>', '<a b="c\td">e</a>', '<a b="c d">e </a>'].map(excused)).toEqual([
    false,
    false,
    false,
  ])
})

function firstDifference(before: string, after: string): number {
  let at = 0
  while (before[at] === after[at]) at += 1
  return at
}

function difference(before: string, after: string): string {
  const at = firstDifference(before, after)
  return `${at}: ${after.slice(Math.max(0, at - 20), at + 20)}`
}
