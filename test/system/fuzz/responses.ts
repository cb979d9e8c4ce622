// Mutated responses: a good response of a foreign wallet with one change. A response whose content changed
// must leave its session pending.

import { isDeepStrictEqual } from 'node:util'
import { decode } from 'cborg'
import type { Random } from '../../formats/sd-jwt-vc/random.ts'
import { signJwt } from '../../support/people/issuer.ts'
import { contentOf, decodedParts, type Parameters } from './content.ts'
import {
  CBOR,
  type Mutated,
  mutateBytes,
  mutateCbor,
  mutateCompact,
  mutateJson,
  mutateJsonText,
  mutateText,
  ODD_VALUES,
} from './mutations.ts'
import type { FuzzRequest } from './requests.ts'
import type { Context, Slot } from './run.ts'
import { COMBINATIONS, openTarget, type Post, type Target } from './targets.ts'

/** A response with one change, and what it may lead to. */
export type MutatedResponse = {
  readonly kind: string
  readonly post: Post
  /**
   * `same`: the content is the content of the good response, which may verify. `changed`: the session must
   * stay pending. `issued`: the issuer signed other claims, and only `age_over_18: true` may verify.
   */
  readonly content: 'same' | 'changed' | 'issued'
  /** False if the issuer signed another value of the requested claim. */
  readonly isAdult: boolean
}

/** Draws a change at one level of a good response. */
export async function mutateResponse(random: Random, target: Target): Promise<MutatedResponse> {
  const drawn = random.below(20)
  if (drawn < 10) return mutatePresentation(random, target)
  if (drawn < 13) return mutateSigned(random, target)
  if (drawn < 14) return mutateIssued(random, target)
  if (drawn < 16) return mutateParameters(random, target)
  if (drawn < 19 && target.seal !== undefined) return mutateSealed(random, target)
  return mutateBody(random, target)
}

/** Returns the request with the good response. */
export async function goodPost(target: Target): Promise<Post> {
  return postOf(target, target.parametersOf(target.presentation))
}

/** Returns the request with these parameters, encrypted if the session wants that. */
export async function postOf(target: Target, parameters: Parameters): Promise<Post> {
  return target.postOf(target.seal === undefined ? parameters : await target.seal(parameters))
}

async function mutatePresentation(random: Random, target: Target): Promise<MutatedResponse> {
  const { kind, value } = mutatedPresentation(random, target)
  return fromParameters(target, `presentation, ${kind}`, target.parametersOf(value))
}

function mutatedPresentation(random: Random, { cell, presentation }: Target): Mutated<string> {
  if (cell.format === 'dc+sd-jwt') return mutateCompact(random, presentation, '~')
  if (cell.format === 'jwt_vc_json') return mutateCompact(random, presentation)
  const drawn = random.below(6)
  // Annex C encrypts the bytes: there the text is no part of the response.
  if (drawn === 0 && cell.channel !== 'dc_api org-iso-mdoc') return mutateText(random, presentation)
  const bytes = Buffer.from(presentation, 'base64url')
  const { kind, value } = drawn <= 1 ? mutateBytes(random, bytes) : mutateCbor(random, bytes)
  return { kind, value: Buffer.from(value).toString('base64url') }
}

/** Changes a claim or a header that the holder signs, and signs again with the holder's key. */
async function mutateSigned(random: Random, target: Target): Promise<MutatedResponse> {
  const { cell, holder, presentation } = target
  if (holder === undefined) return mutatePresentation(random, target)
  const at = cell.format === 'dc+sd-jwt' ? presentation.lastIndexOf('~') + 1 : 0
  const [header, payload] = presentation
    .slice(at)
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString())
  const which = random.below(3)
  const mutate = (text = '') => {
    const isSpelling = random.below(5) === 0
    if (isSpelling) return mutateJsonText(random, text)
    const { kind, value } = mutateJson(random, JSON.parse(text))
    return { kind, value: JSON.stringify(value) ?? 'null' }
  }
  const changed = mutate(which === 0 ? header : payload)
  const [newHeader = '', newPayload = ''] = which === 0 ? [changed.value, payload] : [header, changed.value]
  const value = presentation.slice(0, at) + signJwt(newHeader, newPayload, holder)
  const level = which === 0 ? 'signed by the holder, header ' : 'signed by the holder, '
  return fromParameters(target, level + changed.kind, target.parametersOf(value))
}

