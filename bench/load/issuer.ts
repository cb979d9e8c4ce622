// The issuer of the load's credentials: one certificate below a root that every verifier trusts.

import { type Minted, mintLeaf, mintRoot } from '../../test/support/certificates/certificates.ts'
import type { Authority } from '../../test/support/people/person.ts'
import { type LeanWallet, makeLeanWallet } from '../../test/support/wallets/lean-wallet.ts'

/** A trusted root, and a wallet with credentials of an issuer below it. */
export type Issuer = { readonly root: Minted; readonly authority: Authority; readonly wallet: LeanWallet }

const ISS = 'https://issuer.example'

export async function makeIssuer(): Promise<Issuer> {
  const root = await mintRoot()
  const leaf = await mintLeaf(root, { altNames: [{ type: 'url', value: ISS }] })
  const authority: Authority = {
    iss: ISS,
    key: { alg: 'ES256', privateJwk: leaf.privateJwk as never, publicJwk: leaf.publicJwk as never },
    anchor: () => ({
      name: 'Issuer of the load',
      credential_types: ['age_attestation'],
      assurance_level: 'substantial',
      x509_ca_pem: root.pem,
    }),
  }
  return { root, authority, wallet: await makeLeanWallet(authority, [leaf.x5c]) }
}
