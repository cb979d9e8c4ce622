// ISO mdocs (ISO/IEC 18013-5). The device signature covers the session transcript of OpenID4VP 1.0 B.2.6. In
// the drafts it covers the session transcript of ISO/IEC TS 18013-7 B.4.4.

import { decodeBase64url, encodeBase64url } from '../../src/codec/base64url.ts'
import type { Json } from '../../src/codec/json.ts'
import { sha256 } from '../../src/crypto/digest.ts'
import { jwkThumbprint, parsePublicJwk } from '../../src/crypto/jwk.ts'
import { randomBytes } from '../../src/crypto/random.ts'
import { type Cbor, cbor, embedded, mapOf, tagged } from '../issuer/cbor.ts'
import { certificateBytes, signCose } from '../issuer/cose.ts'
import type { PrivateKey } from '../issuer/identities.ts'
import type { Members } from '../issuer/sign.ts'
import { dateTime, statusReference } from '../issuer/status.ts'
import { claimsFor } from './claims.ts'
import { apply } from './mistake.ts'
import { issuanceOf, type PresentationContext } from './presentation.ts'
import type { WalletRequest } from './request.ts'

/** Issues the document and presents it as base64url of a DeviceResponse. */
export async function presentMdoc(context: PresentationContext): Promise<string> {
  const { mistake, requested } = context
  const docType = mistake.type ?? requested.type
  const issuerSigned = await issue(docType, context)
  const deviceSigned = mistake.withoutProof ? undefined : await prove(docType, context)
  const document = mapOf({ docType, issuerSigned, deviceSigned })
  return encodeBase64url(cbor(mapOf({ version: '1.0', documents: [document], status: 0 })))
}

const X5CHAIN = 33

async function issue(docType: string, context: PresentationContext): Promise<Cbor> {
  const { mistake, requested } = context
  const { chain, key } = issuanceOf(context)
  const person = apply<Members>(claimsFor(requested.claims), mistake.person)
  const nameSpaces = Object.entries(person).map(([name, elements]) => [name, itemsOf(elements)] as const)
  const mso = apply<ReadonlyMap<string, Cbor>>(
    await securityObject(docType, nameSpaces, context),
    mistake.mso,
  )
  const certificates = chain.map(certificateBytes)
  const [leaf] = certificates
  const issuerAuth = await signCose(cbor(embedded(mso)), key, {
    header: mistake.coseHeader ?? new Map(),
    // RFC 9360 §2: a single certificate is not in an array.
    unprotected: new Map([[X5CHAIN, certificates.length === 1 && leaf ? leaf : certificates]]),
  })
  const presented = nameSpaces
    .map(([name, items]) => [name, apply<readonly Cbor[]>(items, mistake.items)] as const)
    .filter(([, items]) => items.length > 0)
  return mapOf({ nameSpaces: presented.length > 0 ? new Map(presented) : undefined, issuerAuth })
}

/** IssuerSignedItemBytes (§8.3.2.1.2.2) of one namespace. An element's position is its digest's id. */
function itemsOf(elements: unknown): readonly Cbor[] {
  return Object.entries(elements as Members).map(([elementIdentifier, value], digestID) =>
    embedded(
      mapOf({
        digestID,
        random: randomBytes(32),
        elementIdentifier,
        elementValue: elementOf(elementIdentifier, value as Json), // claimsFor makes JSON
      }),
    ),
  )
}

/** Encodes a claim's value: dates as full-date (RFC 8943), pictures as bytes. */
function elementOf(name: string, value: Json): Cbor {
  if (Array.isArray(value)) return value.map((item: Json) => elementOf(name, item))
  if (value !== null && typeof value === 'object')
    return mapOf(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, elementOf(key, item)])))
  if (typeof value !== 'string') return value
  if (name === 'portrait' || name === 'signature_usual_mark') return decodeBase64url(value) ?? value
  return /^\d{4}-\d\d-\d\d$/.test(value) ? tagged(1004, value) : value
}

type NameSpaces = readonly (readonly [name: string, items: readonly Cbor[]])[]

/** §9.1.2.4 */
async function securityObject(docType: string, nameSpaces: NameSpaces, context: PresentationContext) {
  const { mistake, holderKey } = context
  const { from, until } = issuanceOf(context)
  const digests = nameSpaces.map(async ([name, items]) => {
    const hashed = items.map(async (item, id): Promise<[number, Cbor]> => [id, await sha256(cbor(item))])
    return [name, new Map(await Promise.all(hashed))] as const
  })
  const times = { signed: Math.min(from, context.now), validFrom: from, validUntil: until }
  return mapOf({
    version: '1.0',
    digestAlgorithm: 'SHA-256',
    valueDigests: new Map(await Promise.all(digests)),
    deviceKeyInfo: mapOf({ deviceKey: coseKey(holderKey) }),
    docType,
    validityInfo: mapOf(
      Object.fromEntries(Object.entries(times).map(([name, time]) => [name, tagged(0, dateTime(time))])),
    ),
    status: mapOf({ status_list: mapOf(statusReference(mistake.status ?? 'valid', 'cwt')) }),
  })
}

function coseKey({ x, y }: PrivateKey): Cbor {
  const [KTY, CRV, X, Y, EC2, P256] = [1, -1, -2, -3, 2, 1]
  return new Map<number, Cbor>([
    [KTY, EC2],
    [CRV, P256],
    [X, decodeBase64url(x) ?? null],
    [Y, decodeBase64url(y) ?? null],
  ])
}

/** §9.1.3 */
async function prove(docType: string, context: PresentationContext): Promise<Cbor> {
  const { mistake, proofKey } = context
  const nameSpaces = embedded(mistake.deviceElements ?? new Map())
  const transcript = await sessionTranscript(context)
  const payload = cbor(embedded(['DeviceAuthentication', transcript, docType, nameSpaces]))
  const deviceSignature = await signCose(payload, proofKey, { detached: true })
  const deviceAuth = apply<ReadonlyMap<string, Cbor>>(mapOf({ deviceSignature }), mistake.deviceAuth)
  return mapOf({ nameSpaces, deviceAuth })
}

async function sessionTranscript({ request, mdocNonce }: PresentationContext): Promise<Cbor> {
  const { clientId, nonce, responseUri, isDraft } = request
  if (isDraft) {
    const salted = async (text: string) => sha256(cbor([text, mdocNonce]))
    return [null, null, [await salted(clientId), await salted(responseUri), nonce]]
  }
  const info = [clientId, nonce, await thumbprintOf(request), responseUri]
  return [null, null, ['OpenID4VPHandover', await sha256(cbor(info))]]
}

/** B.2.6.1: thumbprint of the key that the response is encrypted to. */
async function thumbprintOf({ encrypted, encryptionKey }: WalletRequest): Promise<Cbor> {
  const key = encrypted ? parsePublicJwk(encryptionKey) : undefined
  return key === undefined ? null : jwkThumbprint(key)
}
