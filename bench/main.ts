// `npm run bench`: one run on one machine. Exit code 1 if a target is missed.

import { startServer } from '../test/support/service/server.ts'
import { benchBundle, benchStart } from './bundle.ts'
import { benchAnnexC, benchHostile, benchMdoc, benchQr, benchSdJwtVc, benchStatusLists } from './cpu.ts'
import { benchLogin } from './login.ts'
import { reportPrice } from './price.ts'
import { describeMachine, startReport } from './report.ts'
import { benchService } from './service.ts'
import { startBenchWorker } from './workerd.ts'

const report = startReport()
const server = await startServer()
const worker = await startBenchWorker()
try {
  report.heading('Machine')
  for (const line of describeMachine(server.stateDir)) report.line(line)
  await benchQr(worker.port, report)
  await benchSdJwtVc(worker.port, report)
  await benchStatusLists(worker.port, report)
  await benchMdoc(worker.port, report)
  await benchAnnexC(worker.port, report)
  await benchHostile(worker.port, report)
  await benchService(server, worker.port, report)
  await benchStart(server, report)
  await benchLogin(report)
  benchBundle(report)
  reportPrice(report)
} finally {
  await worker.stop()
  await server.stop()
}
process.exitCode = report.end() ? 0 : 1
