// One wallet's answer, judged from its parameters to a verdict (CONTRACT 4, OpenID4VP 1.0 §8). It changes nothing: the object
// applies the verdict. Nothing here decides on anything the answer says of itself.

import type { Config } from '../config.ts'
import { FORMATS } from '../formats/index.ts'
import {
  type AuthorizationResponse,
  decryptResponse,
  type PresentationResponse,
  parseAuthorizationResponse,
  type WalletErrorResponse,
} from '../openid4vp/authorization-response.ts'
import { PROTOCOLS } from '../openid4vp/protocols/index.ts'
import type { Exchange } from '../openid4vp/protocols/protocol.ts'
import type { ResponseRejection } from '../openid4vp/rejection.ts'
import { verifyPresentations } from '../openid4vp/verify-response.ts'
import { reachesLevel, UNCHECKED_LEVEL } from '../policy/assurance.ts'
import { typeDefinitions, typeOf } from '../policy/catalogue.ts'
import { decide } from '../policy/decide.ts'
import type { Decision, PolicyReason } from '../policy/policy.ts'
import type { Settings } from '../relying-party/settings.ts'
import { err, ok, type Result } from '../result.ts'
import type { SessionDocument, TraceEntry } from './document.ts'
import { handleKeyOf, openEncryptionKey, openGeneration } from './generation-keys.ts'
import { aliveGenerations, type StoredGeneration } from './generations.ts'
import { type HandleKind, readHandle } from './handles.ts'
import type { Network } from './network.ts'
import { sealingKeyOf } from './random.ts'
import { callbackUrl, languageOf } from './requests.ts'

type RefusalReason = ResponseRejection['reason'] | PolicyReason

/** What an answer comes to. */
export type Verdict =
  /** Authentic: it ends the session. */
  | {
      readonly kind: 'decided'
      readonly decision: Decision
      readonly trace: readonly TraceEntry[]
      readonly generation: StoredGeneration
    }
  /** `access_denied` by a wallet that holds the `state` of a live, fetched request: it ends the session. */
  | { readonly kind: 'declined'; readonly generation: StoredGeneration }
  /** The wallet reported an error of its own: processed, and noted as an attempt. */
  | { readonly kind: 'wallet_error'; readonly generation: StoredGeneration }
  /** Not authentic, or not an answer: noted as an attempt. */
  | {
      readonly kind: 'refused'
      readonly reason: RefusalReason
      readonly generation: StoredGeneration | null
    }

/** What an answer is judged by. */
export type Judgement = {
  readonly document: SessionDocument
  readonly settings: Settings
  readonly config: Config
  readonly network: Network
  /** Unix milliseconds at which the answer arrived. */
  readonly arrivedAt: number
}

/** Judges the posted parameters. */
export async function judgeAnswer(
  parameters: ReadonlyMap<string, string>,
  judgement: Judgement,
): Promise<Verdict> {
  const { document } = judgement
  const protocol = PROTOCOLS[document.request.protocol]
  const { response_mode: responseMode } = document.request.request_options
  const parsed = parseAuthorizationResponse(parameters, { responseMode, ...protocol.answers })
  if (!parsed.ok) return refused(parsed.error.reason, null)
  const found = await findGeneration(parsed.value, judgement)
  if (!found.ok) return refused(found.error, null)
  const generation = found.value
  const opened = await openAnswer(parsed.value, generation, judgement)
  if (!opened.ok) return refused(opened.error, generation)
  const { response, ...exchange } = opened.value
  if (response.kind === 'wallet_error') return judgeWalletError(response, generation)
  return verifyAnswer({ response, ...exchange }, generation, judgement)
}

/** The live generation an answer belongs to: named by `kid` where it is encrypted, else by `state`. */
async function findGeneration(
  response: AuthorizationResponse,
  { document, arrivedAt }: Judgement,
): Promise<Result<StoredGeneration, RefusalReason>> {
  const kid = response.kind === 'encrypted' ? response.kid : undefined
  const [kind, handle, unknown]: [HandleKind, string | undefined, RefusalReason] =
    kid === undefined ? ['state', response.state, 'unknown_state'] : ['kid', kid, 'unknown_encryption_key']
  if (handle === undefined) return err('unknown_encryption_key')
  const number = await readHandle(handleKeyOf(document), kind, handle)
  if (number === undefined) return err(unknown)
  const alive = aliveGenerations(document.generations, arrivedAt)
  const generation = alive.find((candidate) => candidate.number === number)
  return generation === undefined ? err('request_superseded') : ok(generation)
}

