// The chain that every mutation starts from, and the two ways to change it: minted otherwise by @peculiar/x509, or taken apart
// as DER, changed, and signed again by node:crypto. Keys are made once.

import { type JsonWebKey, sign } from 'node:crypto'
import {
  type CertificateOptions,
  type IssuerPki,
  type Minted,
  mintIntermediate,
  mintIssuerPki,
  mintLeaf,
  mintRoot,
  tlv,
  withDer,
} from '../../../support/certificates/certificates.ts'
import { type Der, primitive, readDer, writeDer } from '../../../support/certificates/der-tree.ts'

/** mdlDS (ISO/IEC 18013-5 B.1.4): licences demand it of their signer; to the other signers it says nothing. */
export const DOCUMENT_SIGNER = '1.0.18013.5.1.2'

/** Every `now` of the signers lies between the two. */
export const BEFORE = new Date('2026-09-01T00:00:00Z')
export const AFTER = new Date('2027-06-01T00:00:00Z')

/** Good for every kind of signer: all of one country, the leaf with a usage that a licence's signer must have. */
export const GOOD: IssuerPki = await mintIssuerPki({ leaf: { extendedKeyUsage: [DOCUMENT_SIGNER] } })

/** What a signer shows, the authorities it is judged by, and whose key it signs with. */
export type Presented = {
  readonly chain: readonly Uint8Array<ArrayBuffer>[]
  readonly anchors: readonly Minted[]
  readonly signer: Minted
}

/** `trusted`, or the reason; that of a broken rule with the rule. */
export type Outcome = string

/** What differs from the good chain, how, and what comes of it. */
export type Mutation = readonly [
  name: string,
  make: () => Promise<Presented>,
  expected: Outcome,
  /** Where the profile of a driving licence's signer says something else, or a status list more than that nobody vouches. */
  differently?: { readonly licence?: Outcome; readonly status?: string },
]

/** In the words of a rejection. */
export const rule = (name: string): Outcome => `certificate_profile_violation: ${name}`
export const MALFORMED: Outcome = 'malformed_certificate_chain'
export const BROKEN: Outcome = 'invalid_certificate_path'

export type Changes = {
  readonly root?: CertificateOptions
  readonly intermediate?: CertificateOptions
  readonly leaf?: CertificateOptions
}

/** The good chain with certificates minted otherwise. */
export function minted(changes: Changes): () => Promise<Presented> {
  return async () => {
    const root = await mintRoot(withKeys(GOOD.root, changes.root))
    const intermediate = await mintIntermediate(root, withKeys(GOOD.intermediate, changes.intermediate))
    const leaf = await mintLeaf(intermediate, {
      extendedKeyUsage: [DOCUMENT_SIGNER],
      ...withKeys(GOOD.leaf, changes.leaf),
    })
    return { chain: [leaf.der, intermediate.der], anchors: [root], signer: able(leaf) }
  }
}

/** Another chain of certificates, under the good root unless told otherwise. */
export function shown(
  choose: () => Promise<readonly Minted[]> | readonly Minted[],
  anchors: readonly Minted[] = [GOOD.root],
): () => Promise<Presented> {
  return async () => {
    const certificates = await choose()
    const [leaf = GOOD.leaf] = certificates
    return { chain: certificates.map(({ der }) => der), anchors, signer: able(leaf) }
  }
}

/** Where the fields of a certificate's body stand (RFC 5280 §4.1). */
export const FIELD = {
  version: 0,
  serial: 1,
  algorithm: 2,
  issuer: 3,
  validity: 4,
  subject: 5,
  key: 6,
  extensions: 7,
} as const

type Edit = (fields: Der[], certificate: Der[]) => void
export type Signing = { readonly hash?: string; readonly signWith?: Minted }

/** The good chain with one certificate's fields changed by hand and signed anew by its issuer. */
export function patched(
  which: 'root' | 'intermediate' | 'leaf',
  edit: Edit,
  signing: Signing = {},
): () => Promise<Presented> {
  return async () => {
    const issuers = { root: GOOD.root, intermediate: GOOD.root, leaf: GOOD.intermediate }
    const changed = patch(GOOD[which], edit, { signWith: issuers[which], ...signing })
    const { root, intermediate, leaf }: Record<typeof which, Minted> = { ...GOOD, [which]: changed }
    return { chain: [leaf.der, intermediate.der], anchors: [root], signer: GOOD.leaf }
  }
}

/** One certificate with its fields changed and signed anew. `edit` may change the outer algorithm too. */
export function patch(certificate: Minted, edit: Edit, { hash = 'sha256', signWith }: Signing): Minted {
  const tree = readDer(certificate.der)
  const [body] = tree.children
  if (body === undefined || signWith === undefined) throw new Error('no body, or nobody to sign')
  edit(body.children, tree.children)
  const key = { key: signWith.privateJwk as JsonWebKey, format: 'jwk', dsaEncoding: 'der' } as const
  const signature = sign(hash, writeDer(body), key as never)
  tree.children[2] = primitive(0x03, `00${signature.toString('hex')}`)
  return withDer(certificate, writeDer(tree))
}

/** The extension of an id among a certificate's fields. */
export function extensionsOf(fields: Der[]): Der[] {
  const list = fields[FIELD.extensions]?.children[0]
  if (list === undefined) throw new Error('there are no extensions')
  return list.children
}

/** Extensions as the makers take them, encoded by hand. */
export function raw(oid: string, critical: boolean, ...content: Parameters<typeof tlv>) {
  return { oid, critical, value: tlv(...content) }
}

/** Keys of its own only where their kind is part of the change. */
function withKeys({ keys }: Minted, changes: CertificateOptions = {}): CertificateOptions {
  return changes.keyKind === undefined && changes.keys === undefined ? { keys, ...changes } : changes
}

/** All sign with ES256. A leaf with another kind of key is refused before any signature of it is looked at. */
function able(leaf: Minted): Minted {
  return leaf.privateJwk.crv === 'P-256' ? leaf : GOOD.leaf
}
