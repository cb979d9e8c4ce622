// The world of one history: relying parties, sessions, and what actors know about them.

import type { Env } from '../../src/env.ts'
import type { SessionStub } from '../../src/relying-party/document/session-stub.ts'
import type { EventType, SettingsInput } from '../../src/relying-party/document/settings.ts'
import type { Login } from '../../src/session/document/login.ts'
import type { CreatedSession } from '../../src/session/document/results.ts'
import type { EvidenceTerms } from '../../src/session/evidence/stored-evidence.ts'
import type { CreateInput } from '../../src/session/request/creation.ts'
import type { Verb } from '../../src/session/verbs.ts'
import type { VerificationSession } from '../../src/session/verification-session.ts'
import { AGE_POLICY, AGE_REQUEST } from '../session/age-session.ts'
import { TEST_ENVIRONMENT } from '../support/service/environment.ts'
import type { ServiceCode } from './build.ts'
import type { Credentials } from './credentials.ts'
import { type Form, type SlotRow, storedOf } from './form.ts'
import type { Ledger } from './ledger.ts'
import { poolKey } from './platform/crypto.ts'
import { Fault, type Faults } from './platform/faults.ts'
import type { Objects, SimulatedObject } from './platform/objects.ts'
import type { Random } from './platform/random.ts'
import type { Scheduler } from './platform/scheduler.ts'

/** A relying party, and the seconds for which it stores results. */
export type Party = {
  readonly name: string
  readonly id: string
  readonly object: SimulatedObject
  /** True if it has a list of its verifications. */
  readonly isIndexed: boolean
  /** True if its webhook names events of steps. */
  readonly hasStepEvents: boolean
  isErased: boolean
  /** True once its erasure, also from the directory, was acknowledged. */
  isErasureConfirmed: boolean
}

export type Session = {
  readonly name: string
  readonly verificationId: string
  /** The object that stores it. */
  readonly object: SimulatedObject
  /** Mark of its row in an object that it shares with others; `undefined` if it has an object of its own. */
  readonly mark: string | undefined
  /** Its durable row in a shared object. */
  row: SlotRow | undefined
  readonly party: Party
  readonly input: CreateInput
  /** True if its creations have an `Idempotency-Key`. */
  readonly isKeyed: boolean
  /** Results of creations that were acknowledged. */
  readonly created: CreatedSession[]
  /** Addresses of requests that a page or the relying party has shown. */
  readonly uris: string[]
  readonly requests: WalletRequest[]
  readonly responses: MadeResponse[]
  /** Addresses of requests for one browser. */
  readonly links: string[]
  /** Cookies of the browsers that got a request of their own. */
  readonly secrets: string[]
  readonly returnCodes: string[]
  /** When its login began; `undefined` before, and for every other session. */
  beganAt: number | undefined
  /** True if an interrupted erasure lost the `Idempotency-Key`. The key may then create another session. */
  isKeyLost: boolean
}

/** A request that a wallet has fetched. */
export type WalletRequest = {
  readonly session: Session
  readonly number: number
  readonly nonce: string
  readonly state: string
  readonly clientId: string
  readonly key: Readonly<Record<string, string>> | undefined
}

export type ResponseKind = 'adult' | 'minor' | 'denied' | 'wallet_error' | 'junk' | 'mixed'

/** A response that a wallet has made for one request. */
export type MadeResponse = {
  readonly request: WalletRequest
  readonly kind: ResponseKind
  readonly parameters: readonly (readonly [string, string])[]
  readonly digest: string
}

export type World = {
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly objects: Objects
  readonly random: Random
  readonly code: ServiceCode
  readonly credentials: Credentials
  readonly ledger: Ledger
  readonly parties: Party[]
  readonly sessions: Session[]
  /** Response codes by the digest of the response that they belong to. */
  readonly redirects: Map<string, string>
  readonly note: (text: string) => void
  /**
   * True in a history of one process with a directory and gauges. In other histories nothing calls the
   * directory.
   */
  readonly isOneProcess: boolean
  readonly form: Form
  readonly env: object
  /** False from the moment when faults stop: actors end. */
  isActive: boolean
  /** True once a lost `Idempotency-Key` created another session. No property knows such a session. */
  isCutShort: boolean
}

/** An answer of the service, or undefined if it was lost. */
export type Answer = { readonly ok: boolean; readonly value?: unknown; readonly error?: string } | undefined

/** Returns a session as the edge calls it. */
export function stubOf({ code, env }: World, { verificationId }: Session): SessionStub {
  const stub = code.sessionStub(env as Env, verificationId)
  if (stub === undefined) throw new Error('the service does not know its own id')
  return stub
}

