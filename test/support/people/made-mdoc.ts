// Mdocs for the same person that @owf/mdoc cannot create, made by node:crypto: with a device MAC, or with a
// status in the MSO.

import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import {
  type Fields,
  makeDeviceResponse,
  makeTranscript,
  tagged,
  type Value,
} from '../../formats/mdoc/maker.ts'
import { MDOC_AGE, type MdocPerson } from './mdoc-person.ts'
import { queryFor } from './person.ts'
import type { Presentations, ReceivedRequest } from './wallet.ts'

export type MadeMdoc = {
  /** Public key with which the device makes a MAC. Without this key the device signs. */
  readonly macWith?: JsonWebKey
  /** Members of the MSO beside the usual members. */
  readonly mso?: Fields
  /** Changes the DeviceResponse. */
  readonly response?: (response: Fields) => void
}

/** The answer to a request for an age attestation. */
export async function madeMdocAgeOf(
  person: MdocPerson,
  request: ReceivedRequest,
  { macWith, mso = {}, response: change }: MadeMdoc,
): Promise<Presentations> {
  const device = createPrivateKey({ key: person.device, format: 'jwk' })
  const making = {
    pki: person.pki,
    issuerAlg: -7,
    deviceKey: device,
    device: { key: device, alg: -7 },
    docType: MDOC_AGE,
    nameSpace: MDOC_AGE,
    elements: [['age_over_18', true]] as const,
    transcript: await transcriptOf(request),
    ...(macWith && { readerKey: createPublicKey({ key: macWith, format: 'jwk' }) }),
  }
  const validityInfo = { signed: tdate(-1), validFrom: tdate(-1), validUntil: tdate(1) }
  const response = makeDeviceResponse(making, {
    mso: (good) => Object.assign(good, { validityInfo }, mso),
    ...(change && { response: change }),
  })
  return { [queryFor(request, MDOC_AGE)]: [response] }
}

/** The key to which a wallet encrypts its answer; absent if the answer is not encrypted. */
export function encryptionKeyOf({ payload }: ReceivedRequest): JsonWebKey | undefined {
  return payload.client_metadata.jwks?.keys[0] as JsonWebKey | undefined
}

async function transcriptOf(request: ReceivedRequest): Promise<Value> {
  const { client_id, nonce, response_uri } = request.payload
  const key = encryptionKeyOf(request)
  const thumbprint = key && Buffer.from(await calculateJwkThumbprint(key as never), 'base64url')
  return makeTranscript([client_id, nonce, thumbprint ?? null, response_uri])
}

function tdate(daysFromNow: number): Value {
  const day = new Date(Date.now() + daysFromNow * 86_400_000)
  return tagged(0, `${day.toISOString().slice(0, 19)}Z`)
}
