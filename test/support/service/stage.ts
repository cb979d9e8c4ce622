// The stage of a conformance test: webhook receiver, relying party, trusted issuer, and a person with its
// credentials. Each test file has its own. The files of a folder share a service.

import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import {
  type Authority,
  ageOf,
  makeAuthority,
  makePerson,
  type Person,
  type Telling,
} from '../people/person.ts'
import type { ReceivedRequest, ReceiveOptions } from '../people/wallet.ts'
import { type ReceivedRequest as Posted, type Receiver, startReceiver } from './receiver.ts'
import {
  type CreatedSession,
  expectStatus,
  OVER_18,
  type OwnService,
  openService,
  type RelyingParty,
  SERVICE_VARIABLES,
  type Service,
  startService,
} from './service.ts'
import { sharedServer } from './shared-services.ts'

export type Stage = {
  service: Service
  receiver: Receiver
  authority: Authority
  person: Person
  /** Trusts the authority at `substantial` and receives all events. */
  rp: RelyingParty
}

/** A session, and the request that a wallet got for it. */
export type Begun = { readonly session: CreatedSession; readonly request: ReceivedRequest }

/** A stage whose service only this file uses. */
export type OwnStage = Stage & { service: OwnService }

/**
 * Sets the stage before the file's tests and removes it afterwards. Its members exist when the tests run.
 * Files of one folder with the same `env`, variables of the launcher, share a running service: a file may
 * look at its own relying parties and at nothing else.
 */
export function useStage(env: Readonly<Record<string, string>> = {}): Stage {
  return setStage(async () => openService(await sharedServer({ ...SERVICE_VARIABLES, ...env })))
}

/**
 * Works like `useStage`, but with a service for this file only. The file may kill, restart and search this
 * service.
 */
export function useOwnStage(env: Readonly<Record<string, string>> = {}): OwnStage {
  const stage = setStage(() => startService(env)) as OwnStage
  afterAll(() => stage.service?.stop())
  return stage
}

function setStage(serve: () => Promise<Service>): Stage {
  const stage = {} as Stage
  beforeAll(async () => {
    const authority = await makeAuthority()
    Object.assign(stage, {
      service: await serve(),
      receiver: await startReceiver(),
      authority,
      person: await makePerson(authority),
    })
    stage.rp = await relyingPartyOf(stage)
  })
  afterAll(() => stage.receiver?.close())
  return stage
}

/** Creates another relying party that trusts the authority, with other settings if given. */
export function relyingPartyOf(stage: Stage, settings: object = {}): Promise<RelyingParty> {
  const webhook = { url: stage.receiver.url }
  return stage.service.relyingParty({ webhook, trust_anchors: [stage.authority.anchor()], ...settings })
}

/** Creates a session and lets the wallet fetch its request. */
export async function begin(
  stage: Stage,
  policy: object = OVER_18,
  { rp = stage.rp, ...receiving }: ReceiveOptions & { readonly rp?: RelyingParty } = {},
): Promise<Begun> {
  const session = await rp.create(policy)
  const { uri, protocol } = session.wallet_request
  const asksTransactionData = 'transaction_data' in policy
  const options = { protocol, asksTransactionData, ...receiving }
  return { session, request: await stage.service.wallet.receive(uri, options) }
}

/** Responds with the person's age attestation. */
export async function respondWithAge(
  { service, person }: Stage,
  request: ReceivedRequest,
  telling: Telling = {},
): Promise<Response> {
  return service.wallet.present(request, await ageOf(person, request, telling))
}

/** Creates a session and ends it. The status is `verified`, unless `telling` changes the response. */
export async function finish(
  stage: Stage,
  telling: Telling = {},
  policy: object = OVER_18,
  rp: RelyingParty = stage.rp,
): Promise<Begun> {
  const begun = await begin(stage, policy, { rp })
  const answer = await respondWithAge(stage, begun.request, telling)
  if (answer.status !== 200) throw new Error(`HTTP ${answer.status} ${await answer.text()}`)
  return begun
}

/** A webhook of a session as it was posted, and its body. */
export type SentEvent = { readonly post: Posted; readonly event: Readonly<Record<string, unknown>> }

/** Returns the events that a session has sent, when there are at least `count`. */
export async function eventsOf(
  { receiver }: Stage,
  verificationId: string,
  count: number,
): Promise<readonly SentEvent[]> {
  for (;;) {
    const found = receiver.requests
      .map((post) => ({ post, event: JSON.parse(post.body.toString()) as Record<string, unknown> }))
      .filter(({ event }) => event.verification_id === verificationId)
    if (found.length >= count) return found
    await receiver.received(receiver.requests.length + 1)
  }
}

/** Returns the first event of a session when it was sent. */
export async function eventOf(stage: Stage, verificationId: string): Promise<SentEvent> {
  const [first] = await eventsOf(stage, verificationId, 1)
  return first!
}

/** An entry of the webhook log. */
export type Delivery = {
  readonly delivery_id: string
  readonly event_type: string
  readonly state: string
  readonly next_attempt_at: string | null
  readonly attempts: readonly {
    readonly attempt: number
    readonly at: string
    readonly manual: boolean
    readonly status: number | null
    readonly error: string | null
  }[]
}

/** Reads `GET …/deliveries`. */
export async function deliveriesOf(rp: RelyingParty, verificationId: string): Promise<readonly Delivery[]> {
  const response = await rp.call('GET', `/v1/verify/${verificationId}/deliveries`)
  return ((await expectStatus(response, 200)) as { deliveries: readonly Delivery[] }).deliveries
}

/** Returns the only delivery of a session when its log shows the results of `attempts`. */
export async function settledDelivery(rp: RelyingParty, verificationId: string, attempts: number) {
  for (;;) {
    const [delivery] = await deliveriesOf(rp, verificationId)
    const last = delivery?.attempts[attempts - 1]
    if (delivery !== undefined && last !== undefined && last.error !== 'unknown') return delivery
    await setTimeout(20)
  }
}