/** Calls a method of a session as the edge does. */
export async function ask<Name extends Verb>(
  world: World,
  session: Session,
  method: Name,
  ...parameters: Parameters<VerificationSession[Name]>
): Promise<Answer>
export async function ask(world: World, session: Session, method: 'fetch', address: string): Promise<Answer>
export async function ask(
  world: World,
  session: Session,
  method: string,
  ...parameters: readonly unknown[]
): Promise<Answer> {
  const { scheduler, ledger } = world
  const begin = beginCall(scheduler)
  const before = storedOf(session)
  const call = () => ({ session, method, parameters, before, ...begin() })
  ledger.add('asked', session, method)
  try {
    const stub = stubOf(world, session)
    const value = await (stub as unknown as Record<string, (...all: readonly unknown[]) => unknown>)[
      method
    ]?.(...parameters)
    const answer = Object(value) as NonNullable<Answer>
    world.note(`${session.name}.${method} -> ${textOf(answer)}`)
    ledger.add('called', { ...call(), answer: { lost: false, value } })
    return answer
  } catch (error) {
    reportUnlessFault(world, `${session.name}.${method}`, error)
    ledger.add('called', { ...call(), answer: { lost: true } })
    return undefined
  }
}

/** Calls a method of a relying party's object as the edge does. Returns undefined if the answer was lost. */
export async function askParty(
  world: World,
  party: Party,
  method: 'storeOnce' | 'pushedRequest' | 'keepPushedRequest',
  ...parameters: readonly unknown[]
): Promise<unknown> {
  const { scheduler, ledger, objects } = world
  const begin = beginCall(scheduler)
  const call = () => ({ party, method, parameters, ...begin() })
  ledger.add('partyAsked', party, method, parameters)
  try {
    const stub = objects.namespace('RELYING_PARTY').get({ toString: () => party.object.id })
    const value = await (stub as unknown as Record<string, (...all: readonly unknown[]) => unknown>)[
      method
    ]?.(...parameters)
    world.note(`${party.name}.${method} -> ${typeof value === 'boolean' ? value : value !== null}`)
    ledger.add('partyCalled', { ...call(), answer: { lost: false, value } })
    return value
  } catch (error) {
    reportUnlessFault(world, `${party.name}.${method}`, error)
    ledger.add('partyCalled', { ...call(), answer: { lost: true } })
    return undefined
  }
}

/** Notes the beginning of a call. The result returns it when the call is over. */
function beginCall({ state, wall }: Scheduler) {
  const { step, setBack } = state
  const began = wall()
  return () => ({ step, began, isClockSteady: setBack === state.setBack })
}

/** Reports an error that the simulation has not planted. */
export function reportUnlessFault({ ledger, note }: World, where: string, error: unknown): void {
  note(`${where} fails: ${error instanceof Error ? error.message : String(error)}`)
  if (error instanceof Fault) return
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  ledger.report('no unexpected error')(`${where}: ${text}`)
}

/** Waits, and returns false when the actor must end. */
export function pause(world: World, milliseconds: number): Promise<boolean> {
  const { scheduler } = world
  return new Promise((resolve) => scheduler.after(milliseconds, () => resolve(world.isActive)))
}

function textOf(answer: NonNullable<Answer>): string {
  if ('webSocket' in answer) return 'a socket'
  if (answer.ok === false) return String(answer.error)
  const status = /"status":"(\w+)"/.exec(JSON.stringify(answer) ?? '')?.[1]
  return status ?? (answer.ok ? 'ok' : JSON.stringify(answer)?.slice(0, 80))
}

/** The variables and namespaces of the service. `shared`: number of objects that sessions share, or null. */
export function environmentOf(
  objects: Objects,
  { isOneProcess, shared }: { readonly isOneProcess: boolean; readonly shared: number | null },
): object {
  const relyingParties = objects.namespace('RELYING_PARTY')
  return {
    ...TEST_ENVIRONMENT,
    ...(isOneProcess && { LISTENING_PORT: '8787' }),
    VERIFICATION_SESSION: objects.namespace('VERIFICATION_SESSION'),
    ...(shared !== null && {
      SHARED_SESSIONS: objects.namespace('SHARED_SESSIONS'),
      SESSION_OBJECTS: String(shared),
    }),
    RELYING_PARTY: { ...relyingParties, newUniqueId: relyingParties.newIdOfRun },
    DIRECTORY: objects.namespace('DIRECTORY'),
    EVENT_LOG: objects.namespace('EVENT_LOG'),
    VERIFICATION_INDEX: objects.namespace('VERIFICATION_INDEX'),
    EVIDENCE_SESSIONS: objects.namespace('EVIDENCE_SESSIONS'),
  }
}

