// The suite of every format, over presentations made by @owf/mdoc. What that library cannot make (an MSO with
// a status, a document without `deviceSigned`) node:crypto makes.

import { mdoc } from '../../../src/formats/mdoc/mdoc.ts'
import { issueMdoc, type MdocIssuing, presentMdoc, transcriptOf } from '../../support/people/mdoc.ts'
import { makeDevice } from '../../support/people/mdoc-person.ts'
import { describeFormat } from '../contract.ts'
import { ANCHOR, CONTEXT, DEVICE, EXPECTED, HANDOVER, MDL, make, NAME_SPACE, NOW, PKI } from './good.ts'

const ELEMENTS = { given_name: 'Erika', age_over_18: true, portrait: Uint8Array.of(0xff, 0xd8, 0xff) }
const DEVICE_JWK = DEVICE.export({ format: 'jwk' })
const STRANGER = makeDevice()

const at = (seconds: number) => new Date(seconds * 1000)

/** The good presentation, with changes to its issuance and to the wallet's view of the request. */
async function present(
  issuing: Partial<MdocIssuing> = {},
  { nonce = EXPECTED.nonce, audience = EXPECTED.audience, holder = DEVICE_JWK } = {},
): Promise<string> {
  const docType = issuing.docType ?? MDL
  const issued = await issueMdoc({
    pki: PKI,
    docType,
    nameSpaces: { [NAME_SPACE]: ELEMENTS },
    device: DEVICE_JWK,
    signed: at(NOW - 86_400),
    validUntil: at(NOW + 86_400),
    ...issuing,
  })
  const transcript = await transcriptOf({
    client_id: audience,
    nonce,
    response_uri: HANDOVER.responseUri,
    client_metadata: { jwks: { keys: [HANDOVER.encryptionKey] } },
  })
  const disclose = { [NAME_SPACE]: Object.keys(ELEMENTS) }
  return presentMdoc(issued, { docType, device: holder, transcript, disclose })
}

describeFormat({
  format: mdoc,
  boundWhole: true,
  expected: EXPECTED,
  context: CONTEXT,
  verified: {
    typeIdentifier: MDL,
    credentialType: 'mdl',
    issuer: 'CN=Test Document Signer,O=Test Issuer,C=DE',
    anchor: { name: ANCHOR.name, assurance_level: 'high' },
    claims: { [NAME_SPACE]: { given_name: 'Erika', age_over_18: true, portrait: '_9j_' } },
  },
  good: () => present(),
  variants: {
    otherNonce: () => present({}, { nonce: 'f'.repeat(32) }),
    otherAudience: () => present({}, { audience: 'x509_hash:other' }),
    otherHolder: () => present({}, { holder: STRANGER }),
    otherIssuerKey: () =>
      present({ pki: { ...PKI, leaf: { ...PKI.leaf, privateJwk: STRANGER as JsonWebKey } } }),
    unknownType: () => present({ docType: 'org.example.unheard' }),
    expired: () => present({ validUntil: at(NOW - 3600) }),
    notYetValid: () => present({ validFrom: at(NOW + 3600) }),
    withStatus: async () =>
      make({
        mso: (mso) => Object.assign(mso, { status: { status_list: { idx: 1, uri: 'https://s.example' } } }),
      }),
    withoutHolderBinding: async () => make({ document: (document) => delete document.deviceSigned }),
  },
})
