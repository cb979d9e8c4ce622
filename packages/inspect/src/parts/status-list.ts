// Status lists as JWT, CWT and credential, and identifier lists: signature, dates, and the entries that are
// not 0.

import { utf8 } from '../../../../src/codec/bytes.ts'
import { type CborItem, decodeCbor } from '../../../../src/codec/cbor.ts'
import type { Result } from '../../../../src/result.ts'
import { decodeBitstringStatusList } from '../../../../src/trust/status/bitstring-status-token.ts'
import { decodeIdentifierListCwt } from '../../../../src/trust/status/identifier-list.ts'
import { decodeStatusListCwt } from '../../../../src/trust/status/status-cwt.ts'
import { inflateStatusList } from '../../../../src/trust/status/status-inflate.ts'
import { decodeStatusListJwt } from '../../../../src/trust/status/status-jwt.ts'
import type {
  CompressedStatusList,
  DecodedStatusToken,
  StatusListError,
} from '../../../../src/trust/status/status-token.ts'
import type { Context } from '../context.ts'
import { checkSignature, keyOfCertificate } from '../keys.ts'
import { INPUT } from '../limits.ts'
import { STATUS_LIST } from '../meanings.ts'
import { type Check, check, type Part, part, type Row, row } from '../report.ts'
import { cborRows, timeText } from '../rows.ts'
import type { Bytes } from '../source.ts'
import { certificateParts } from './certificates.ts'
import { tokenParts } from './jws.ts'

/** Returns the parts of a status list as JWT, also of one as a credential. */
export async function statusJwtParts(compact: string, context: Context, kind: 'token' | 'bitstring') {
  const isToken = kind === 'token'
  const decoded = (isToken ? decodeStatusListJwt : decodeBitstringStatusList)(utf8(compact))
  const title = isToken ? 'Status List Token' : 'Bitstring Status List Credential'
  const clause = isToken ? 'Token Status List 5.1' : 'Bitstring Status List 1.0 2.2'
  const checks = contentChecks(decoded, context, clause)
  const parts = await tokenParts(compact, context, { title, clause, names: STATUS_LIST, checks })
  return [...parts, ...entryParts(decoded)]
}

/** Returns the parts of a status list or identifier list as CWT. */
export async function statusCwtParts(
  bytes: Bytes,
  item: CborItem,
  context: Context,
  kind: 'token' | 'identifiers',
): Promise<readonly Part[]> {
  const decoded = (kind === 'token' ? decodeStatusListCwt : decodeIdentifierListCwt)(bytes)
  const title = kind === 'token' ? 'Status List Token (CWT)' : 'identifier list (CWT)'
  const clause = kind === 'token' ? 'Token Status List 5.2' : 'ISO/IEC 18013-5 second edition 12.3.6'
  const checks = contentChecks(decoded, context, clause)
  const chain = decoded.ok ? decoded.value.signer.chain : undefined
  if (decoded.ok) checks.unshift(await signatureOf(decoded.value, context))
  const rows = decoded.ok ? claimRows(decoded.value) : cborRows(item)
  const certificates = chain ? await certificateParts(chain, context, title) : []
  return [part(title, clause, rows, checks), ...certificates, ...entryParts(decoded)]
}

/** Returns the parts of the claim `status_list` alone, as CBOR. */
export function statusContentParts(bits: number, compressed: Bytes): readonly Part[] {
  const isBits = bits === 1 || bits === 2 || bits === 4 || bits === 8
  const clause = 'Token Status List 4.3'
  const rows = [row('bits', String(bits), STATUS_LIST['status_list.bits'])]
  if (!isBits)
    return [part('Status List', clause, rows, [check('bits', 'fails', 'must be 1, 2, 4 or 8', clause)])]
  return [part('Status List', clause, rows), entryPart({ layout: 'token', bits, compressed })]
}

function signatureOf({ signer, verify }: DecodedStatusToken, { keys }: Context): Promise<Check> {
  const jwk = signer.chain?.[0] && keyOfCertificate(signer.chain[0])
  const inside = jwk && ({ jwk, place: 'chain' } as const)
  return checkSignature({ name: 'signature', clause: 'RFC 9052 4.4', inside, given: keys, verify })
}

