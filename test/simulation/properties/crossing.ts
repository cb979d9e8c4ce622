// No response is accepted across sessions or generations, and none by a request that is over. A browser gets
// the result of its own link only.

import { documentOf, type Property } from '../ledger.ts'
import type { MadeResponse, Session } from '../world.ts'

export const crossing: Property = {
  name: 'no response accepted across sessions or generations',
  watch: ({ sessions, fail }) => {
    /** Generations that were durable once and were dropped from a pending session. */
    const dropped = new Map<Session, Set<number>>()
    return {
      committed: (session, before, after) => {
        const [old, document] = [documentOf(before), documentOf(after)]
        if (old === undefined || document === undefined || document.created_at !== old.created_at) return
        const numbers = dropped.get(session) ?? new Set<number>()
        dropped.set(session, numbers)
        const alive = new Set(document.generations.map(({ number }) => number))
        const isDiscarded = old.held !== null && document.held === null && document.status === 'pending'
        if (isDiscarded && alive.has(old.held.generation)) {
          fail(`a discarded success of ${session.name} leaves its request alive`)
        }
        for (const { number } of old.generations) if (!alive.has(number)) numbers.add(number)
        for (const number of alive) {
          if (numbers.has(number)) fail(`request ${number} of ${session.name} is alive again`)
        }
      },
      called: ({ session, method, parameters, before, answer }) => {
        if (answer.lost || !(answer.value as { readonly ok: boolean }).ok) return
        if (method === 'completeReturn') return browserOf(session, parameters[0] as Return, answer.value)
        if (method !== 'processResponse' && method !== 'processDcApiResponse') return
        const { digest } = parameters.at(-1) as Pick<MadeResponse, 'digest'>
        const made = sessions.flatMap(({ responses }) => responses).find((one) => one.digest === digest)
        if (made === undefined) return
        if (made.request.session !== session) return fail(`${session.name} accepts a response to another`)
        if (made.kind === 'junk' || made.kind === 'mixed')
          return fail(`${session.name} accepts a response that is not for a request`)
        const document = documentOf(before)
        const isRepeated = document?.winner === digest || document?.held?.winner === digest
        const { number } = made.request
        if (!isRepeated && document?.status === 'pending' && dropped.get(session)?.has(number)) {
          const isAlive = document.generations.some((one) => one.number === number)
          if (!isAlive) fail(`${session.name} accepts a response to request ${number}, which is over`)
        }
      },
    }
    function browserOf(session: Session, { secret }: Return, value: unknown): void {
      const { returnUrl } = (value as { readonly value: { readonly returnUrl: string | null } }).value
      const isOwn = session.secrets.includes(secret ?? '')
      if (returnUrl?.includes('return_code=') && !isOwn) {
        fail(`another browser got the return code of ${session.name}`)
      }
    }
  },
}

type Return = { readonly responseCode: string; readonly secret: string | null }