export const RETURN_URL = 'https://shop.example/done'
/** Text in the metadata of every session. It must not be readable after erasure. */
export const MARKER = 'canary-of-the-metadata'

/** The settings of a relying party. `events`: those that it wants; null without a webhook. */
export function settingsInput(
  credentials: Credentials,
  name: string,
  {
    retention,
    events,
    isIndexed,
  }: {
    readonly retention: number
    readonly events: readonly EventType[] | null
    readonly isIndexed: boolean
  },
): SettingsInput {
  return {
    name,
    livemode: false,
    webhook: events && { url: `http://127.0.0.1:9/${name}`, events },
    trust_anchors: [credentials.anchor],
    anchor_sets: [],
    credential_types: [],
    transaction_data_types: [],
    formats: null,
    request_options: {},
    by_value: true,
    status_unavailable: 'refuse',
    certificate_revocation: 'off',
    return_urls: [RETURN_URL],
    origins: [],
    branding: null,
    retention_seconds: retention,
    claims_encryption_jwk: null,
    verifier: null,
    index: isIndexed,
  }
}

const VERIFIER = JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK) as {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly d: string
}
const X5C = TEST_ENVIRONMENT.VERIFIER_CERTIFICATE_CHAIN_PEM.replaceAll(/-----[^-]+-----|\s/g, '')

/** A key to which evidence is sealed. */
const { d: _, ...RECIPIENT } = poolKey(0)
const EVIDENCE_KEY = { ...RECIPIENT, kid: 'archive' } as EvidenceTerms['keys'][number]

const TOKEN = { alg: 'ES256', encryption: null, names: null } as const

/** A login before its end. The texts of digests are those that its browser and its client send. */
const LOGIN: Login = {
  client_id: 'oc_client',
  client_name: 'Shop',
  confidential: true,
  redirect_uri: 'https://client.example/callback',
  response_mode: 'query',
  state: null,
  nonce: null,
  code_challenge: 'of-the-verifier',
  dpop_jkt: 'thumbprint-of-the-key',
  scope: 'openid',
  policy: 'adult#0123456789abcdef',
  subject: { type: 'transient' },
  wanted_acr: null,
  sealed_conditions: null,
  id_token: TOKEN,
  userinfo: { ...TOKEN, alg: null },
  browser: 'digest-of-the-cookie',
  code: 'digest-of-the-code',
  result: null,
  redeemed: null,
}

/** The checked creation request of a session. */
export function createInput(
  party: Party,
  {
    binding,
    expiresIn,
    encrypted,
    retention,
    bodyDigest,
    isLogin,
    evidence,
  }: {
    readonly binding: 'none' | 'page' | 'relying_party'
    readonly expiresIn: number
    readonly encrypted: boolean
    readonly retention: number
    readonly bodyDigest: string | null
    readonly isLogin: boolean
    /** Outcomes of which evidence is kept; null for no evidence. */
    readonly evidence: EvidenceTerms['outcomes'] | null
  },
): CreateInput {
  return {
    relyingPartyId: party.id,
    livemode: false,
    request: {
      ...AGE_REQUEST,
      metadata: { context: MARKER },
      required_session_binding: binding,
      expires_in: expiresIn,
      require_same_holder_key: false,
      request_options: {
        ...AGE_REQUEST.request_options,
        response_mode: encrypted ? 'direct_post.jwt' : 'direct_post',
      },
      return_url: RETURN_URL,
      ...(evidence && { evidence: true, intent_to_retain: true }),
    },
    policy: AGE_POLICY,
    verifier: {
      clientId: 'x509_hash:rvr-J4_6GGjVmEkmZ7xx3wZRB7pmqetegq9B8oRl_1Y',
      proof: { x5c: [X5C] },
      signingJwk: VERIFIER,
    },
    isIndexed: party.isIndexed,
    hasStepEvents: party.hasStepEvents,
    retentionSeconds: retention,
    bodyDigest,
    ...(isLogin && { login: LOGIN }),
    ...(evidence && { evidence: { keys: [EVIDENCE_KEY], outcomes: evidence } }),
    trace: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', sampled: false },
  }
}

/** Behaves as callers do who may call again, call late, or never come back. */
export type Actor = {
  readonly name: string
  /** Acts on one session until it has nothing to do, or the world is not active. */
  readonly act: (world: World, session: Session) => Promise<void>
}
