// Status lists of the sandbox issuer: a Token Status List as JWT and as CWT, and two Bitstring Status Lists.
// The index of a credential determines its status.

import { encodeBase64url } from '../../src/codec/base64url.ts'
import { type Cbor, cbor, tagged } from './cbor.ts'
import { certificateBytes, signCose } from './cose.ts'
import { IDENTITIES, ISSUER } from './identities.ts'
import { type Members, signJwt } from './sign.ts'

/** Status of a credential. `unavailable`: its list cannot be fetched. */
export type Status = 'valid' | 'revoked' | 'suspended' | 'unavailable'

/** The `status` of a JWT or an mdoc (Token Status List §6). */
export function statusReference(status: Status, form: 'jwt' | 'cwt') {
  const uri = `${ISSUER}/status/${status === 'unavailable' ? 'unavailable' : form}`
  return { idx: status === 'unavailable' ? 0 : INDEX[status], uri }
}

/** The `credentialStatus` of a W3C credential: one entry for each purpose (Bitstring Status List §2.1). */
export function credentialStatus(status: Status): readonly Members[] {
  return (['revocation', 'suspension'] as const).map((purpose) => ({
    type: 'BitstringStatusListEntry',
    statusPurpose: purpose,
    statusListIndex: String(status === 'unavailable' ? 0 : INDEX[status]),
    statusListCredential: `${ISSUER}/status/${status === 'unavailable' ? 'unavailable' : purpose}`,
  }))
}

/** Returns the list at a path below `/status/`, `undefined` for an unknown path. `now` in Unix seconds. */
export async function statusList(name: string, now: number): Promise<Response | undefined> {
  if (name === 'jwt') return published('statuslist+jwt', await tokenJwt(`${ISSUER}/status/jwt`, now))
  if (name === 'cwt') return published('statuslist+cwt', await tokenCwt(`${ISSUER}/status/cwt`, now))
  if (name === 'revocation' || name === 'suspension') return published('vc+jwt', await bitstring(name, now))
  return undefined
}

/** Each status has its number (Token Status List §7.1) as value and as index. */
const INDEX = { valid: 0, revoked: 1, suspended: 2 } as const
const ENTRIES = 0b00_10_01_00
const BITS = 2

const LIFETIME = 600
const { jwk, certificate } = IDENTITIES.good

function published(type: string, body: BodyInit): Response {
  return new Response(body, { headers: { 'content-type': `application/${type}` } })
}

/** §5.1 */
async function tokenJwt(sub: string, iat: number): Promise<string> {
  const lst = encodeBase64url(await compress('deflate', Uint8Array.of(ENTRIES)))
  const claims = { iss: ISSUER, sub, iat, ttl: LIFETIME, status_list: { bits: BITS, lst } }
  return signJwt({ alg: 'ES256', typ: 'statuslist+jwt', x5c: [certificate] }, claims, jwk)
}

/** §5.2 */
async function tokenCwt(sub: string, iat: number): Promise<Uint8Array<ArrayBuffer>> {
  const lst = await compress('deflate', Uint8Array.of(ENTRIES))
  const [SUB, IAT, TTL, STATUS_LIST, TYP, X5CHAIN] = [2, 6, 65534, 65533, 16, 33]
  const list = new Map<string, Cbor>([
    ['bits', BITS],
    ['lst', lst],
  ])
  const claims = new Map<number, Cbor>([
    [SUB, sub],
    [IAT, iat],
    [TTL, LIFETIME],
    [STATUS_LIST, list],
  ])
  const signed = await signCose(cbor(claims), jwk, {
    header: new Map([[TYP, 'application/statuslist+cwt']]),
    unprotected: new Map([[X5CHAIN, certificateBytes(certificate)]]),
  })
  return cbor(tagged(18, signed))
}

/** Bitstring Status List §2.2: the minimum length, which keeps credentials indistinguishable. */
const BITSTRING_BYTES = 16_384

async function bitstring(purpose: 'revocation' | 'suspension', now: number): Promise<string> {
  const bytes = new Uint8Array(BITSTRING_BYTES)
  bytes[0] = 0x80 >> INDEX[purpose === 'revocation' ? 'revoked' : 'suspended']
  const id = `${ISSUER}/status/${purpose}`
  const credential = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: ISSUER,
    validFrom: dateTime(now - LIFETIME),
    credentialSubject: {
      id: `${id}#list`,
      type: 'BitstringStatusList',
      statusPurpose: purpose,
      encodedList: `u${encodeBase64url(await compress('gzip', bytes))}`,
    },
  }
  return signJwt({ alg: 'ES256', typ: 'vc+jwt', x5c: [certificate] }, credential, jwk)
}

/** RFC 3339 without fractions of a second. */
export function dateTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}

async function compress(
  format: 'deflate' | 'gzip',
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream(format))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
