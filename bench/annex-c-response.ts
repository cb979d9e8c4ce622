// Creates the response of `org-iso-mdoc` of the bench: a driving licence of four elements, one a portrait of
// 3 KB, made by node:crypto and sealed by a foreign HPKE.

import { type JsonWebKey, randomBytes } from 'node:crypto'
import { buildEncryptionInfo } from '../src/iso18013-7/encryption-info.ts'
import { makeDeviceResponse, makePrivateKey, makeTranscript, tagged } from '../test/formats/mdoc/maker.ts'
import { mintIssuerPki } from '../test/support/certificates/certificates.ts'
import { sealAnnexC, transcriptOf } from '../test/support/people/annex-c-wallet.ts'
import type { AnnexCInput } from './tasks/annex-c.ts'

const PORTRAIT_BYTES = 3072
const ORIGIN = 'https://shop.example'
const MDL = 'org.iso.18013.5.1.mDL'
const NAME_SPACE = 'org.iso.18013.5.1'
/** Within the dates of the documents that the tests make. */
const NOW = 1_790_000_000

export async function makeAnnexCResponse(): Promise<AnnexCInput> {
  const pki = await mintIssuerPki({ leaf: { extendedKeyUsage: ['1.0.18013.5.1.2'] } })
  const device = makePrivateKey('P-256')
  const reader: JsonWebKey = makePrivateKey('P-256').export({ format: 'jwk' })
  const encryptionKey = reader as AnnexCInput['encryptionKey']
  const { x, y = '' } = encryptionKey
  const encryptionInfo = buildEncryptionInfo({ x, y, nonce: randomBytes(32).toString('base64url') })
  const elements = [
    ['family_name', 'Mustermann'],
    ['birth_date', tagged(1004, '1963-08-12')],
    ['portrait', new Uint8Array(randomBytes(PORTRAIT_BYTES))],
    ['age_over_18', true],
  ] as const
  const transcript = makeTranscript([encryptionInfo, ORIGIN], 'dcapi')
  const presentation = makeDeviceResponse({
    pki,
    issuerAlg: -7,
    deviceKey: device,
    device: { key: device, alg: -7 },
    docType: MDL,
    nameSpace: NAME_SPACE,
    elements,
    transcript,
  })
  const { d: _, ...recipient } = encryptionKey
  const sealed = await sealAnnexC(
    { transcript: transcriptOf(encryptionInfo, ORIGIN), recipient },
    Buffer.from(presentation, 'base64url'),
  )
  const claims = elements.map(([name]) => ({ path: [NAME_SPACE, name] }))
  return {
    response: sealed.data.response,
    origin: ORIGIN,
    encryptionInfo,
    encryptionKey,
    anchor: {
      name: 'Bench',
      credential_types: ['mdl'],
      assurance_level: 'high',
      x509_ca_pem: pki.root.pem,
    },
    query: { credentials: [{ id: 'mdl', format: 'mso_mdoc', meta: { doctype_value: MDL }, claims }] },
    now: NOW,
    // The MSO, the device, and each certificate of the chain.
    signatures: 2 + pki.chain.length,
    // The items with the bytes around their values, and the session transcript.
    hashed: [100, 100, PORTRAIT_BYTES + 100, 100, 200],
  }
}
