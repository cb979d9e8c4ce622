// Sessions and relying parties that a run has stored. They are deleted with each pool, because a stored
// session needs memory until its retention is over (docs/self-hosting.md). Other growth is a leak.

import type { RelyingParty, Service } from '../../support/service/service.ts'
import type { FuzzResponse } from './documented.ts'
import type { FuzzRequest } from './requests.ts'

const AT_A_TIME = 12

export type Stored = {
  /** Returns the relying party, whose sessions will be deleted from now on. */
  readonly watched: (rp: RelyingParty) => RelyingParty
  /** Remembers the session that a generated request has created. */
  readonly watch: (request: FuzzRequest, answer: FuzzResponse) => void
  /** Has `clear` delete a relying party too, after its sessions. */
  readonly untilCleared: (rp: RelyingParty) => void
  /**
   * Deletes all sessions and these relying parties. Requests of the run have deleted some of them, or their
   * keys. Throws if the service fails.
   */
  readonly clear: () => Promise<void>
}

/** Remembers what is stored in a service. */
export function openStored(service: Service): Stored {
  const sessions: { readonly id: string; readonly token: string }[] = []
  const parties: string[] = []
  const erase = async ({ id, token }: { readonly id: string; readonly token: string }) => {
    const headers = { authorization: token }
    const { status } = await service.fetch(`/v1/verify/${id}`, { method: 'DELETE', headers })
    if (status >= 500) throw new Error(`DELETE of session ${id}: HTTP ${status}`)
  }
  const remove = async (id: string) => {
    const { status } = await service.admin('DELETE', `/${id}`)
    if (status !== 204 && status !== 404) throw new Error(`DELETE of relying party ${id}: HTTP ${status}`)
  }
  return {
    watched: (rp) => ({
      ...rp,
      create: async (...args) => {
        const session = await rp.create(...args)
        sessions.push({ id: session.verification_id, token: `Bearer ${rp.api_key}` })
        return session
      },
    }),
    watch: ({ route, headers }, { status, body }) => {
      if (route !== 'POST /v1/verify' || status !== 201) return
      const { verification_id: id } = JSON.parse(body.toString())
      sessions.push({ id, token: headers.authorization ?? '' })
    },
    untilCleared: ({ relying_party_id }) => parties.push(relying_party_id),
    clear: async () => {
      await inTurns(sessions.splice(0), erase)
      await inTurns(parties.splice(0), remove)
    },
  }
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
}
