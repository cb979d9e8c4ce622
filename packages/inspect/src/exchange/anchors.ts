// Trusted issuers of an evaluation: those that the caller gives, or those that the response itself names. The
// latter are an assumption, so that an evaluation does not end at an unknown issuer.

import { isJsonObject, type Json, member, parseJson } from '../../../../src/codec/json.ts'
import type { PublicJwk } from '../../../../src/crypto/jwk.ts'
import { decodeDeviceResponse } from '../../../../src/formats/mdoc/device-response.ts'
import { decodeIssuerSigned } from '../../../../src/formats/mdoc/issuer-signed.ts'
import type { PresentationGroup } from '../../../../src/openid4vp/response/vp-token.ts'
import type { TrustAnchor } from '../../../../src/trust/anchors/anchor.ts'
import { parseTrustAnchor } from '../../../../src/trust/anchors/parse-anchor.ts'
import { isKnownDid } from '../../../../src/trust/did/did.ts'
import { decodePemCertificates, encodePem } from '../../../../src/trust/x509/pem-certificates.ts'
import { chainOf } from '../keys.ts'
import { INPUT } from '../limits.ts'
import { readToken } from '../parts/jws.ts'
import { UnreadableInputError } from '../report.ts'
import type { Bytes } from '../source.ts'

/** Members of each anchor here. `credential_types`: every type of the evaluation. */
type Shared = Pick<TrustAnchor, 'name' | 'credential_types' | 'assurance_level' | 'purpose'>

const shared = (name: string, types: readonly string[]): Shared => ({
  name,
  credential_types: types,
  assurance_level: 'high',
  purpose: ['issuer', 'status'],
})

/** Reads anchors: PEM certificates, or JSON as in the settings. Throws `UnreadableInputError`. */
export function readAnchors(text: string, types: readonly string[]): readonly TrustAnchor[] {
  const trimmed = text.trim()
  if (trimmed.startsWith('-----BEGIN')) return certificateAnchors(trimmed, types)
  const parsed = parseJson(trimmed, INPUT.json)
  const value = parsed.ok ? parsed.value : undefined
  const list = isJsonObject(value) ? (member(value, 'trust_anchors') ?? [value]) : value
  if (!Array.isArray(list) || list.length > INPUT.anchors)
    throw new UnreadableInputError('the anchors must be PEM certificates, or trust anchors as JSON')
  return list.map((anchor: Json, i) => {
    const read = parseTrustAnchor(anchor)
    if (read.ok) return read.value
    const faults = read.error.map(({ pointer, message }) => `${pointer} ${message}`).join('; ')
    throw new UnreadableInputError(`trust anchor ${i + 1}: ${faults}`)
  })
}

/** An authority certifies issuers. Any other certificate is that of an issuer itself. */
function certificateAnchors(pem: string, types: readonly string[]): readonly TrustAnchor[] {
  const certificates = decodePemCertificates(pem)
  if (certificates === undefined || certificates.length === 0)
    throw new UnreadableInputError('the anchors are no PEM certificates, or too many')
  return certificates.map(({ encoded, extensions }, i): TrustAnchor => {
    const text = encodePem(encoded)
    const members = shared(`given certificate ${i + 1}`, types)
    return extensions.basicConstraints?.ca
      ? { ...members, x509_ca_pem: text }
      : { ...members, x509_certificate_pem: text }
  })
}

/** Returns anchors for the issuers that presentations and lists name. `keys`: keys that the caller gave. */
export function assumedAnchors(
  groups: readonly PresentationGroup[],
  lists: readonly (readonly Bytes[] | undefined)[],
  { types, keys }: { readonly types: readonly string[]; readonly keys: readonly PublicJwk[] },
): readonly TrustAnchor[] {
  const signers = groups.flatMap(({ presentations }) => presentations.map(signerOf))
  const members = shared('assumed: the issuer in the response', types)
  const anchors = [...signers, ...lists.map((chain) => ({ chain, iss: undefined }))].map(
    ({ chain, iss }): TrustAnchor | undefined => {
      if (chain?.[0] !== undefined) return { ...members, x509_certificate_pem: encodePem(chain[0]) }
      if (iss === undefined) return undefined
      if (isKnownDid(iss)) return { ...members, did: iss }
      return keys.length > 0 ? { ...members, issuer: iss, jwks: { keys } } : undefined
    },
  )
  const found = anchors.filter((anchor) => anchor !== undefined)
  return [...new Map(found.map((anchor) => [JSON.stringify(anchor), anchor])).values()]
}

type Signer = { readonly chain: readonly Bytes[] | undefined; readonly iss: string | undefined }

const NONE: Signer = { chain: undefined, iss: undefined }

/** Returns the signer that a presentation names. Nothing is verified. */
function signerOf(presentation: Json): Signer {
  if (typeof presentation !== 'string') return NONE
  const [compact = ''] = presentation.split('~', 1)
  const token = readToken(compact)
  if (token === undefined) return documentSigner(presentation)
  const vp = member(token.payload, 'vp')
  const inner = isJsonObject(vp) ? member(vp, 'verifiableCredential') : undefined
  const credential = Array.isArray(inner) && typeof inner[0] === 'string' ? readToken(inner[0]) : token
  const iss = credential && member(credential.payload, 'iss')
  return { chain: credential && chainOf(credential.header), iss: typeof iss === 'string' ? iss : undefined }
}

function documentSigner(presentation: string): Signer {
  const document = decodeDeviceResponse(presentation)
  const signed = document.ok ? decodeIssuerSigned(document.value.issuerSigned) : undefined
  return { chain: signed?.ok ? signed.value.chain : undefined, iss: undefined }
}
