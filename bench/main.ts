// `npm run proof -- bench`: one run on one machine. Exit code 1 if a target is missed.
// `--only step-events,price` runs some parts, and `--rounds` sets the verifications of each comparison of
// events of steps and of evidence.

import { parseArgs } from 'node:util'
import { startServer } from '../test/support/service/server.ts'
import { benchBundle, benchStart } from './bundle.ts'
import { benchAnnexC, benchHostile, benchMdoc, benchQr, benchSdJwtVc, benchStatusLists } from './cpu.ts'
import { benchEvidence } from './evidence.ts'
import { benchLogin } from './login.ts'
import { reportPrice } from './price.ts'
import { describeMachine, startReport } from './report.ts'
import { benchService } from './service.ts'
import { benchStepEvents } from './step-events.ts'
import { startBenchWorker } from './workerd.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, rounds: { type: 'string', default: '200' } },
})
const report = startReport()
const server = await startServer()
const worker = await startBenchWorker()
const parts: Readonly<Record<string, () => unknown>> = {
  qr: () => benchQr(worker.port, report),
  'sd-jwt-vc': () => benchSdJwtVc(worker.port, report),
  'status-lists': () => benchStatusLists(worker.port, report),
  mdoc: () => benchMdoc(worker.port, report),
  'annex-c': () => benchAnnexC(worker.port, report),
  hostile: () => benchHostile(worker.port, report),
  service: () => benchService(server, worker.port, report),
  'step-events': () => benchStepEvents(server, report, Number(values.rounds)),
  evidence: () => benchEvidence(server, report, Number(values.rounds)),
  start: () => benchStart(server, report),
  login: () => benchLogin(report),
  bundle: () => benchBundle(report),
  price: () => reportPrice(report),
}
try {
  report.heading('Machine')
  for (const line of describeMachine(server.stateDir)) report.line(line)
  const chosen = values.only?.split(',') ?? Object.keys(parts)
  for (const name of chosen) {
    const part = parts[name]
    if (part === undefined) throw new Error(`--only: ${name} is none of ${Object.keys(parts).join(', ')}`)
    await part()
  }
} finally {
  await worker.stop()
  await server.stop()
}
process.exitCode = report.end() ? 0 : 1
