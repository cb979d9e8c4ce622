// Verifies DeviceSigned (ISO/IEC 18013-5 §9.1.3). With the key that the issuer named, the device signs this
// session, or makes a MAC over this session. Exactly one of signature and MAC must be present.

import { type CborItem, decodeCbor, findEntry, isMapOf, readEmbedded } from '../../codec/cbor.ts'
import { embedCbor, encodeCbor } from '../../codec/cbor-encode.ts'
import { decodeCoseMac0, decodeCoseSign1, verifyCoseMac0, verifyCoseSign1 } from '../../crypto/cose.ts'
import type { PrivateJwk, PublicJwk } from '../../crypto/jwk.ts'
import { MDOC } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { PresentationRefusal } from '../verification/format.ts'
import { deriveMacKey } from './device-mac.ts'
import { cborRefusal, coseRefusal } from './refusals.ts'

/** The session that a device authenticates. */
export type Session = {
  /** The encoded SessionTranscript. */
  readonly transcript: Uint8Array<ArrayBuffer>
  /** Our private key, which decrypted the response and verifies a MAC. Null: no MAC can be verified. */
  readonly privateKey: PrivateJwk | null
}

/** Verifies that the holder of `deviceKey` presents the document in this session. */
export async function verifyDeviceAuth(
  deviceSigned: CborItem | undefined,
  { docType, deviceKey }: { readonly docType: string; readonly deviceKey: PublicJwk | undefined },
  session: Session,
): Promise<Result<null, PresentationRefusal>> {
  if (deviceSigned === undefined) return err({ reason: 'holder_binding_missing' })
  if (deviceKey === undefined) return err({ reason: 'holder_key_missing' })
  const nameSpaces = findEntry(deviceSigned, 'nameSpaces')
  const deviceAuth = findEntry(deviceSigned, 'deviceAuth')
  if (!isMapOf(deviceSigned, 'nameSpaces', 'deviceAuth') || nameSpaces === undefined)
    return err({ reason: 'malformed_holder_binding' })
  const refusal = checkNameSpaces(nameSpaces)
  if (refusal !== undefined) return err(refusal)
  const payload = embedCbor(
    encodeCbor(['DeviceAuthentication', { encoded: session.transcript }, docType, nameSpaces]),
  )
  return verifyProof(deviceAuth, payload, deviceKey, session)
}

/**
 * Refuses device-signed elements. Such elements are claims of the holder, which the issuer must authorise
 * (§9.1.2.4), and this service requests none. Returns `undefined` if there are no such elements.
 */
function checkNameSpaces(nameSpaces: CborItem): PresentationRefusal | undefined {
  const embedded = readEmbedded(nameSpaces)
  if (embedded === undefined) return { reason: 'malformed_holder_binding' }
  const decoded = decodeCbor(embedded, MDOC.deviceNameSpaces)
  if (!decoded.ok) return cborRefusal(decoded.error, 'malformed_holder_binding')
  if (decoded.value.type !== 'map') return { reason: 'malformed_holder_binding' }
  return decoded.value.entries.length === 0 ? undefined : { reason: 'forbidden_disclosure' }
}

/**
 * Verifies the signature or the MAC. The received structure has no payload of its own, so the caller builds
 * `payload`.
 */
function verifyProof(
  deviceAuth: CborItem | undefined,
  payload: Uint8Array<ArrayBuffer>,
  deviceKey: PublicJwk,
  session: Session,
): Promise<Result<null, PresentationRefusal>> | Result<null, PresentationRefusal> {
  if (deviceAuth?.type !== 'map' || deviceAuth.entries.length !== 1)
    return err({ reason: 'malformed_holder_binding' })
  const signature = findEntry(deviceAuth, 'deviceSignature')
  if (signature !== undefined) return verifySignature(signature, payload, deviceKey)
  const mac = findEntry(deviceAuth, 'deviceMac')
  if (mac !== undefined) return verifyMac(mac, payload, deviceKey, session)
  return err({ reason: 'malformed_holder_binding' })
}

async function verifySignature(
  deviceSignature: CborItem,
  payload: Uint8Array<ArrayBuffer>,
  deviceKey: PublicJwk,
): Promise<Result<null, PresentationRefusal>> {
  const message = decodeCoseSign1(deviceSignature)
  if (!message.ok) return err(coseRefusal(message.error, 'malformed_holder_binding'))
  if (message.value.payload !== null) return err({ reason: 'malformed_holder_binding' })
  return (await verifyCoseSign1(message.value, payload, deviceKey))
    ? ok(null)
    : err({ reason: 'invalid_holder_signature' })
}

async function verifyMac(
  deviceMac: CborItem,
  payload: Uint8Array<ArrayBuffer>,
  deviceKey: PublicJwk,
  { privateKey, transcript }: Session,
): Promise<Result<null, PresentationRefusal>> {
  const message = decodeCoseMac0(deviceMac)
  if (!message.ok) return err(coseRefusal(message.error, 'malformed_holder_binding'))
  if (message.value.payload !== null) return err({ reason: 'malformed_holder_binding' })
  const key = privateKey === null ? undefined : await deriveMacKey(privateKey, deviceKey, transcript)
  // A MAC can be verified only with our private key, and only if both keys are on P-256.
  if (key === undefined) return err({ reason: 'unsupported_algorithm' })
  return (await verifyCoseMac0(message.value, payload, key))
    ? ok(null)
    : err({ reason: 'invalid_holder_signature' })
}
