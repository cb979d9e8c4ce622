// Puts the responses that a wallet of a conformance test sends to the judge, and compares its result with the
// session's.

import { beforeAll } from 'vitest'
import { dcApiTranscriptOf, transcriptOf } from '../people/mdoc.ts'
import type { Presentations, ReceivedRequest } from '../people/wallet.ts'
import type { RelyingParty } from '../service/service.ts'
import type { Stage } from '../service/stage.ts'
import { compareWithJudge } from './compared.ts'
import type { Anchor, Asked } from './judge.ts'

/** A response as the wallet made it, before encryption, and the service's own request. */
export type Sent = {
  readonly request: ReceivedRequest
  readonly presentations: Presentations
  readonly anchors: readonly object[]
  /** Origin of the page that called the browser's API. */
  readonly origin?: string
}

/** Judges a response and compares. `service` is `accepted`, or the code of the service's reason. */
export async function compareResponse(sent: Sent, service: string): Promise<void> {
  for (const [id, presentations] of Object.entries(sent.presentations)) {
    const { format, holderBinding } = queryOf(sent.request, id)
    const asked = { ...askedOf(sent), holderBinding }
    for (const presentation of presentations) {
      await compareWithJudge(format, presentation, asked, service)
    }
  }
}

/** Returns the content of a request, and the issuers that the relying party trusts. */
export function askedOf({ request, anchors, origin }: Omit<Sent, 'presentations'>): Asked {
  const { payload, mdocNonce } = request
  return {
    nonce: payload.nonce,
    audience: origin === undefined ? payload.client_id : `origin:${origin}`,
    holderBinding: true,
    requestedAt: 0,
    now: Math.floor(Date.now() / 1000),
    trusted: () => anchors as readonly Anchor[],
    transcript: () =>
      origin === undefined ? transcriptOf(payload, mdocNonce) : dcApiTranscriptOf(payload, origin),
  }
}

/** Formats as the presentation definitions of the drafts name them. */
const DRAFTS: Readonly<Record<string, string>> = { 'vc+sd-jwt': 'dc+sd-jwt', jwt_vp_json: 'jwt_vc_json' }

function queryOf({ payload }: ReceivedRequest, id: string): { format: string; holderBinding: boolean } {
  const { presentation_definition: definition, dcql_query: query } = payload
  if (definition === undefined) {
    const found = query.credentials.find((one) => one.id === id) as DcqlMembers | undefined
    if (found === undefined) throw new Error(`the request has no credential query ${id}`)
    return { format: found.format, holderBinding: found.require_cryptographic_holder_binding !== false }
  }
  const descriptor = definition.input_descriptors.find((one) => one.id === id)
  const [format = ''] = Object.keys(descriptor?.format ?? {})
  return { format: DRAFTS[format] ?? format, holderBinding: true }
}

type DcqlMembers = { readonly format: string; readonly require_cryptographic_holder_binding?: boolean }

type Session = { readonly rp: RelyingParty; readonly anchors: readonly object[] }

/**
 * Judges every response that the stage's wallet presents in this file. Relying parties must trust by
 * `trust_anchors`, and their sessions must begin with `create`.
 */
export function useJudge(stage: Stage): void {
  const sessions = new Map<string, Session>()
  const requests: ReceivedRequest[] = []
  const remembering = (rp: RelyingParty, anchors: readonly object[]): RelyingParty => ({
    ...rp,
    create: async (...creation) => {
      const session = await rp.create(...creation)
      sessions.set(session.verification_id, { rp, anchors })
      return session
    },
  })

  beforeAll(() => {
    const { relyingParty, wallet } = stage.service
    stage.rp = remembering(stage.rp, [stage.authority.anchor()])
    stage.service = {
      ...stage.service,
      relyingParty: async (settings = {}) =>
        remembering(await relyingParty(settings), settings.trust_anchors as readonly object[]),
      wallet: {
        ...wallet,
        receive: async (...receiving) => {
          const request = await wallet.receive(...receiving)
          requests.push(request)
          return request
        },
        present: async (request, presentations) => {
          const answer = await wallet.present(request, presentations)
          const { response_uri, state } = request.payload
          const [, id = ''] = /\/verify\/(v_[^/]+)\//.exec(response_uri) ?? []
          const session = sessions.get(id)
          // A stolen response has the state of another session. The response is compared with the result of
          // the session that gets it.
          const own = requests.filter(({ payload }) => payload.response_uri === response_uri)
          const answered = own.find(({ payload }) => payload.state === state) ?? own.at(-1)
          if (session === undefined || answered === undefined) throw new Error(`no request of session ${id}`)
          const mdocNonce = request.mdocNonce
          const sent = { request: { ...answered, mdocNonce }, presentations, anchors: session.anchors }
          await compareResponse(sent, await resultOf(session.rp, id, answer))
          return answer
        },
      },
    }
  })
}

/** Returns the service's result for a response, from the answer of the service. */
async function resultOf(rp: RelyingParty, id: string, { status }: Response): Promise<string> {
  const { status: state, reason, attempts } = await rp.poll(id)
  if (status === 200 && state === 'verified') return 'accepted'
  return (status === 200 ? reason : attempts.at(-1)?.reason)?.code ?? `HTTP ${status}`
}
