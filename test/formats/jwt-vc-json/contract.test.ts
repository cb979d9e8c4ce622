import { jwtVcJson } from '../../../src/formats/jwt-vc-json/jwt-vc-json.ts'
import { describeFormat } from '../contract.ts'
import {
  ANCHOR,
  CONTEXT,
  EXPECTED,
  HOLDER,
  ISSUER,
  issue,
  NOW,
  presentOf,
  STRANGER_KEY,
  SUBJECT,
  TYPE,
  VC,
} from './good.ts'

describeFormat({
  format: jwtVcJson,
  expected: EXPECTED,
  context: CONTEXT,
  verified: {
    typeIdentifier: TYPE,
    credentialType: 'pid',
    issuer: ISSUER,
    anchor: { name: ANCHOR.name, assurance_level: 'high' },
    claims: {
      id: 'urn:uuid:1',
      issuer: ISSUER,
      ...VC,
      credentialSubject: { id: HOLDER.did, ...SUBJECT },
    },
  },
  good: () => presentOf({}),
  variants: {
    otherNonce: () => presentOf({}, { claims: { nonce: 'f'.repeat(32) } }),
    otherAudience: () => presentOf({}, { claims: { aud: 'x509_hash:other' } }),
    otherHolder: () => presentOf({}, { key: STRANGER_KEY }),
    otherIssuerKey: () => presentOf({ key: STRANGER_KEY }),
    unknownType: () => presentOf({ content: { type: ['VerifiableCredential', 'Unheard'] } }),
    expired: () => presentOf({ claims: { exp: NOW - 3600 } }),
    notYetValid: () => presentOf({ claims: { nbf: NOW + 3600 } }),
    withStatus: () =>
      presentOf({ claims: { status: { status_list: { idx: 1, uri: 'https://s.example' } } } }),
    withoutHolderBinding: () => issue(),
  },
})
