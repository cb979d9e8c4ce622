// A pushed request works for 60 s, or for as long as its login keeps it, and for its own client. A `jti`
// works once (api/logins). What a relying party has stored is not lost, and is erased soon after its time.

import type { Kept, Stored, Use } from '../../../src/relying-party/oidc/once.ts'
import type { PartyCall, Property } from '../ledger.ts'
import type { SimulatedObject } from '../platform/objects.ts'
import { SQL } from '../platform/storage.ts'

/** Time after its expiry in which a name is erased. The alarm is that of a name with the longest life. */
const ERASED_MS = 600_000 + 70_000

/** A name that callers have sent. `clock`: sum of the jumps of the clock when it was stored. */
type Name = {
  stores: number
  stored: { readonly clock: number } | undefined
  /** Latest expiry that an answer has confirmed, and the latest that was asked for. */
  confirmed: number
  asked: number
}

export const once: Property = {
  name: 'an assertion works once, and a pushed request in its time',
  watch: ({ fail, wall, latest, parties, isCalm, jumped, hasLostAlarm }) => {
    const names = new Map<string, Name>()
    const nameOf = (parameters: readonly unknown[]): Name => {
      const name = String(parameters[0])
      const known = names.get(name) ?? { stores: 0, stored: undefined, confirmed: 0, asked: 0 }
      names.set(name, known)
      return known
    }

    const stored = ({ party, parameters, answer }: PartyCall): void => {
      const [name, , { expiresAt }] = parameters as readonly [string, string, Use]
      if (answer.lost) return
      const known = nameOf(parameters)
      if (!isOk(answer.value)) {
        const isInTime = wall() < expiresAt
        if (known.stores === 1 && isCalm && isInTime && !party.isErased)
          fail(`${name} was refused the first time`)
        return
      }
      // After a jump of the clock it may have expired, and have been erased.
      if (known.stored?.clock === jumped()) fail(`${name} was accepted twice`)
      known.stored = { clock: jumped() }
      known.confirmed = expiresAt
    }
    const opened = ({ party, parameters, answer, began }: PartyCall): void => {
      const [name, client] = parameters as readonly [string, string]
      const known = nameOf(parameters)
      if (answer.lost) return
      if (answer.value !== null && client === OTHER) fail(`${name} was given to another client`)
      if (known.stored?.clock !== jumped()) return
      if (answer.value !== null && began >= known.asked) fail(`${name} was opened after its time`)
      const isOwn = client !== OTHER && !party.isErased
      if (answer.value === null && isOwn && wall() < known.confirmed) fail(`${name} was stored, and is gone`)
    }
    const kept = ({ parameters, answer }: PartyCall): void => {
      if (!answer.lost && isOk(answer.value)) nameOf(parameters).confirmed = Number(parameters[1])
    }
    const left = ({ durable }: SimulatedObject) =>
      durable.sql.rowsOf('oidc_once') as readonly { readonly name: string; readonly expires_at: number }[]
    return {
      partyAsked: (_, method, parameters) => {
        const known = nameOf(parameters)
        if (method === 'storeOnce') known.stores += 1
        if (method === 'storeOnce') known.asked = (parameters[2] as Use).expiresAt
        if (method === 'keepPushedRequest') known.asked = Math.max(known.asked, Number(parameters[1]))
      },
      partyCalled: (call) => {
        if (call.method === 'storeOnce') stored(call)
        if (call.method === 'pushedRequest') opened(call)
        if (call.method === 'keepPushedRequest') kept(call)
      },
      objectCommitted: (object, key) => {
        if (object.kind !== 'RELYING_PARTY' || key !== SQL || !isCalm) return
        for (const { name, expires_at } of left(object)) {
          if (latest() > expires_at + ERASED_MS) fail(`${name} is still stored after its time`)
        }
      },
      eventsOver: () => {
        for (const { object } of parties) {
          if (hasLostAlarm(object)) continue // the next name sets it again
          for (const { name } of left(object)) {
            // A crash can keep a name without an alarm, before it is acknowledged.
            if (names.get(name.replace(/^kept\//, ''))?.stored !== undefined) fail(`${name} is still stored`)
          }
        }
      },
    }
  },
}

const isOk = (value: unknown) => (value as Stored | Kept).ok

/** The client whose pushed requests these are not (actors/oidc-client.ts). */
const OTHER = 'oc_other'
