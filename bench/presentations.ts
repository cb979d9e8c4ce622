// Creates the SD-JWT VCs of the bench with the library it is compared with. One issuer is known by its JWKS,
// one by a chain of two certificates below a trusted root. A third set has so many chains that each leaves
// the cache before it repeats.

import { CERTIFICATE } from '../src/limits.ts'
import { mintIntermediate, mintLeaf, mintRoot } from '../test/support/certificates/certificates.ts'
import { issueSdJwtVc, makeKey, presentSdJwtVc, type SigningKey } from '../test/support/people/issuer.ts'
import type { SdJwtVcInput } from './tasks/sd-jwt-vc.ts'

const VCT = 'urn:eudi:pid:1'
const ISS = 'https://issuer.example'
const NONCE = '0123456789abcdef0123456789abcdef'
const AUDIENCE = 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk'

const TEN_CLAIMS = {
  given_name: 'Erika',
  family_name: 'Mustermann',
  birthdate: '1963-08-12',
  birth_family_name: 'Gabler',
  sex: 2,
  email: 'erika@example.org',
  phone_number: '+49 30 1234567',
  issuing_country: 'DE',
  issuing_authority: 'Berlin',
  document_number: 'T22000129',
}

export async function makePresentations(): Promise<Readonly<Record<string, SdJwtVcInput>>> {
  return {
    'issuer by jwks': await byJwks(),
    'two-certificate chain': await byChains(1),
    'two-certificate chain, not seen before': await byChains(CERTIFICATE.remembered / 2 + 1),
  }
}

async function byJwks(): Promise<SdJwtVcInput> {
  const issuer = await makeKey()
  const anchor = { ...VOUCHED, issuer: ISS, jwks: { keys: [issuer.publicJwk] } }
  const presentations = [await presented(issuer, { iss: ISS })]
  const issuerJwk = { ...issuer.publicJwk }
  return { ...EXPECTED, presentations, anchor, issuerJwk, rootPem: null, signatures: 2 }
}

/** Creates a number of issuers below one root, each with its own chain. */
async function byChains(count: number): Promise<SdJwtVcInput> {
  const root = await mintRoot()
  const presentations: string[] = []
  while (presentations.length < count) {
    const intermediate = await mintIntermediate(root)
    const leaf = await mintLeaf(intermediate)
    const issuer: SigningKey = { alg: 'ES256', privateJwk: leaf.privateJwk as SigningKey['privateJwk'] }
    presentations.push(await presented(issuer, {}, [leaf.x5c, intermediate.x5c]))
  }
  const anchor = { ...VOUCHED, x509_ca_pem: root.pem }
  return { ...EXPECTED, presentations, anchor, issuerJwk: null, rootPem: root.pem, signatures: 4 }
}

const VOUCHED = { name: 'Bench', credential_types: ['pid'], assurance_level: 'high' } as const

const NOW = Math.floor(Date.now() / 1000)
const EXPECTED = { vct: VCT, nonce: NONCE, audience: AUDIENCE, now: NOW } as const

async function presented(issuer: SigningKey, named: object, x5c?: readonly string[]): Promise<string> {
  const holder = await makeKey()
  const claims = { ...named, vct: VCT, iat: NOW - 3600, exp: NOW + 86_400, ...TEN_CLAIMS }
  const disclosable = { _sd: Object.keys(TEN_CLAIMS) }
  const chain = x5c === undefined ? {} : { x5c }
  const sdJwt = await issueSdJwtVc({ issuer, holder, claims, disclosable, ...chain })
  return presentSdJwtVc(sdJwt, { holder, nonce: NONCE, audience: AUDIENCE, iat: NOW - 5 })
}
