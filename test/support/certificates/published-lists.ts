// Published trusted lists in XML (test/vectors/trusted-lists.json).

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { canonicalize } from '../../../src/trust/xml/exclusive-c14n.ts'
import { childElements } from '../../../src/trust/xml/reading.ts'
import { parseXml } from '../../../src/trust/xml/xml-tree.ts'
import vectors from '../../vectors/trusted-lists.json' with { type: 'json' }

export type PublishedName = keyof typeof vectors.lists

/** A published list: its bytes, and the certificate of its signer as PEM. */
export function publishedList(name: PublishedName) {
  const { file, ...expected } = vectors.lists[name]
  const bytes = readVector(file)
  const text = new TextDecoder().decode(bytes)
  const [, signer = ''] = /KeyInfo>.*?X509Certificate>([^<]+)</s.exec(text) ?? []
  return { bytes, text, signer: pemOf(signer), expected }
}

export function readVector(file: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    gunzipSync(readFileSync(fileURLToPath(import.meta.resolve(`../../vectors/trusted-lists/${file}`)))),
  )
}

export function pemOf(base64: string): string {
  const lines = base64.replace(/\s+/g, '').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/**
 * The canonical text of a published list without its signature. The tests of published lists compare its
 * digest with the one of xmlsec1.
 */
export function canonicalText(name: PublishedName): string {
  const root = parseXml(publishedList(name).bytes)
  if (!root.ok) throw new Error(root.error)
  return new TextDecoder().decode(canonicalize(root.value, childElements(root.value).at(-1)))
}
