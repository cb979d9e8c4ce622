import { sdJwtVc } from '../../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import { alter, issueSdJwtVc } from '../../support/people/issuer.ts'
import { describeFormat } from '../contract.ts'
import {
  ANCHOR,
  CLAIMS,
  CONTEXT,
  DISCLOSABLE,
  EXPECTED,
  HOLDER_KEY,
  ISSUER,
  ISSUER_KEY,
  issueGood,
  NOW,
  presentGood,
  STRANGER_KEY,
  VCT,
} from './good.ts'

const { iss: _, ...claims } = CLAIMS

describeFormat({
  format: sdJwtVc,
  expected: EXPECTED,
  context: CONTEXT,
  verified: {
    typeIdentifier: VCT,
    credentialType: 'pid',
    issuer: ISSUER,
    anchor: { name: ANCHOR.name, assurance_level: 'high' },
    claims: { ...claims, iss: ISSUER, cnf: { jwk: { ...HOLDER_KEY.publicJwk } } },
  },
  good: async () => presentGood(await issueGood()),
  variants: {
    otherNonce: async () => presentGood(await issueGood(), { nonce: 'f'.repeat(32) }),
    otherAudience: async () => presentGood(await issueGood(), { audience: 'x509_hash:other' }),
    otherHolder: async () => presentGood(await issueGood(), { holder: STRANGER_KEY }),
    otherIssuerKey: async () => {
      const issued = { issuer: STRANGER_KEY, holder: HOLDER_KEY, claims: CLAIMS, disclosable: DISCLOSABLE }
      return presentGood(await issueSdJwtVc(issued))
    },
    unknownType: async () => presentGood(await issueGood({ vct: 'urn:eudi:pid:2' })),
    expired: async () => presentGood(await issueGood({ exp: NOW - 3600 })),
    notYetValid: async () => presentGood(await issueGood({ nbf: NOW + 3600 })),
    withStatus: async () =>
      presentGood(await issueGood({ status: { status_list: { idx: 1, uri: 'https://s.example' } } })),
    withoutHolderBinding: async () => {
      const good = await presentGood(await issueGood())
      return alter(good, { issuer: ISSUER_KEY, holder: HOLDER_KEY }, (parts) => {
        parts.kb = undefined
      })
    },
  },
})
