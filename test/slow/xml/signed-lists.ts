// Lists of 8 MiB that are signed as a whole, so that their services are read, and their certificates decoded.

import { XML } from '../../../src/trust/xml/xml-limits.ts'
import { type Minted, mintIssuerPki } from '../../support/certificates/certificates.ts'
import { digitalId, signXmlList, type XmlService, xmlList } from '../../support/certificates/xml-lists.ts'

/** Makes up to `count` services. */
type Services = (count: number) => readonly XmlService[]

/** The certificate with other bytes at its end, where its signature is, so that each is another one. */
function variantOf({ der }: Minted, i: number): string {
  const bytes = Buffer.from(der)
  bytes.writeUInt32BE(i, bytes.length - 4)
  return bytes.toString('base64')
}

const [{ leaf, root }, { leaf: rsa }] = await Promise.all([
  mintIssuerPki(),
  mintIssuerPki({ leaf: { keyKind: 'RSA-2048' } }),
])

const each =
  (certificate: (i: number) => string): Services =>
  (count) =>
    Array.from({ length: count }, (_, i) => ({ certificates: [certificate(i)] }))

/** The expected verdict, and the services. */
export const SIGNED_LISTS: Readonly<Record<string, readonly [true | 'too_large', Services]>> = {
  'services with the same certificate': [true, each(() => leaf.x5c)],
  'services with a certificate each': ['too_large', each((i) => variantOf(root, i))],
  'services with an RSA certificate each': ['too_large', each((i) => variantOf(rsa, i))],
  'services without a certificate': [
    true,
    (count) => Array.from({ length: count }, () => ({ certificates: [] })),
  ],
  'one service of many certificates': [
    true,
    (count) => [
      { certificates: [], identity: Array.from({ length: count }, () => digitalId(leaf.x5c)).join('') },
    ],
  ],
}

/** Signs a list with as many services as 8 MiB and the limit of elements allow. */
export function signedList(services: Services, signer: Minted): Uint8Array<ArrayBuffer> {
  const few = xmlList({ services: services(100) })
  const more = xmlList({ services: services(200) })
  const elementsOf = (text: string) => text.split(/<[A-Za-z]/).length
  const fits = (limit: number, measure: (text: string) => number) =>
    Math.floor(((limit - measure(few)) / (measure(more) - measure(few))) * 100)
  const count = Math.min(
    fits(XML.bytes - 10_000, (text) => text.length),
    fits(XML.elements - 1000, elementsOf),
  )
  return signXmlList(xmlList({ services: services(100 + count) }), signer)
}