const CLAIMS = ['exp', 'nbf', 'iat', 'cnf', 'status', 'vct', '_sd', '_sd_alg', 'iss', 'sub', 'jti']

/** Claims of an issuer: any value of the requested claim, and claims with a meaning of their own. */
async function mutateIssued(random: Random, target: Target): Promise<MutatedResponse> {
  const isOfAge = random.below(2) === 0
  const age_over_18 = isOfAge ? true : random.pick(ODD_VALUES.filter((value) => value !== true))
  const name = random.pick(CLAIMS)
  const claims =
    isOfAge && target.cell.format !== 'mso_mdoc'
      ? { age_over_18, [name]: random.pick(ODD_VALUES) }
      : { age_over_18 }
  try {
    const presentation = await target.withClaims(claims)
    const post = await postOf(target, target.parametersOf(presentation))
    const kind = isOfAge ? `issued, odd ${name}` : 'issued, odd age'
    return { kind, post, content: 'issued', isAdult: isOfAge }
  } catch {
    return mutatePresentation(random, target) // the issuer's library refuses these claims
  }
}

async function mutateParameters(random: Random, target: Target): Promise<MutatedResponse> {
  if (target.cell.channel === 'dc_api org-iso-mdoc') return mutatePresentation(random, target)
  const { kind, value } = mutateJson(random, target.parametersOf(target.presentation))
  return fromParameters(target, `parameters, ${kind}`, value as Parameters)
}

async function fromParameters(
  target: Target,
  kind: string,
  parameters: Parameters,
): Promise<MutatedResponse> {
  const good = contentOf(target.parametersOf(target.presentation))
  const isSame = isDeepStrictEqual(contentOf(parameters), good)
  return { kind, post: await postOf(target, parameters), content: isSame ? 'same' : 'changed', isAdult: true }
}

/** Changes the JWE, or the envelope of Annex C. */
async function mutateSealed(random: Random, target: Target): Promise<MutatedResponse> {
  const sealed = (await target.seal?.(target.parametersOf(target.presentation))) ?? ''
  const isJwe = sealed.includes('.')
  const bytes = Buffer.from(sealed, 'base64url')
  const asText = ({ kind, value }: Mutated<Uint8Array>) => ({
    kind,
    value: Buffer.from(value).toString('base64url'),
  })
  const { kind, value } = isJwe
    ? mutateCompact(random, sealed)
    : random.below(3) === 0
      ? mutateText(random, sealed)
      : asText(random.below(3) === 0 ? mutateBytes(random, bytes) : mutateCbor(random, bytes))
  const isSame = isDeepStrictEqual(sealedContent(value), sealedContent(sealed))
  const level = isJwe ? 'JWE' : 'HPKE'
  return {
    kind: `${level}, ${kind}`,
    post: target.postOf(value),
    content: isSame ? 'same' : 'changed',
    isAdult: true,
  }
}

function sealedContent(text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (text.includes('.')) return decodedParts(text)
  try {
    const [name, envelope] = decode(Buffer.from(text, 'base64url'), CBOR) as [
      unknown,
      Map<unknown, Uint8Array>,
    ]
    return [
      name,
      ...['enc', 'cipherText'].map((part) => Buffer.from(envelope.get(part) ?? []).toString('hex')),
    ]
  } catch {
    return text
  }
}

/** Changes the form or the JSON that is posted. */
async function mutateBody(random: Random, target: Target): Promise<MutatedResponse> {
  const post = await goodPost(target)
  const isForm = post.headers['content-type'] === 'application/x-www-form-urlencoded'
  const { kind, value: body } = isForm ? mutateForm(random, post.body) : mutateJsonText(random, post.body)
  const isSame = isDeepStrictEqual(bodyContent(body, isForm), bodyContent(post.body, isForm))
  return {
    kind: `body, ${kind}`,
    post: { ...post, body },
    content: isSame ? 'same' : 'changed',
    isAdult: true,
  }
}