function contentChecks(
  decoded: Result<DecodedStatusToken, StatusListError>,
  { now }: Context,
  clause: string,
): Check[] {
  if (!decoded.ok) return [check('form', 'fails', `a verifier refuses the list: ${decoded.error}`, clause)]
  const { exp } = decoded.value.claims
  if (exp === undefined) return []
  const isExpired = exp <= now
  return [
    check(
      'expiry',
      isExpired ? 'fails' : 'holds',
      `${isExpired ? 'expired' : 'not expired'} at ${timeText(now)}`,
    ),
  ]
}

function claimRows({ claims, signer }: DecodedStatusToken): readonly Row[] {
  const { sub, iat, nbf, exp, ttl } = claims
  const times = { iat, nbf, exp }
  return [
    ...(sub === undefined ? [] : [row('sub', sub, STATUS_LIST.sub)]),
    ...Object.entries(times).flatMap(([name, time]) =>
      time === undefined ? [] : [row(name, `${time} (${timeText(time)})`, STATUS_LIST[name])],
    ),
    ...(ttl === undefined ? [] : [row('ttl', String(ttl), STATUS_LIST.ttl)]),
    row('algorithm', signer.algorithm),
    ...(signer.kid === undefined ? [] : [row('kid', signer.kid)]),
  ]
}

function entryParts(decoded: Result<DecodedStatusToken, StatusListError>): readonly Part[] {
  if (!decoded.ok) return []
  const { list } = decoded.value.claims
  if (list.layout !== 'identifiers') return [entryPart(list)]
  const all = [...list.bytes, ...list.text]
  const rows = all.slice(0, SHOWN).map((identifier) => row('revoked', identifier))
  return [
    part('entries', 'ISO/IEC 18013-5 second edition 12.3.6', [
      row('revoked', `${all.length} documents`),
      ...rows,
    ]),
  ]
}

/** Entries that are listed one by one. */
const SHOWN = 100

function entryPart(list: CompressedStatusList): Part {
  const clause = list.layout === 'token' ? 'Token Status List 4.1' : 'Bitstring Status List 1.0 3.2'
  const inflated = inflateStatusList(list)
  if (!inflated.ok)
    return part(
      'entries',
      clause,
      [],
      [check('entries', 'fails', `a verifier refuses them: ${inflated.error}`, clause)],
    )
  const { counts, first } = countEntries(inflated.value, list)
  const rows = [
    row('entries', String((inflated.value.length * 8) / list.bits)),
    ...[...counts]
      .sort(([a], [b]) => a - b)
      .map(([value, count]) => row(`value ${value}`, `${count} entries`, meaning(list, value))),
    ...first.map(([index, value]) => row(`entry ${index}`, String(value))),
  ]
  return part('entries', clause, rows)
}

function meaning({ layout }: CompressedStatusList, value: number) {
  const clause = 'Token Status List 7.1'
  if (layout === 'bitstring')
    return value === 1
      ? (['The purpose of the list applies.', 'Bitstring Status List 1.0 2.2'] as const)
      : undefined
  return (
    [
      ['Valid.', clause],
      ['Revoked.', clause],
      ['Suspended.', clause],
    ] as const
  )[value]
}

/** Counts the entries by their value, and returns the first entries that are not 0. */
function countEntries(bytes: Uint8Array, { bits, layout }: CompressedStatusList) {
  const perByte = 8 / bits
  const counts = new Map<number, number>()
  const first: (readonly [number, number])[] = []
  // Most bytes are 0, and are counted at once.
  let zeros = 0
  for (const [i, byte] of bytes.entries()) {
    if (byte === 0) {
      zeros += perByte
      continue
    }
    for (let k = 0; k < perByte; k++) {
      const place = layout === 'bitstring' ? perByte - 1 - k : k
      const value = (byte >> (place * bits)) & (2 ** bits - 1)
      if (value === 0) zeros++
      else counts.set(value, (counts.get(value) ?? 0) + 1)
      if (value !== 0 && first.length < SHOWN) first.push([i * perByte + k, value])
    }
  }
  if (zeros > 0) counts.set(0, zeros)
  return { counts, first }
}

/** Decodes CBOR within the limits of the inspector; `undefined` for anything else. */
export function readCbor(bytes: Bytes): CborItem | undefined {
  const decoded = decodeCbor(bytes, INPUT.cbor)
  return decoded.ok ? decoded.value : undefined
}
