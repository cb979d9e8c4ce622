// `npm run proof -- clients [name …]`: runs each client and each example against one service. A client whose
// language or packages cannot be installed is skipped. With CI_FULL=1 it is a failure instead. A program that
// takes minutes runs only if it is named.

import { startServer } from '../../test/support/service/server.ts'
import { buildClient } from '../service/client-package.mjs'
import { EVIDENCE } from './evidence.ts'
import { EXAMPLES } from './examples.ts'
import { WALLETS } from './foreign-wallets.ts'
import { GENERATED } from './generated.ts'
import { TRUSTED_LISTS } from './lists.ts'
import { LOGINS } from './logins.ts'
import { REFUSED } from './refused.ts'
import { SDKS } from './sdks.ts'
import { missing, NotInstalledError, type Program, resultWithoutTool } from './tools.ts'

/** Two run at a time: one of each list. The clients of `SDKS` use the generators of `GENERATED`. */
const SINGLE = [...EXAMPLES, ...LOGINS, ...REFUSED, ...EVIDENCE, ...TRUSTED_LISTS, ...WALLETS]
const LISTS = [[...GENERATED, ...SDKS], SINGLE]
const PROGRAMS = LISTS.flat()

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !PROGRAMS.some((program) => program.name === name))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Choose from ${PROGRAMS.map(({ name }) => name).join(', ')}.`)
  process.exit(1)
}
buildClient()
const server = await startServer()
const results: Record<Result, number> = { passed: 0, failed: 0, skipped: 0 }
try {
  await Promise.all(LISTS.map(runPrograms))
} finally {
  await server.stop()
}
console.log(`${results.passed} passed, ${results.failed} failed, ${results.skipped} skipped`)
process.exitCode = results.failed === 0 ? 0 : 1

type Result = 'passed' | 'failed' | 'skipped'

async function runPrograms(programs: readonly Program[]): Promise<void> {
  for (const program of programs) {
    const isWanted = wanted.length === 0 ? program.isLong !== true : wanted.includes(program.name)
    if (!isWanted) continue
    results[await runProgram(program)] += 1
  }
}

async function runProgram({ name, tool, run }: Program): Promise<Result> {
  const started = performance.now()
  const reason = missing(tool)
  if (reason !== undefined) return withoutTool(name, reason)
  try {
    const line = await run(server)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`passed   ${name} (${seconds} s): ${line}`)
    return 'passed'
  } catch (error) {
    if (error instanceof NotInstalledError) return withoutTool(name, error.message)
    console.log(`failed   ${name}: ${error instanceof Error ? error.message : String(error)}`)
    return 'failed'
  }
}

function withoutTool(name: string, reason: string): Result {
  const result = resultWithoutTool(process.env)
  console.log(`${result.padEnd(8)} ${name}: ${reason}`)
  return result
}
