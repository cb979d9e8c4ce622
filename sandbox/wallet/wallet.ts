// The test wallet (docs/decisions/sandbox.md). Reads a wallet URI, issues the requested credentials to
// itself, and presents them, correctly or with one mistake. Web standards only: it runs in the sandbox's
// Worker, and in Node for `npm run wallet`.

import { err, ok, type Result } from '../../src/result.ts'
import { generateKey, randomText } from '../issuer/sign.ts'
import { presentJwtVc } from './jwt-vc.ts'
import { presentMdoc } from './mdoc.ts'
import type { Mistake, Requirement } from './mistake.ts'
import { mistakeOf } from './mistakes/index.ts'
import type { PresentationContext } from './presentation.ts'
import { chooseCredentials, FORMAT_NAMES, type FormatName, type RequestedCredential } from './query.ts'
import {
  asForm,
  type CallVerifier,
  fetchText,
  receiveRequest,
  type WalletError,
  type WalletRequest,
} from './request.ts'
import { buildError, buildResponse, type Form } from './response.ts'
import { presentSdJwt } from './sd-jwt.ts'

/** One task of the wallet. */
export type WalletTask = {
  readonly uri: string
  /** `verified`, or a reason code of the verifier's catalogue. */
  readonly reason: string
  readonly format?: string | undefined
  readonly credential_type?: string | undefined
}

/** A response ready to be posted, and its request. */
export type PreparedResponse = {
  readonly request: WalletRequest
  readonly presented: readonly RequestedCredential[]
  readonly description: string
  readonly post: Post
}

/** A form and its address. */
export type Post = { readonly uri: string; readonly form: Form }

export type VerifierResponse = {
  readonly status: number
  readonly body: string
  readonly redirect_uri: string | null
}

/** Fetches the request and builds the response. `now` in Unix seconds. */
export async function prepare(
  task: WalletTask,
  call: CallVerifier,
  now: number,
): Promise<Result<PreparedResponse, WalletError>> {
  const mistake = mistakeOf(task.reason)
  if (mistake === undefined && task.reason !== 'verified')
    return err({ detail: `${task.reason} is not a reason that a wallet's response can cause.` })
  const received = await receiveRequest(task.uri, call)
  if (!received.ok) return received
  const request = received.value
  const unmet = mistake?.requires && unmetRequirement(mistake.requires, request)
  if (unmet) return err({ detail: unmet })
  const prepared = (presented: readonly RequestedCredential[], form: Form) => {
    const description = mistake?.description ?? 'presents the requested credentials'
    return ok({ request, presented, description, post: { uri: request.responseUri, form } })
  }
  if (mistake?.error !== undefined) return prepared([], buildError(mistake.error, request, mistake))
  const chosen = chooseCredentials(request, {
    formats: formatsFor(task.format, mistake),
    credentialType: task.credential_type,
  })
  if (!chosen.ok) return chosen
  const form = await present(request, chosen.value, mistake ?? {}, now)
  if (form === undefined) return err({ detail: 'The response cannot be encrypted as requested.' })
  return prepared(chosen.value, form)
}

/** Posts a response. */
export async function postForm({ uri, form }: Post, call: CallVerifier): Promise<VerifierResponse> {
  const { status, body } = await fetchText(call, uri, asForm(form))
  return { status, body, redirect_uri: redirectOf(body) }
}

/** Returns the formats in which the mistake is possible, restricted to the named format. */
function formatsFor(named: string | undefined, mistake: Mistake | undefined): readonly string[] {
  const possible: readonly string[] = mistake?.formats ?? FORMAT_NAMES
  return named === undefined ? possible : possible.filter((format) => format === named)
}

/** Returns why a request does not meet a requirement, `undefined` if it does. */
export function unmetRequirement(requirement: Requirement, request: WalletRequest): string | undefined {
  const { isMet, needed } = REQUIREMENTS[requirement]
  return isMet(request) ? undefined : `This reason needs a session ${needed}.`
}

const REQUIREMENTS: Readonly<
  Record<Requirement, { readonly isMet: (request: WalletRequest) => boolean; readonly needed: string }>
> = {
  encrypted: { isMet: ({ encrypted }) => encrypted, needed: 'with encrypted responses (direct_post.jwt)' },
  plain: { isMet: ({ encrypted }) => !encrypted, needed: 'without encrypted responses (direct_post)' },
  transaction_data: {
    isMet: ({ transactionData }) => transactionData.length > 0,
    needed: 'with transaction_data',
  },
  definition: {
    isMet: ({ presentationDefinition }) => presentationDefinition !== undefined,
    needed: 'that uses Presentation Exchange (a draft protocol)',
  },
}

async function present(
  request: WalletRequest,
  chosen: readonly RequestedCredential[],
  mistake: Partial<Mistake>,
  now: number,
): Promise<Form | undefined> {
  const oneKey = await generateKey()
  const mdocNonce = randomText()
  const presentations = chosen.map(async (requested) => {
    const holderKey = mistake.keyPerCredential ? await generateKey() : oneKey
    const proofKey = mistake.foreignKey ? await generateKey() : holderKey
    const context = { requested, request, mistake, holderKey, proofKey, mdocNonce, now }
    const presentation = await PRESENT[requested.format](context)
    return { requested, presentation: mistake.presentation?.(presentation) ?? presentation }
  })
  return buildResponse(request, await Promise.all(presentations), { mistake, mdocNonce })
}

const PRESENT: Readonly<Record<FormatName, (context: PresentationContext) => Promise<string>>> = {
  'dc+sd-jwt': presentSdJwt,
  mso_mdoc: presentMdoc,
  jwt_vc_json: presentJwtVc,
}

/** OpenID4VP 1.0 §8.2: the address that the wallet opens next. */
function redirectOf(body: string): string | null {
  try {
    const { redirect_uri } = JSON.parse(body) as { redirect_uri?: unknown }
    return typeof redirect_uri === 'string' ? redirect_uri : null
  } catch {
    return null // not JSON
  }
}
