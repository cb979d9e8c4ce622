// Methods of a session that routes and other Durable Objects call.

import type { Session } from './session.ts'

export const VERBS = [
  ...(['create', 'replay', 'read', 'readPublic', 'readForOperator', 'readPage', 'readRequest'] as const),
  ...(['render', 'createLink', 'createDcApiRequest', 'processDcApiResponse', 'fetchRequest'] as const),
  ...(['processResponse', 'completeReturn', 'redeem', 'finishLogin', 'redeemLogin', 'readUserInfo'] as const),
  ...(['cancel', 'decline', 'expireNow', 'erase', 'confirmEntry', 'readCourse', 'readReceipt'] as const),
  ...([
    'evidence',
    'readPersonalMembers',
    'redeliver',
    'redeliverDead',
    'releaseEvents',
    'resumeAlarm',
    'keepListing',
  ] as const),
] satisfies readonly (keyof Session)[]

export type Verb = (typeof VERBS)[number]
