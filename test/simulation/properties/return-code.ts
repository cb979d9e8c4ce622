// A `return_code` repeats: within its life the same call succeeds again. It never opens another session.

import { documentOf, type Property } from '../ledger.ts'
import type { Session } from '../world.ts'

export const returnCode: Property = {
  name: 'a return code repeats and never opens another session',
  watch: ({ fail, wall, durable }) => {
    /** The code that opened a session. That of a discarded success never does. */
    const opened = new Map<Session, string>()
    return {
      called: ({ session, method, parameters, before, answer, isClockSteady }) => {
        if (method !== 'redeem' || answer.lost) return
        const code = String(parameters[1])
        const { ok, error } = answer.value as { readonly ok: boolean; readonly error?: string }
        if (ok && !session.returnCodes.includes(code)) {
          return fail(`a return code of another session opened ${session.name}`)
        }
        const isRepeated = opened.get(session) === code
        if (ok) opened.set(session, code)
        const [old, document] = [documentOf(before), documentOf(durable(session))]
        const until = Math.min(old?.returned?.until ?? 0, document?.returned?.until ?? 0)
        const isAlive = isClockSteady && wall() < until && document?.created_at === old?.created_at
        if (error === 'invalid_code' && isRepeated && isAlive) {
          fail(`a return code of ${session.name} was refused within its life`)
        }
      },
    }
  },
}