/** An answer in the clear, and how it was decrypted. */
type OpenedAnswer<Response> = { readonly response: Response } & Omit<Exchange, 'responseUri'>

/** Decrypts where needed. Every `state` in the answer, outside and inside, must be this generation's own. */
async function openAnswer(
  response: AuthorizationResponse,
  stored: StoredGeneration,
  { document, config }: Judgement,
): Promise<Result<OpenedAnswer<PresentationResponse | WalletErrorResponse>, RefusalReason>> {
  if (response.kind !== 'encrypted') {
    return ok({ response, encryptionKey: null, agreementPartyUInfo: undefined })
  }
  const generation = await openGeneration(document, stored)
  if (response.state !== undefined && response.state !== generation.state) return err('state_mismatch')
  const encryptionKey = await openEncryptionKey(await sealingKeyOf(config), document, stored)
  const decrypted = await decryptResponse(response, { kid: generation.kid, privateJwk: encryptionKey })
  if (!decrypted.ok) return err(decrypted.error.reason)
  if (decrypted.value.state !== generation.state) return err('state_mismatch')
  const { agreementPartyUInfo } = response
  return ok({ response: decrypted.value, encryptionKey, agreementPartyUInfo })
}

/** CONTRACT 4: an error needs a live request that a wallet fetched; only `access_denied` ends the session. */
function judgeWalletError(error: WalletErrorResponse, generation: StoredGeneration): Verdict {
  if (!generation.fetched) return refused('unknown_state', generation)
  if (error.error === 'access_denied') return { kind: 'declined', generation }
  return { kind: 'wallet_error', generation }
}

async function verifyAnswer(
  { response, ...exchange }: OpenedAnswer<PresentationResponse>,
  generation: StoredGeneration,
  judgement: Judgement,
): Promise<Verdict> {
  const { document, settings, config, arrivedAt } = judgement
  const { query } = document.policy
  const protocol = PROTOCOLS[document.request.protocol]
  const { nonce } = generation
  const groups = protocol.readPresentations(response, { query, language: languageOf(document), nonce })
  if (!groups.ok) return refused(groups.error.reason, generation)
  const trace: TraceEntry[] = []
  const now = Math.floor(arrivedAt / 1000)
  const verified = await verifyPresentations({
    groups: groups.value,
    query,
    formats: { ...FORMATS, ...protocol.formats },
    expected: {
      nonce,
      audience: document.verifier.client_id,
      requestedAt: Math.floor(generation.created_at / 1000),
      handover: protocol.handover({ ...exchange, responseUri: callbackUrl(document, config.baseUrl) }),
    },
    context: {
      now,
      anchors: settings.trust_anchors.filter(protocol.acceptsAnchor),
      typeOf: typeOf(typeDefinitions(settings.credential_types)),
      ...judgement.network,
      statusUnavailable: acceptsUnchecked(judgement) ? 'accept' : 'refuse',
    },
    trace: (check) => trace.push(check),
  })
  if (!verified.ok) return refused(verified.error.reason, generation)
  const decision = decide({ policy: document.policy, presentations: verified.value.presentations, now })
  // CONTRACT 5: without holder binding anyone may have presented it, so it may verify but ends nothing as a refusal.
  if (decision.reason !== null && !decision.holder_bound) return refused(decision.reason, generation)
  return { kind: 'decided', decision, trace, generation }
}

/**
 * CONTRACT 8: where the relying party accepts a status that cannot be told. A session that asks for more than such a
 * credential is worth refuses it even so: the answer is then heard later, where accepted it would be rejected for good.
 */
function acceptsUnchecked({ settings, document }: Judgement): boolean {
  return (
    settings.status_unavailable === 'accept' &&
    reachesLevel(UNCHECKED_LEVEL, document.policy.required_assurance_level)
  )
}

function refused(reason: RefusalReason, generation: StoredGeneration | null): Verdict {
  return { kind: 'refused', reason, generation }
}
