// Creates the mdoc of the bench with the library it is compared with. It is a driving licence of four
// elements, signed below a trusted root. One element is a portrait of 3 KB.

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mintLeaf, mintRoot } from '../test/support/certificates/certificates.ts'
import { fullDate, issueMdoc, MDOC_SIGNER, presentMdoc, transcriptOf } from '../test/support/people/mdoc.ts'
import type { MdocInput } from './tasks/mdoc.ts'

const NAME_SPACE = 'org.iso.18013.5.1'
const DOC_TYPE = 'org.iso.18013.5.1.mDL'
const PORTRAIT_BYTES = 3072

const SESSION = {
  nonce: '0123456789abcdef0123456789abcdef',
  audience: 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk',
  responseUri: 'https://verifier.example/v1/verify/v_1/callback',
}

export async function makeMdocPresentation(): Promise<MdocInput> {
  const root = await mintRoot()
  const leaf = await mintLeaf(root, { extendedKeyUsage: [MDOC_SIGNER] })
  const device = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const elements = {
    family_name: 'Mustermann',
    birth_date: fullDate('1963-08-12'),
    portrait: new Uint8Array(randomBytes(PORTRAIT_BYTES)),
    age_over_18: true,
  }
  const pki = { root, intermediate: root, leaf, chain: [leaf.der] }
  const nameSpaces = { [NAME_SPACE]: elements }
  const issued = await issueMdoc({ pki, docType: DOC_TYPE, nameSpaces, device })
  const request = {
    client_id: SESSION.audience,
    nonce: SESSION.nonce,
    response_uri: SESSION.responseUri,
    client_metadata: {},
  }
  const presentation = await presentMdoc(issued, {
    docType: DOC_TYPE,
    device,
    transcript: await transcriptOf(request),
    disclose: { [NAME_SPACE]: Object.keys(elements) },
  })
  return {
    ...SESSION,
    presentation,
    anchor: {
      name: 'Bench',
      credential_types: ['mdl'],
      assurance_level: 'high',
      x509_ca_pem: root.pem,
    },
    rootPem: root.pem,
    now: Math.floor(Date.now() / 1000),
    signatures: 3,
    // The items with the bytes around their values, and the session transcript.
    hashed: [100, 100, PORTRAIT_BYTES + 100, 100, 200],
  }
}
