// When faults stop, every session ends within its lifetime and the spread of expiries. In the end every alarm
// is gone.

import { documentOf, type Property } from '../ledger.ts'

export const liveness: Property = {
  name: 'every session ends, and every alarm is gone',
  watch: ({ sessions, fail, durable, alarms }) => ({
    lifetimesOver: () => {
      for (const session of sessions) {
        const document = documentOf(durable(session))
        if (document?.status === 'pending') fail(`${session.name} is pending after its lifetime`)
      }
    },
    retentionsOver: () => {
      for (const name of alarms()) fail(`${name} still has an alarm`)
    },
  }),
}
