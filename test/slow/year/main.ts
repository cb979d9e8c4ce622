// `npm run proof -- year`: months of sessions on one machine, with a clock that is moved ahead. The process,
// its files and its storage are real. Each step creates the sessions of its days, ends most of them, and
// starts the service again at the end of these days. So disk, files, start and memory are measured as a
// function of time. Options:
//   --days     simulated time
//   --a-day    sessions created on each day
//   --step     days from one start to the next, at most 8: an event may wait for 9 days, and is then erased
//   --every    starts from one measurement to the next

import { parseArgs } from 'node:util'
import { liveThrough } from './life.ts'

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '365' },
    'a-day': { type: 'string', default: '333' },
    step: { type: 'string', default: '8' },
    every: { type: 'string', default: '6' },
  },
})
const { 'a-day': aDay } = values
const [days, perDay, step, every] = [values.days, aDay, values.step, values.every].map(Number) as [
  number,
  number,
  number,
  number,
]
const rows: object[] = []
await liveThrough(
  { days, perDay, step, every },
  ({ day, sessions, megabytes, files, startMs, memoryMiB }) => {
    rows.push({ day, sessions, megabytes, files, 'start, ms': startMs, 'memory, MiB': memoryMiB })
    console.log(JSON.stringify(rows.at(-1)))
  },
)
console.table(rows)
