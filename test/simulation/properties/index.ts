// All properties. A new property is a file of this folder, and a line here.

import type { Property } from '../ledger.ts'
import { acknowledged } from './acknowledged.ts'
import { counters } from './counters.ts'
import { creation } from './creation.ts'
import { crossing } from './crossing.ts'
import { directory } from './directory.ts'
import { erasure } from './erasure.ts'
import { eventLog } from './event-log.ts'
import { evidence } from './evidence.ts'
import { gauges } from './gauges.ts'
import { lists } from './lists.ts'
import { liveness } from './liveness.ts'
import { login } from './login.ts'
import { neighbours } from './neighbours.ts'
import { once } from './once.ts'
import { oneEnd } from './one-end.ts'
import { poll } from './poll.ts'
import { posts } from './posts.ts'
import { prompt } from './prompt.ts'
import { returnCode } from './return-code.ts'
import { rows } from './rows.ts'
import { sharedRows } from './shared-rows.ts'
import { steps } from './steps.ts'
import { times } from './times.ts'

export const PROPERTIES: readonly Property[] = [
  oneEnd,
  acknowledged,
  posts,
  eventLog,
  crossing,
  poll,
  erasure,
  returnCode,
  creation,
  liveness,
  login,
  lists,
  steps,
  once,
  directory,
  gauges,
  counters,
  times,
  rows,
  prompt,
  sharedRows,
  neighbours,
  evidence,
]