function mutateForm(random: Random, body: string): Mutated<string> {
  const pairs = body.split('&')
  const drawn = random.below(6)
  if (drawn === 0) return { kind: 'form: another order', value: pairs.toReversed().join('&') }
  if (drawn === 1) return { kind: 'form: a pair twice', value: [...pairs, random.pick(pairs)].join('&') }
  if (drawn === 2)
    return { kind: 'form: one more pair', value: `${body}&${random.pick(['a=1', '=', 'state=x', 'error='])}` }
  if (drawn === 3)
    return { kind: 'form: without a pair', value: pairs.toSpliced(random.below(pairs.length), 1).join('&') }
  if (drawn === 4) {
    const value = body.replace(/[A-Za-z](?=[^=&]*(&|$))/, (c) => `%${c.charCodeAt(0).toString(16)}`)
    return { kind: 'form: more escapes', value }
  }
  const { value } = mutateText(random, body)
  return { kind: 'form: characters', value }
}

function bodyContent(body: string, isForm: boolean): unknown {
  try {
    const parameters = isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body)
    const { response, state, ...plain } = isForm ? parameters : (parameters.data ?? {})
    const protocol = isForm ? null : parameters.protocol
    return [protocol, state, response === undefined ? contentOf(plain) : sealedContent(response)]
  } catch {
    return body
  }
}

/** Sends changed responses to one session, and at the end the good response, which must verify. */
export async function respondInGroup(
  context: Context,
  slots: readonly Slot[],
  random: Random,
): Promise<void> {
  const { cells, name } = random.pick(COMBINATIONS)
  const cell = random.pick(cells)
  const open = () => openTarget(context, random.pick(context.parties), cell)
  let target = await open()
  for (const slot of slots) {
    const response = await mutateResponse(slot.random, target)
    if (await sendChanged(context, slot, { target, response })) target = await open()
  }
  const [last] = slots.slice(-1)
  if (last !== undefined) await sendGood(context, last, { target, post: await goodPost(target), name })
}

function requestOf(post: Post): FuzzRequest {
  const route = post.path.endsWith('/dc-api') ? 'POST /v1/verify/:id/dc-api' : 'POST /v1/verify/:id/callback'
  return { ...post, route, method: 'POST' }
}

/** Sends a changed response, and judges what came of it. Returns `true` if it ended its session. */
export async function sendChanged(
  { ask, found, ledger }: Context,
  slot: Slot,
  { target, response }: { readonly target: Target; readonly response: MutatedResponse },
): Promise<boolean> {
  const { kind, post, content, isAdult } = response
  const request = requestOf(post)
  const answer = await ask(slot, request)
  const status = answer.status === 200 ? (await target.rp.poll(target.verificationId)).status : 'pending'
  const isEnd = status !== 'pending'
  const outcome = isEnd ? `${status} (${content})` : answer.status === 503 ? 'not checked' : 'refused'
  ledger.countChange(`${target.cell.format} ${kind}`, outcome)
  if (content === 'changed' && isEnd) found(slot, `changed content is ${status}: ${kind}`, request, answer)
  if (status === 'verified' && !isAdult) found(slot, `another value is verified: ${kind}`, request, answer)
  return isEnd
}

/** Sends a good response after changed responses: it must verify. */
export async function sendGood(
  { ask, found, ledger }: Context,
  slot: Slot,
  { target, post, name }: { readonly target: Target; readonly post: Post; readonly name: string },
): Promise<void> {
  const request = requestOf(post)
  const answer = await ask(slot, request)
  const { status } = await target.rp.poll(target.verificationId)
  if (status === 'verified') ledger.countVerified()
  else found(slot, `a good response is ${status} after changed ones: ${name}`, request, answer)
}
