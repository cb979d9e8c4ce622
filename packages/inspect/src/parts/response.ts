// An authorization response of OpenID4VP: posted, from the Digital Credentials API, or decrypted; and the
// presentations in it.

import { compactDecrypt, type JWK } from 'jose'
import { isJsonObject, type Json, type JsonObject, member, parseJson } from '../../../../src/codec/json.ts'
import { PROTOCOLS } from '../../../../src/openid4vp/protocols/index.ts'
import { openid4vp10 } from '../../../../src/openid4vp/protocols/openid4vp-1.0.ts'
import { decryptJwe, parseEncryptedJwe } from '../../../../src/openid4vp/response/response-encryption.ts'
import { REASONS } from '../../../../src/session/document/reasons.ts'
import type { Context } from '../context.ts'
import { INPUT } from '../limits.ts'
import { JWT_CLAIMS, RESPONSE } from '../meanings.ts'
import { check, type Part, part, row } from '../report.ts'
import { jsonRows } from '../rows.ts'
import { decodeText } from '../source.ts'
import { encryptedResponsePart } from './annex-c.ts'
import { isJwe, jweHeaderPart, readToken, tokenParts } from './jws.ts'
import { jwtVcParts } from './jwt-vc.ts'
import { deviceResponseParts } from './mdoc.ts'
import { sdJwtParts } from './sd-jwt.ts'
import { readCbor } from './status-list.ts'

/** Presentations that are shown. */
const SHOWN = 40

/** Returns the parts of response parameters. An encrypted response is opened with a given key. */
export async function responseParts(parameters: JsonObject, context: Context): Promise<readonly Part[]> {
  const response = member(parameters, 'response')
  const { response: _, vp_token: vpToken, ...others } = parameters
  const own = part('response', 'OpenID4VP 1.0 8', jsonRows(others, RESPONSE))
  if (typeof response === 'string') {
    return [own, ...(isJwe(response) ? await jweParts(response, context) : annexCResponse(response))]
  }
  const token = typeof vpToken === 'string' ? parseToken(vpToken) : vpToken
  return [own, ...(token === undefined ? [] : await vpTokenParts(token, context))]
}

/** A `vp_token` of a plain response is a text: JSON, or in drafts one presentation. */
function parseToken(text: string): Json {
  const parsed = parseJson(text, INPUT.json)
  return parsed.ok ? parsed.value : text
}

function annexCResponse(text: string): readonly Part[] {
  const bytes = decodeText(text)
  const item = bytes && readCbor(bytes)
  return item ? [encryptedResponsePart(item)] : []
}

/** Returns the parts of an encrypted response, opened with a given private key. */
export async function jweParts(compact: string, context: Context): Promise<readonly Part[]> {
  const title = 'encrypted response'
  const clause = 'OpenID4VP 1.0 8.3'
  const header = jweHeaderPart(compact, `${title}: header`)
  const note = (result: 'holds' | 'fails' | 'not_checked', detail: string) =>
    part(
      title,
      clause,
      [row('length', `${compact.length} characters`)],
      [check('decryption', result, detail, clause)],
    )
  const privateKeys = context.keys.flatMap(({ privateJwk }) => privateJwk ?? [])
  if (privateKeys.length === 0) return [note('not_checked', 'give the private key of the request'), header]
  // The drafts accept more forms than OpenID4VP 1.0.
  const rules = [openid4vp10, PROTOCOLS['openid4vp-draft18']].map(
    ({ responseEncryption }) => responseEncryption,
  )
  const parsed = rules.map((rule) => parseEncryptedJwe(compact, rule)).find((each, i) => each.ok || i > 0)
  if (!parsed?.ok) return [note('fails', refusal(parsed?.error.reason ?? 'malformed_response')), header]
  for (const privateJwk of privateKeys) {
    const holds = note('holds', 'opened with a key that you gave')
    const opened = await decryptJwe(parsed.value, { kid: parsed.value.kid ?? '', privateJwk })
    if (opened.ok) return [holds, header, ...(await responseParts(opened.value, context))]
    const claims = await decryptToken(compact, privateJwk)
    if (claims !== undefined) return [holds, header, ...(await tokenParts(claims, context, CLAIMS))]
  }
  return [note('fails', 'no key that you gave opens it'), header]
}

const CLAIMS = { title: 'claims', clause: 'docs/api/result.md', names: JWT_CLAIMS }

/** Decrypts a JWE around a JWS, such as `encrypted_claims`; `undefined` for any other content. */
async function decryptToken(compact: string, privateJwk: JWK): Promise<string | undefined> {
  const opened = await compactDecrypt(compact, privateJwk).catch(() => undefined)
  const text = new TextDecoder().decode(opened?.plaintext)
  return readToken(text) === undefined ? undefined : text
}

function refusal(reason: keyof typeof REASONS): string {
  return `${reason}: ${REASONS[reason].message}`
}

/** Returns the parts of a `vp_token`: its presentations, by credential query. */
export async function vpTokenParts(vpToken: Json, context: Context): Promise<readonly Part[]> {
  const entries: readonly (readonly [string, Json])[] = isJsonObject(vpToken)
    ? Object.entries(vpToken)
    : [['', vpToken]]
  const presentations = entries.flatMap(([id, value]) =>
    (Array.isArray(value) ? value : [value]).map((presentation: Json, i: number, all: readonly Json[]) => {
      const number = all.length > 1 ? ` (${i + 1})` : ''
      return { of: id === '' ? '' : `${id}${number}: `, presentation }
    }),
  )
  const shown = presentations.slice(0, SHOWN)
  const parts = await Promise.all(
    shown.map(({ of, presentation }) => presentationParts(presentation, context, of)),
  )
  const count = row('presentations', String(presentations.length), RESPONSE.vp_token)
  return [part('vp_token', 'OpenID4VP 1.0 8.1', [count]), ...parts.flat()]
}

/** Returns the parts of one presentation of any format. */
export async function presentationParts(
  presentation: Json,
  context: Context,
  of = '',
): Promise<readonly Part[]> {
  if (typeof presentation !== 'string') {
    const detail = 'its form is none of the supported formats'
    return [part(`${of}presentation`, null, jsonRows(presentation), [check('format', 'not_checked', detail)])]
  }
  if (presentation.includes('~')) return sdJwtParts(presentation, context, of)
  if (readToken(presentation) !== undefined) return jwtVcParts(presentation, context, of)
  const bytes = decodeText(presentation)
  const item = bytes && readCbor(bytes)
  if (item) return deviceResponseParts(item, context, of)
  const unknown = check('format', 'not_checked', 'its form is none of the supported formats')
  return [part(`${of}presentation`, null, [row('text', presentation)], [unknown])]
}
