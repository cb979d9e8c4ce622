// A compact JWS (RFC 7515): header, payload and signature. The content is shown even if a verifier would not
// accept the token.

import { decodeBase64url } from '../../../../src/codec/base64url.ts'
import { isJsonObject, type JsonObject, member, parseJson } from '../../../../src/codec/json.ts'
import { decodeJws, type JwsError, verifyJws } from '../../../../src/crypto/jws.ts'
import type { Context } from '../context.ts'
import { chainOf, checkSignature, keyInHeader } from '../keys.ts'
import { INPUT } from '../limits.ts'
import { JOSE_HEADER, type Meanings } from '../meanings.ts'
import { type Check, check, type Part, part, row } from '../report.ts'
import { jsonRows } from '../rows.ts'
import { certificateParts } from './certificates.ts'

/** Header and payload of a token. Nothing is verified. */
export type Token = { readonly header: JsonObject; readonly payload: JsonObject }

/** Decodes a compact JWS loosely; `undefined` for any other text. */
export function readToken(compact: string): Token | undefined {
  const segments = compact.split('.', 4)
  if (segments.length !== 3) return undefined
  const [header, payload] = segments.slice(0, 2).map((segment) => {
    const parsed = parseJson(decodeBase64url(segment), INPUT.json)
    return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined
  })
  return header && payload && { header, payload }
}

/** How to show a token. `checks`: further checks of its kind. */
export type TokenView = {
  readonly title: string
  readonly clause: string
  readonly names: Meanings
  readonly checks?: readonly Check[]
  /** Members of the payload to leave out, because another part shows them. */
  readonly without?: readonly string[]
  /** False: the signature is checked elsewhere. */
  readonly isSigned?: boolean
}

/** Returns the parts of a token: itself, its header, and its certificates. */
export async function tokenParts(
  compact: string,
  context: Context,
  view: TokenView,
): Promise<readonly Part[]> {
  const token = readToken(compact)
  const { title, clause, names, checks = [], without = [], isSigned = true } = view
  if (token === undefined)
    return [part(title, clause, [], [check('form', 'fails', 'is no compact JWS', clause)])]
  const shown = Object.fromEntries(Object.entries(token.payload).filter(([name]) => !without.includes(name)))
  const signature = isSigned ? [await signatureOf(compact, token, context)] : []
  const chain = chainOf(token.header)
  const header = { ...token.header, ...(chain && { x5c: `${chain.length} certificates` }) }
  return [
    part(title, clause, jsonRows(shown, names), [...signature, ...checks]),
    part(`${title}: header`, 'RFC 7515 4', jsonRows(header, JOSE_HEADER)),
    ...(chain ? await certificateParts(chain, context, title) : []),
  ]
}

async function signatureOf(compact: string, { header, payload }: Token, { keys }: Context): Promise<Check> {
  const clause = 'RFC 7515 5.2'
  const jws = decodeJws(compact, INPUT.json, ['sigT'])
  if (!jws.ok) return check('signature', 'not_checked', REFUSALS[jws.error], clause)
  return checkSignature({
    name: 'signature',
    clause,
    inside: keyInHeader(header, member(payload, 'iss')),
    given: keys,
    verify: (key) => verifyJws(jws.value, key),
  })
}

const REFUSALS: Readonly<Record<JwsError, string>> = {
  malformed: 'the token is not well-formed, and a verifier refuses it',
  too_large: 'the token exceeds a limit',
  unsupported_algorithm: 'the algorithm in the header is not one that a verifier here accepts',
  unsupported_critical_header: 'the header has an extension that is critical and not supported',
}

/** Returns true if a text has the form of a compact JWE. */
export function isJwe(text: string): boolean {
  return /^[\w-]+(?:\.[\w-]*){4}$/.test(text)
}

/** Returns the header of a compact JWE as a part. */
export function jweHeaderPart(compact: string, title: string): Part {
  const segments = compact.split('.')
  const parsed = parseJson(decodeBase64url(segments[0] ?? ''), INPUT.json)
  const rows = parsed.ok ? jsonRows(parsed.value, JOSE_HEADER) : []
  const size = row('ciphertext', `${segments[3]?.length ?? 0} characters`, [
    'The encrypted content.',
    'RFC 7516 3',
  ])
  return part(title, 'RFC 7516 3', [...rows, size])
}
