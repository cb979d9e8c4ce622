// The test wallet (docs/decisions/sandbox.md): takes a wallet URI, issues itself what is asked for, presents it, and posts the answer,
// rightly or with one flaw. Web standards only: it runs in the sandbox's Worker, and in Node for `npm run wallet`.

import { err, ok, type Result } from '../../result.ts'
import { generateKey } from '../issuer/sign.ts'
import type { Flaw, Need } from './flaw.ts'
import { flawOf } from './flaws/index.ts'
import { presentJwtVc } from './jwt-vc.ts'
import { presentMdoc } from './mdoc.ts'
import type { Presenting } from './presenting.ts'
import { chooseCredentials, FORMAT_NAMES, type FormatName, type Wanted } from './query.ts'
import { asForm, call, type Reach, receiveRequest, type WalletFault, type WalletRequest } from './request.ts'
import { buildAnswer, buildError, type Form, makeMdocNonce } from './respond.ts'
import { presentSdJwt } from './sd-jwt.ts'

/** What a wallet is to do. */
export type Errand = {
  readonly uri: string
  /** `verified`, or a reason code of the verifier's catalogue. */
  readonly reason: string
  readonly format?: string | undefined
  readonly credential_type?: string | undefined
}

/** An answer that is ready to be posted, and what it answers. */
export type Prepared = {
  readonly request: WalletRequest
  readonly presented: readonly Wanted[]
  readonly does: string
  readonly post: Post
}

/** A form, and where it goes. */
export type Post = { readonly uri: string; readonly form: Form }

/** What the verifier said. */
export type Answered = {
  readonly status: number
  readonly body: string
  readonly redirect_uri: string | null
}

/** Fetches the request and makes the answer. `now` in Unix seconds. */
export async function prepare(
  errand: Errand,
  reach: Reach,
  now: number,
): Promise<Result<Prepared, WalletFault>> {
  const flaw = flawOf(errand.reason)
  if (flaw === undefined && errand.reason !== 'verified')
    return err({ detail: `${errand.reason} is no reason that an answer of a wallet can have.` })
  const received = await receiveRequest(errand.uri, reach)
  if (!received.ok) return received
  const request = received.value
  const obstacle = flaw?.needs && obstacleOf(flaw.needs, request)
  if (obstacle) return err({ detail: obstacle })
  const does = flaw?.does ?? 'presents what is asked for'
  const done = { request, does }
  if (flaw?.error !== undefined) {
    const form = buildError(flaw.error, request, flaw)
    return ok({ ...done, presented: [], post: { uri: request.responseUri, form } })
  }
  const chosen = chooseCredentials(request, {
    formats: formatsFor(errand.format, flaw),
    credentialType: errand.credential_type,
  })
  if (!chosen.ok) return chosen
  const form = await answerOf(request, chosen.value, flaw ?? {}, now)
  if (form === undefined) return err({ detail: 'The answer cannot be encrypted as the request asks.' })
  return ok({ ...done, presented: chosen.value, post: { uri: request.responseUri, form } })
}

/** Posts an answer. */
export async function send({ uri, form }: Post, reach: Reach): Promise<Answered> {
  const { status, body } = await call(reach, uri, asForm(form))
  return { status, body, redirect_uri: redirectOf(body) }
}

/** A format that was asked for by name alone, or all that the flaw is possible in. */
function formatsFor(named: string | undefined, flaw: Flaw | undefined): readonly string[] {
  const possible: readonly string[] = flaw?.formats ?? FORMAT_NAMES
  return named === undefined ? possible : possible.filter((format) => format === named)
}

/** Why a request does not meet a need; `undefined` where it does. */
export function obstacleOf(need: Need, request: WalletRequest): string | undefined {
  switch (need) {
    case 'encrypted':
      return request.encrypted
        ? undefined
        : 'This needs a session whose answers are encrypted (direct_post.jwt).'
    case 'plain':
      return request.encrypted
        ? 'This needs a session whose answers are not encrypted (direct_post).'
        : undefined
    case 'transaction_data':
      return request.transactionData.length > 0 ? undefined : 'This needs a session with transaction_data.'
    case 'definition':
      return request.presentationDefinition === undefined
        ? 'This needs a session that asks in Presentation Exchange (a draft protocol).'
        : undefined
  }
}

async function answerOf(
  request: WalletRequest,
  chosen: readonly Wanted[],
  flaw: Partial<Flaw>,
  now: number,
): Promise<Form | undefined> {
  const holder = await generateKey()
  const prover = flaw.stolen ? await generateKey() : holder
  const mdocNonce = makeMdocNonce()
  const presented = chosen.map(async (wanted) => {
    const made = await PRESENT[wanted.format]({ wanted, request, flaw, holder, prover, mdocNonce, now })
    return { wanted, presentation: flaw.presentation?.(made) ?? made }
  })
  return buildAnswer(request, await Promise.all(presented), { flaw, mdocNonce })
}

const PRESENT: Readonly<Record<FormatName, (presenting: Presenting) => Promise<string>>> = {
  'dc+sd-jwt': presentSdJwt,
  mso_mdoc: presentMdoc,
  jwt_vc_json: presentJwtVc,
}

/** §8.2: where the wallet takes the person next. */
function redirectOf(body: string): string | null {
  try {
    const { redirect_uri } = JSON.parse(body) as { redirect_uri?: unknown }
    return typeof redirect_uri === 'string' ? redirect_uri : null
  } catch {
    return null // an answer of another kind
  }
}
