// Rows of lists, as they are stored. An entry is that of a session that is written, in a state that it has
// had. The row of a removed entry has neither the id nor the metadata (api/lists). No two entries mask their
// ids by the same bytes. The bytes of a removed entry are gone, as an overwritten entry is still in the file.

import { createHash } from 'node:crypto'
import type { StoredEntry } from '../../../src/relying-party/index/stored-entry.ts'
import { documentOf, type Property } from '../ledger.ts'
import { isList, type SimulatedObject } from '../platform/objects.ts'
import type { Session } from '../world.ts'
import { isEntry, withId } from './lists.ts'

export const rows: Property = {
  name: 'a list has rows of written sessions only',
  watch: ({ sessions, fail }) => {
    /** States in which a session was written, by its creation. */
    const written = new Map<string, Set<string>>()
    const sessionOf = (key: string): Session | undefined =>
      sessions.find(({ verificationId }) => key.endsWith(`/${markOf(verificationId)}`))
    const nameOf = (session: Session, createdAt: number) => `${session.name}@${createdAt}`

    const isWritten = (session: Session, { created_at, status, stage }: StoredEntry) => {
      const states = written.get(nameOf(session, created_at))
      if (states === undefined) return fail(`the list has an entry of ${session.name}, which is not written`)
      if (status !== 'pending' && !states.has(status))
        fail(`the list has ${session.name} as ${status}, which is not written`)
      if (stage === 'request_fetched' && !states.has(stage))
        fail(`the list has a fetched request of ${session.name}, which is not written`)
    }
    const holdsNothing = ({ name, durable }: SimulatedObject, session: Session) => {
      const isListed = [...durable.data.keys()].some(
        (key) => sessionOf(key) === session && !isRemoved(durable.data.get(key)),
      )
      if (isListed) return // its `Idempotency-Key` has created it again
      // The log keeps its events (api/events).
      const rows = [...durable.data].filter(([key]) => !/^(event|part|late)\//.test(key))
      const text = rows.map(([, row]) => textOf(row)).join()
      if (text.includes(session.verificationId))
        fail(`${name} has the id of ${session.name} after its removal`)
      if (/"sealed_metadata":"/.test(textsOfRemoved(durable.data)))
        fail(`${name} has metadata of a removed entry`)
      for (const entry of [...durable.overwritten].filter(isEntry))
        if (withId(durable, entry).verification_id === session.verificationId)
          fail(`${name} has the mask for the id of ${session.name} after its removal`)
    }
    const hasOwnMask = ({ name, durable }: SimulatedObject, key: string, { id_place }: StoredEntry) => {
      for (const [other, row] of durable.data)
        if (other !== key && isEntry(row) && row.id_place === id_place)
          fail(`${name} masks two ids by the same bytes`)
    }
    return {
      committed: (session, _, after) => {
        const document = documentOf(after)
        if (document === undefined) return
        const name = nameOf(session, document.created_at)
        const states = written.get(name) ?? new Set()
        written.set(name, states.add(document.status))
        if (document.request_fetched) states.add('request_fetched')
      },
      objectCommitted: (list, key, after) => {
        if (!isList(list) || !key.startsWith('entry/') || after === undefined) return
        const session = sessionOf(key)
        if (session === undefined) return fail(`${list.name} has a row of no session`)
        if (isRemoved(after)) holdsNothing(list, session)
        else {
          isWritten(session, after as StoredEntry)
          hasOwnMask(list, key, after as StoredEntry)
        }
      },
    }
  },
}

/** The end of the key of each row: a digest of the id. */
function markOf(verificationId: string): string {
  return createHash('sha256').update(verificationId).digest().subarray(0, 16).toString('base64url')
}

function isRemoved(row: unknown): boolean {
  return typeof row === 'object' && row !== null && 'removed' in row
}

function textsOfRemoved(data: ReadonlyMap<string, unknown>): string {
  return [...data.values()].filter(isRemoved).map(textOf).join()
}

function textOf(row: unknown): string {
  return row instanceof Uint8Array ? Buffer.from(row).toString('latin1') : JSON.stringify(row)
}
