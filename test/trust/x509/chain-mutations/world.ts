// The chain that every mutation starts from, and the two ways to change it. @peculiar/x509 makes another
// certificate, or the DER is changed and signed again by node:crypto. Keys are made once.

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

/** mdlDS (ISO/IEC 18013-5 B.1.4): licences require it of their signer. For other signers it has no effect. */
export const DOCUMENT_SIGNER = '1.0.18013.5.1.2'

/** Every `now` of the signers lies between the two. */
export const BEFORE = new Date('2026-09-01T00:00:00Z')
export const AFTER = new Date('2027-06-01T00:00:00Z')

/**
 * Valid for every kind of signer: all of one country, the leaf with the usage that a licence's signer must
 * have.
 */
export const GOOD: IssuerPki = await mintIssuerPki({ leaf: { extendedKeyUsage: [DOCUMENT_SIGNER] } })

/** The chain of a signer, the authorities for it, and the signing key. */
export type Presented = {
  readonly chain: readonly Uint8Array<ArrayBuffer>[]
  readonly anchors: readonly Minted[]
  readonly signer: Minted
}

/** `trusted`, or the reason; that of a broken rule with the rule. */
export type Outcome = string

/** The change to the good chain, and its result. */
export type Mutation = readonly [
  name: string,
  make: () => Promise<Presented>,
  expected: Outcome,
  /** Different results for a driving licence's signer or a status list, if they differ. */
  differently?: { readonly licence?: Outcome; readonly status?: string },
]

/** In the form of a refusal. */
export const rule = (name: string): Outcome => `certificate_profile_violation: ${name}`
export const MALFORMED: Outcome = 'malformed_certificate_chain'
export const BROKEN: Outcome = 'invalid_certificate_path'

export type Changes = {
  readonly root?: CertificateOptions
  readonly intermediate?: CertificateOptions
  readonly leaf?: CertificateOptions
}

/** The good chain with other certificates. */
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

/** Another chain of certificates, by default under the good root. */
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

/** Positions of the fields in a certificate's body (RFC 5280 §4.1). */
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

/** The good chain with changed fields in one certificate, signed again by its issuer. */
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

/** One certificate with changed fields, signed again. `edit` may change the outer algorithm too. */
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

/** Keys of its own only if their kind is part of the change. */
function withKeys({ keys }: Minted, changes: CertificateOptions = {}): CertificateOptions {
  return changes.keyKind === undefined && changes.keys === undefined ? { keys, ...changes } : changes
}

/** All sign with ES256. A leaf with another kind of key is refused before its signatures are checked. */
function able(leaf: Minted): Minted {
  return leaf.privateJwk.crv === 'P-256' ? leaf : GOOD.leaf
}
