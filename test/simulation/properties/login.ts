// Tokens are for a verified session, by the right code of the right client, once and in time. An acknowledged
// redemption is never lost, and a revoked token stays revoked. A token ends in time (api/logins).

import type { Redemption } from '../../../src/session/login/finish.ts'
import { type Call, documentOf, type Property } from '../ledger.ts'
import type { Session } from '../world.ts'

/** Life of a code and of a token, and of a token after the end of its session. */
const CODE_MS = 60_000
const TOKEN_MS = 300_000
const LIFE_MS = 330_000

export const login: Property = {
  name: 'a code is redeemed once, for a verified session',
  watch: ({ fail, durable, step, wall, jumped }) => {
    /** Redemptions that were acknowledged, by the creation of a session. */
    const redeemed = new Set<string>()
    /** Sessions whose code came a second time, with the step of its answer. */
    const revoked = new Map<string, number>()
    /** Latest end of each token, and the jumps of the clock until then. */
    const tokens = new Map<string, { readonly until: number; readonly clock: number }>()
    const nameOf = (session: Session, createdAt: number | undefined) => `${session.name}@${createdAt}`

    const redeemedLogin = ({ session, parameters, before, answer, ...call }: Call): void => {
      if (answer.lost) return
      const [old, document] = [documentOf(before), documentOf(durable(session))]
      const name = nameOf(session, old?.created_at)
      if (!(answer.value as { readonly ok: boolean }).ok) {
        const isSecond = old?.login?.redeemed && (parameters[0] as Redemption).code === old.login.code
        if (isSecond && !revoked.has(name)) revoked.set(name, step())
        return
      }
      if (redeemed.has(name)) fail(`a code of ${name} was redeemed twice`)
      redeemed.add(name)
      if (old?.login?.redeemed) fail(`a code of ${name} was redeemed after its redemption was written`)
      const { login, relyingPartyId } = session.input
      const sent = parameters[0] as Redemption
      const isRight =
        sent.relyingPartyId === relyingPartyId &&
        sent.clientId === login?.client_id &&
        sent.confidential === login.confidential &&
        sent.redirectUri === login.redirect_uri &&
        sent.challenge === login.code_challenge &&
        sent.code === login.code &&
        sent.jkt === login.dpop_jkt
      if (!isRight) fail(`a wrong redemption of ${name} got tokens`)
      const isLate = call.began >= sent.issuedAt + CODE_MS
      if (isLate && call.isClockSteady) fail(`a code of ${name} was redeemed after its 60 s`)
      tokens.set(sent.token, { until: wall() + TOKEN_MS, clock: jumped() })
      if (document === undefined) return // erased meanwhile
      if (document.status !== 'verified') fail(`tokens for ${name}, which is ${document.status}`)
      if (document.login?.redeemed === null) fail(`a redemption of ${name} was acknowledged and not written`)
    }
    const finishedLogin = ({ session, parameters, answer }: Call): void => {
      if (answer.lost) return
      const { ok, value } = answer.value as { readonly ok: boolean; readonly value?: unknown }
      const { end } = Object(value) as { readonly end?: { readonly kind: string } }
      if (ok && parameters[1] !== session.input.login?.browser)
        fail(`another browser got the end of ${session.name}`)
      const document = documentOf(durable(session))
      if (!ok || end?.kind !== 'code' || document === undefined) return
      if (document.status !== 'verified' && !document.held?.returned)
        fail(`a code for ${session.name}, which is ${document.status}`)
    }
    const readUserInfo = ({ session, parameters, before, answer, step: began, ...call }: Call): void => {
      if (answer.lost || !(answer.value as { readonly ok: boolean }).ok) return
      const old = documentOf(before)
      const token = tokens.get(String(parameters[1]))
      const isLate = call.began >= Math.min(token?.until ?? Infinity, (old?.ended_at ?? Infinity) + LIFE_MS)
      if (isLate && token?.clock === jumped()) fail(`UserInfo of ${session.name} by a token that is over`)
      // The form of a token with a key begins with `DPoP`, so that a build without DPoP rejects the token.
      const form = old?.login?.redeemed?.jkt ? `DPoP ${parameters[1]}` : parameters[1]
      if (old?.login?.redeemed?.token !== form)
        fail(`UserInfo of ${session.name} by a token that was not written`)
      if (old?.login?.redeemed?.jkt !== parameters[2]) fail(`UserInfo of ${session.name} by another key`)
      if ((revoked.get(nameOf(session, old?.created_at)) ?? began) < began)
        fail(`UserInfo of ${session.name} by a revoked token`)
    }
    return {
      called: (call) => {
        if (call.method === 'redeemLogin') redeemedLogin(call)
        if (call.method === 'finishLogin') finishedLogin(call)
        if (call.method === 'readUserInfo') readUserInfo(call)
      },
      committed: (session, before, after) => {
        const [old, document] = [documentOf(before), documentOf(after)]
        const was = old?.login?.redeemed
        const is = document?.login?.redeemed
        if (!was || document?.created_at !== old?.created_at || is === undefined) return
        if (is === null) fail(`the redemption of ${session.name} is no longer written`)
      },
    }
  },
}
