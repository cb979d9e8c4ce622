// Random changes of one place of a signed list. A list is accepted only if its signed content is the same.

import { beforeAll, expect, it } from 'vitest'
import { verifyXmlList } from '../../../src/trust/lists/tl-signature.ts'
import { type Minted, mintIssuerPki } from '../../support/certificates/certificates.ts'
import { publishedList } from '../../support/certificates/published-lists.ts'
import { mintListSigner } from '../../support/certificates/trust-lists.ts'
import { signXmlList, xmlList } from '../../support/certificates/xml-lists.ts'
import { hugeSizeOf } from '../../support/runner/size.ts'

const CHARACTERS = [...'<>&"\'/=!?-:;#[] \t\n\rabzAZ019._', '\0', '\u00a0', '\u0430', '\ufeff', '\u{1f600}']

/** A generator of numbers below 1, the same in each run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

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

it('no change of one character inside the signed tree of a canonical list is accepted', async () => {
  const random = createRandom(119612)
  const start = list.indexOf('<TrustServiceStatusList')
  const [head, body] = [list.slice(0, start), list.slice(start)]
  const end = body.indexOf('<ds:Signature')
  const good = await verifyXmlList(bytesOf(list), [signer.pem])
  expect(good.ok).toBe(true)
  const accepted: string[] = []
  for (let i = 0; i < hugeSizeOf(100_000); i++) {
    const changed = change(body, end, random)
    // XML reads a carriage return as the end of a line.
    if (changed.replaceAll('\r', '\n') === body) continue
    const verified = await verifyXmlList(bytesOf(head + changed), [signer.pem])
    if (verified.ok && !isInsideTag(body, changed)) accepted.push(difference(body, changed))
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

/** Returns whether the change only adds or replaces white space in a tag, which no tree has. */
function isInsideTag(before: string, after: string): boolean {
  const at = firstDifference(before, after)
  const isSpace = /^[ \t\r\n]$/.test(after[at] ?? '')
  const isReplaced = after.length === before.length && /^[ \t\r\n]$/.test(before[at] ?? '')
  const opened = after.lastIndexOf('<', at - 1) > after.lastIndexOf('>', at - 1)
  return isSpace && opened && (isReplaced || after.length > before.length)
}

function firstDifference(before: string, after: string): number {
  let at = 0
  while (before[at] === after[at]) at += 1
  return at
}

function difference(before: string, after: string): string {
  const at = firstDifference(before, after)
  return `${at}: ${after.slice(Math.max(0, at - 20), at + 20)}`
}
