// An SD-JWT VC, with or without key binding: what the issuer signed, what is disclosed, and the proof of the
// holder. The decoders are those of the service.

import { encodeBase64url } from '../../../../src/codec/base64url.ts'
import { utf8 } from '../../../../src/codec/bytes.ts'
import { type Json, member } from '../../../../src/codec/json.ts'
import { digest, type HashName, isHashName } from '../../../../src/crypto/digest.ts'
import { digestDisclosures } from '../../../../src/formats/sd-jwt-vc/disclosures.ts'
import { verifyKeyBinding } from '../../../../src/formats/sd-jwt-vc/key-binding.ts'
import { processPayload } from '../../../../src/formats/sd-jwt-vc/processed-payload.ts'
import { splitSdJwt } from '../../../../src/formats/sd-jwt-vc/split.ts'
import { CLEAR_CLAIMS } from '../../../../src/formats/sd-jwt-vc/verify.ts'
import { REASONS } from '../../../../src/session/document/reasons.ts'
import type { Context } from '../context.ts'
import { JWT_CLAIMS, KEY_BINDING } from '../meanings.ts'
import { type Check, check, type Part, part, row } from '../report.ts'
import { jsonRows } from '../rows.ts'
import { readToken, type Token, tokenParts } from './jws.ts'

/** Returns the parts of an SD-JWT. `of`: words before each title, such as the credential query. */
export async function sdJwtParts(text: string, context: Context, of = ''): Promise<readonly Part[]> {
  const split = splitSdJwt(text)
  if (!split.ok) {
    const detail = REASONS[split.error.reason].message
    return [part(`${of}SD-JWT`, FORM, [], [check('form', 'fails', detail, FORM)])]
  }
  const { issuerJwt, disclosures, kbJwt, sdJwt } = split.value
  const issuer = { title: `${of}issuer-signed JWT`, clause: 'SD-JWT VC 2.2', names: JWT_CLAIMS }
  const token = readToken(issuerJwt)
  const hash = token && hashOf(token)
  const parts = await tokenParts(issuerJwt, context, issuer)
  if (token === undefined || hash === undefined) return parts
  const binding = { kbJwt, sdJwt, hash, token }
  return [
    ...parts,
    ...(await disclosureParts(disclosures, token, hash, of)),
    ...(kbJwt === undefined ? [missingProof(of)] : await bindingParts({ ...binding, kbJwt }, context, of)),
  ]
}

const FORM = 'RFC 9901 4'

function hashOf({ payload }: Token): HashName | undefined {
  const name = member(payload, '_sd_alg') ?? 'sha-256'
  return typeof name === 'string' && isHashName(name) ? name : undefined
}

/** Shows the disclosures, and the claims that they give together with the signed ones. */
async function disclosureParts(
  texts: readonly string[],
  { payload }: Token,
  hash: HashName,
  of: string,
): Promise<readonly Part[]> {
  const clause = 'RFC 9901 7.1'
  const decoded = await digestDisclosures(texts, hash)
  if (!decoded.ok) {
    const detail = REASONS[decoded.error.reason].message
    return [part(`${of}disclosures`, clause, [], [check('disclosures', 'fails', detail, clause)])]
  }
  const rows = [...decoded.value].map(([value, disclosure]) =>
    row(disclosure.name ?? 'array element', `${JSON.stringify(disclosure.value)} (digest ${value})`),
  )
  const processed = processPayload(payload, decoded.value, CLEAR_CLAIMS)
  if (!processed.ok) {
    const detail = REASONS[processed.error.reason].message
    return [part(`${of}disclosures`, clause, rows, [check('disclosures', 'fails', detail, clause)])]
  }
  const count = `the issuer's payload has the digest of each of ${texts.length} disclosures`
  const claims: Json = JSON.parse(JSON.stringify(processed.value))
  return [
    part(`${of}disclosures`, clause, rows, [check('disclosures', 'holds', count, clause)]),
    part(`${of}claims as a verifier reads them`, clause, jsonRows(claims, JWT_CLAIMS)),
  ]
}

function missingProof(of: string): Part {
  const detail = 'there is no key binding JWT: whoever has this text can present it'
  return part(`${of}key binding`, 'RFC 9901 4.3', [], [check('key binding', 'not_checked', detail)])
}

type Binding = {
  readonly kbJwt: string
  readonly sdJwt: string
  readonly hash: HashName
  readonly token: Token
}

/** Checks the proof by the key that the issuer named, at the time of the proof itself. */
async function bindingParts(
  { kbJwt, ...bound }: Binding,
  context: Context,
  of: string,
): Promise<readonly Part[]> {
  const view = { title: `${of}key binding JWT`, clause: 'RFC 9901 4.3', names: KEY_BINDING, isSigned: false }
  const proof = readToken(kbJwt)
  const iat = proof && member(proof.payload, 'iat')
  const now = typeof iat === 'number' ? iat : context.now
  const verified = await verifyKeyBinding(
    kbJwt,
    { signedPayload: bound.token.payload, sdJwt: bound.sdJwt, hash: bound.hash },
    { now, requestedAt: 0, acceptsHolderKeyId: true },
  )
  const expected = encodeBase64url(await digest(bound.hash, utf8(bound.sdJwt)))
  return tokenParts(kbJwt, context, { ...view, checks: [bindingCheck(verified, expected)] })
}

type BindingResult = Awaited<ReturnType<typeof verifyKeyBinding>>

function bindingCheck(verified: BindingResult, expected: string): Check {
  const clause = 'RFC 9901 7.3'
  if (verified.ok) {
    const detail =
      'signature holds with the key in the credential (cnf), and sd_hash covers these disclosures; ' +
      'nonce, audience and time are compared only with a request'
    return check('key binding', 'holds', detail, clause)
  }
  const { reason } = verified.error
  // Without the request nothing says which transaction data was confirmed.
  const result = reason === 'transaction_data_mismatch' ? 'not_checked' : 'fails'
  const more = reason === 'sd_hash_mismatch' ? ` Expected ${expected}.` : ''
  return check('key binding', result, `${reason}: ${REASONS[reason].message}${more}`, clause)
}
