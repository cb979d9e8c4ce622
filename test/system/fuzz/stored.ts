// Sessions and relying parties that a run has stored. They are deleted with each pool, because a stored
// session needs memory until its retention is over (docs/self-hosting.md). Other growth is a leak.

import { expectStatus, type RelyingParty, type Service } from '../../support/service/service.ts'
import type { FuzzResponse } from './documented.ts'
import type { FuzzRequest } from './requests.ts'

const AT_A_TIME = 12
/** A list that never becomes empty ends no run. */
const PAGES = 50

export type Stored = {
  /** Returns the relying party, whose sessions will be deleted from now on. */
  readonly watched: (rp: RelyingParty) => RelyingParty
  /** Remembers the session or relying party that a generated request has created. */
  readonly watch: (request: FuzzRequest, answer: FuzzResponse) => void
  /** Has `clear` delete a relying party too, after its sessions. */
  readonly untilCleared: (rp: RelyingParty) => void
  /**
   * Deletes all sessions, these relying parties and the trust lists of the run. Requests of the run have
   * deleted some of them, or their keys. Throws if the service fails.
   */
  readonly clear: () => Promise<void>
}

/** Remembers what is stored in a service. */
export function openStored(service: Service): Stored {
  const sessions: { readonly id: string; readonly token: string }[] = []
  const parties: { readonly relying_party_id: string; readonly api_key: string }[] = []
  const erase = async ({ id, token }: { readonly id: string; readonly token: string }) => {
    const headers = { authorization: token }
    const { status } = await service.fetch(`/v1/verify/${id}`, { method: 'DELETE', headers })
    if (status >= 500) throw new Error(`DELETE of session ${id}: HTTP ${status}`)
  }
  /** Deletes the sessions that nothing has remembered, for example those of logins. */
  const eraseListed = async ({ api_key }: { readonly api_key: string }) => {
    const headers = { authorization: `Bearer ${api_key}` }
    for (let page = 0; page < PAGES; page++) {
      const answer = await service.fetch('/v1/verify?limit=100', { headers })
      if (answer.status !== 200) return // the key is deleted, or the list is turned off
      const { verifications } = (await answer.json()) as {
        verifications: readonly { verification_id: string }[]
      }
      if (verifications.length === 0) return
      for (const { verification_id: id } of verifications) await erase({ id, token: headers.authorization })
    }
  }
  const remove = async (rp: { readonly relying_party_id: string; readonly api_key: string }) => {
    await eraseListed(rp)
    const { relying_party_id: id } = rp
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
      if (status !== 201) return
      if (route === 'POST /v1/admin/relying_parties') parties.push(JSON.parse(`${body}`))
      if (route === 'POST /v1/verify') {
        const { verification_id: id } = JSON.parse(`${body}`)
        sessions.push({ id, token: headers.authorization ?? '' })
      }
    },
    untilCleared: (rp) => parties.push(rp),
    clear: async () => {
      await inTurns(sessions.splice(0), erase)
      await inTurns(parties.splice(0), remove)
      await clearTrustLists(service)
    },
  }
}

/** Deletes the trust lists whose names the fuzz has made. There can be 50 at most. */
async function clearTrustLists({ fetch, server }: Service): Promise<void> {
  const headers = { authorization: `Bearer ${server.adminToken}` }
  const listed = await expectStatus(await fetch('/v1/admin/trust_lists', { headers }), 200)
  const names = (listed as { trust_lists: readonly { name: string }[] }).trust_lists.map(({ name }) => name)
  const made = names.filter((name) => name.startsWith('fuzz-'))
  await inTurns(made, async (name) => {
    await fetch(`/v1/admin/trust_lists/${name}`, { method: 'DELETE', headers })
  })
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
}
