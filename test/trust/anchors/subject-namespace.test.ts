// Where the identifiers of persons of a signer are unique (api/logins). The certificates come from
// @peculiar/x509, the digests of their keys from node:crypto.

import { createHash, X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import {
  type IssuerPki,
  type Minted,
  mintIssuerPki,
  mintLeaf,
  mintRoot,
} from '../../support/certificates/certificates.ts'
import { ask, caAnchor, pinnedAnchor, pki, SHARED } from '../fixtures.ts'

const ISSUER = 'https://issuer.example'
const small = await mintIssuerPki({ root: { subject: 'C=DE,O=Small,CN=Small Root' } })
const nextSigner = await mintLeaf(pki.intermediate, { subject: 'C=DE,O=Test Issuer,CN=Document Signer 2' })
const renewedRoot = await mintRoot({ keys: pki.root.keys, notAfter: new Date('2048-01-01T00:00:00Z') })
const named = await mintLeaf(small.intermediate, { altNames: [{ type: 'url', value: ISSUER }] })

async function namespaceOf(
  { chain }: Pick<IssuerPki, 'chain'>,
  anchors: readonly TrustAnchor[],
  iss?: string,
): Promise<string | undefined> {
  const signer = await ask({ chain, iss }, { anchors })
  return signer.ok ? signer.value.subjectNamespace : signer.error.reason
}

function below(leaf: Minted, { intermediate }: Pick<IssuerPki, 'intermediate'>) {
  return { chain: [leaf.der, intermediate.der] }
}

function digestOf({ pem }: Minted): string {
  const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  return `key:${createHash('sha256').update(key).digest('base64url')}`
}

const large = caAnchor(pki.root.pem)

it.each<[string, Pick<IssuerPki, 'chain'>, readonly TrustAnchor[], string, string?]>([
  ['a document signer below an authority', pki, [large], digestOf(pki.root)],
  ['the next document signer of the authority', below(nextSigner, pki), [large], digestOf(pki.root)],
  ['a renewed certificate of the authority', pki, [caAnchor(renewedRoot.pem)], digestOf(pki.root)],
  [
    'a signer with the same name below another authority',
    small,
    [large, caAnchor(small.root.pem)],
    digestOf(small.root),
  ],
  [
    'a signer whose certificate contains the `iss` of the credential',
    below(named, small),
    [large, caAnchor(small.root.pem)],
    digestOf(small.root),
    ISSUER,
  ],
  ['a pinned signer', pki, [pinnedAnchor(pki.leaf.pem)], digestOf(pki.leaf)],
  [
    'an authority from a trust list',
    pki,
    [caAnchor(pki.root.pem, { list: { name: 'eu', sequence: 1, trust_as_of: '2027-01-01T00:00:00Z' } })],
    digestOf(pki.root),
  ],
  [
    'an authority with `subject_namespace`',
    pki,
    [caAnchor(pki.root.pem, { subject_namespace: 'mdl-ut' })],
    'name:mdl-ut',
  ],
  [
    'a pinned signer with `subject_namespace`',
    pki,
    [pinnedAnchor(pki.leaf.pem, { subject_namespace: 'mdl-ut' })],
    'name:mdl-ut',
  ],
])('the subject namespace of %s comes from the anchor', async (_, signer, anchors, expected, iss) => {
  expect(await namespaceOf(signer, anchors, iss)).toBe(expected)
})

it.each<[string, Partial<TrustAnchor>, string]>([
  ['is the issuer that the anchor names', {}, `issuer:${ISSUER}`],
  ['is `subject_namespace` if the anchor has it', { subject_namespace: ISSUER }, `name:${ISSUER}`],
])('the subject namespace of an issuer with anchored keys %s', async (_, changes, expected) => {
  const anchor = { ...SHARED, issuer: ISSUER, jwks: { keys: [pki.leaf.publicJwk] }, ...changes }
  expect(await namespaceOf(pki, [anchor as TrustAnchor], ISSUER)).toBe(expected)
})
