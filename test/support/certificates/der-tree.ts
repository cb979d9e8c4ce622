// DER as a tree, to be changed and encoded again, for certificates that no library makes. Lengths are written
// again, so any change fits. It reads output of @peculiar/x509 and is not strict.

import { concatBytes } from '../../../src/codec/bytes.ts'
import { tlv } from './certificates.ts'

/** A constructed element has children, a primitive one content. */
export type Der = { tag: number; children: Der[]; content: Uint8Array<ArrayBuffer> }

const CONSTRUCTED = 0x20

/** The first element of `bytes`. */
export function readDer(bytes: Uint8Array<ArrayBuffer>): Der {
  const tree = readAll(bytes)[0]
  if (tree === undefined) throw new Error('there is no element')
  return tree
}

/** The bytes of a tree. */
export function writeDer({ tag, children, content }: Der): Uint8Array<ArrayBuffer> {
  return tag & CONSTRUCTED ? tlv(tag, ...children.map(writeDer)) : tlv(tag, content)
}

/** A primitive element; the octets in hexadecimal. */
export function primitive(tag: number, hex = ''): Der {
  return { tag, children: [], content: new Uint8Array(Buffer.from(hex, 'hex')) }
}

/** A primitive element of ASCII text. */
export function text(tag: number, value: string): Der {
  return primitive(tag, Buffer.from(value, 'latin1').toString('hex'))
}

/** A constructed element. */
export function constructed(tag: number, ...children: Der[]): Der {
  return { tag, children, content: new Uint8Array() }
}

function readAll(bytes: Uint8Array<ArrayBuffer>): Der[] {
  const found: Der[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0
    const first = bytes[at + 1] ?? 0
    const width = first < 0x80 ? 0 : first & 0x7f
    const length =
      width === 0 ? first : bytes.slice(at + 2, at + 2 + width).reduce((sum, octet) => sum * 256 + octet, 0)
    const content = concatBytes(bytes.subarray(at + 2 + width, at + 2 + width + length))
    found.push({ tag, content, children: tag & CONSTRUCTED ? readAll(content) : [] })
    at += 2 + width + length
  }
  return found
}
