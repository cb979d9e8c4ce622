// At most one terminal status. A status and an outcome that were stored never change, and the event that
// receivers get is that of the stored status.

import { isStepEvent } from '../../../src/relying-party/document/settings.ts'
import { documentOf, type Property } from '../ledger.ts'

export const oneEnd: Property = {
  name: 'at most one terminal status',
  watch: ({ sessions, fail, durable }) => {
    /** Terminal status of each session, by its creation. */
    const ends = new Map<string, string>()
    const see = (name: string, status: string, where: string) => {
      if (status === 'pending') return
      const known = ends.get(name) ?? status
      ends.set(name, known)
      if (known !== status) fail(`${name} is ${known}, and ${where} has ${status}`)
    }
    return {
      committed: (session, before, after) => {
        const [old, document] = [documentOf(before), documentOf(after)]
        if (document === undefined) return
        const name = `${session.name}@${document.created_at}`
        see(name, document.status, 'its storage')
        if (old === undefined || old.status === 'pending') return
        if (old.created_at !== document.created_at) return
        if (document.status === 'pending') fail(`${name} was ${old.status} and is pending again`)
        if (JSON.stringify(old.outcome) !== JSON.stringify(document.outcome)) {
          fail(`the outcome of ${name} changed after its end`)
        }
      },
      posted: ({ verificationId, body }) => {
        const session = sessions.find((one) => one.verificationId === verificationId)
        const document = session && documentOf(durable(session))
        if (document === undefined) return
        const { status, event_type } = JSON.parse(body) as { status: string; event_type: string }
        if (!isStepEvent({ event_type }) && status !== document.status)
          fail(`an event has ${status}, and the session is ${document.status}`)
      },
    }
  },
}
