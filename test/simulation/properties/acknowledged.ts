// An acknowledged outcome is never lost. At the moment of an answer its effect is durable, and it stays so
// until the session is erased.

import { type Call, documentOf, type Property, type Stored } from '../ledger.ts'
import type { MadeResponse, Session } from '../world.ts'

export const acknowledged: Property = {
  name: 'an acknowledged outcome is never lost',
  watch: ({ fail, durable }) => {
    /** Digests that were durable as the winner or as a held success, by session. */
    const won = new Map<Session, Set<string>>()
    /** Statuses that were acknowledged. */
    const promised = new Map<Session, string>()
    /** Numbers of writes that a session has had. */
    const existed = new Set<Session>()

    const wonBy = (session: Session) => won.get(session) ?? new Set<string>()
    const answered = ({ session, method, parameters, before, answer }: Call): void => {
      if (answer.lost) return
      const { ok, error } = Object(answer.value) as { readonly ok?: boolean; readonly error?: string }
      const document = documentOf(durable(session))
      if (method === 'create' && ok && !existed.has(session))
        fail(`${session.name} was created and not written`)
      if (method === 'cancel' && ok) promise(session, 'canceled', document)
      if (method === 'processResponse' && ok) acceptedResponse(session, parameters[0] as MadeResponse)
      if (method === 'processDcApiResponse' && ok) acceptedResponse(session, parameters[1] as MadeResponse)
      if (method === 'redeem' && ok && document !== undefined && document.returned?.redeemed !== true) {
        fail(`a return code of ${session.name} was redeemed, and that was not written`)
      }
      if (method === 'read' && ok) shownByPoll(session, answer.value, document)
      const wasThere = documentOf(before)?.created_at === document?.created_at
      if (method === 'read' && error === 'not_found' && document !== undefined && wasThere) {
        fail(`${session.name} exists, and a poll got not_found`)
      }
    }
    const promise = (session: Session, status: string, document: ReturnType<typeof documentOf>) => {
      promised.set(session, status)
      if (document !== undefined && document.status !== status) {
        fail(`${status} of ${session.name} was acknowledged, and the session is ${document.status}`)
      }
    }
    const acceptedResponse = (session: Session, { digest }: MadeResponse): void => {
      const made = session.responses.find((one) => one.digest === digest)
      if (made === undefined || made.kind === 'wallet_error') return
      // A success may be held and lapse in one write: its session expires in the same moment.
      const attempts = documentOf(durable(session))?.attempts ?? []
      if (attempts.some(({ reason }) => reason === 'same_device_return_missing')) return
      if (!wonBy(session).has(digest)) fail(`a response to ${session.name} was acknowledged before its write`)
    }
    const shownByPoll = (session: Session, value: unknown, document: ReturnType<typeof documentOf>) => {
      const { json } = (value as { readonly value: { readonly json: string } }).value
      const { status } = JSON.parse(json) as { readonly status: string }
      if (status === 'pending' || document === undefined) return
      if (document.status !== status) fail(`a poll of ${session.name} shows ${status}, which is not written`)
    }
    return {
      committed: (session: Session, _: Stored, after: Stored) => {
        const document = documentOf(after)
        if (document === undefined) return
        existed.add(session)
        const digests = wonBy(session)
        won.set(session, digests)
        for (const digest of [document.winner, document.held?.winner]) if (digest) digests.add(digest)
        const status = promised.get(session)
        if (status !== undefined && document.status !== status) {
          fail(`${session.name} was acknowledged as ${status} and is ${document.status}`)
        }
      },
      called: answered,
    }
  },
}
