// Reads a signed list of 8 MiB for each shape that the arguments name, and prints the verdict and the
// processor time of each as JSON. test/slow/xml-reader.test.ts starts it with a limited heap.

import { verifyXmlList } from '../../../src/trust/lists/tl-signature.ts'
import { XML } from '../../../src/trust/xml/xml-limits.ts'
import { mintListSigner } from '../../support/certificates/trust-lists.ts'
import { signXmlList, xmlList } from '../../support/certificates/xml-lists.ts'
import { SHAPES } from './shapes.ts'

const signer = await mintListSigner()
const list = xmlList({})
const { length } = signXmlList(list, signer)
const room = XML.bytes - length - 1000

for (const name of process.argv.slice(2)) {
  const shape = SHAPES[name]
  if (shape === undefined) throw new Error(`no shape ${name}`)
  const document = (text: string) =>
    text.replace('</SchemeInformation>', () => `</SchemeInformation>${shape(room)}`)
  const bytes = signXmlList(list, signer, { document })
  const started = process.cpuUsage()
  const verified = await verifyXmlList(bytes, [signer.pem])
  const { user, system } = process.cpuUsage(started)
  const seconds = (user + system) / 1e6
  console.log(JSON.stringify({ name, bytes: bytes.length, verdict: verified.ok || verified.error, seconds }))
}
