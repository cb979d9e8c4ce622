// `npm run admin -- <command>`: the operator's routes (docs/contract.md, section 8) from a command line. Exit codes: 0 done, 1 refused by the
// service, 2 called wrongly, 3 the service did not answer.

import { parseCall } from './admin/call.mjs'
import { COMMANDS } from './admin/commands.mjs'
import { helpFor, overview } from './admin/help.mjs'
import { readable, readableProblem } from './admin/print.mjs'
import { findService, send } from './admin/service.mjs'

process.exitCode = await main(process.argv.slice(2))

async function main(args) {
  const parsed = parseCall(args)
  if (parsed.help !== undefined) {
    console.log(parsed.help === '' ? overview() : helpFor(parsed.help))
    return 0
  }
  if (parsed.fault !== undefined) {
    console.error(`${parsed.fault}\n\n${parsed.command ? helpFor(parsed.command) : overview()}`)
    return 2
  }
  const service = findService(process.env)
  if (service.fault !== undefined) {
    console.error(service.fault)
    return 2
  }
  return tell(parsed, await send(service, parsed))
}

/** Prints the answer: what it is to stdout, everything about it to stderr. */
function tell({ command, jsonOutput }, { status, body, fault }) {
  if (fault !== undefined) {
    console.error(fault)
    return 3
  }
  if (status >= 400) {
    console.error(jsonOutput ? JSON.stringify(body, null, 2) : readableProblem(status, body))
    return 1
  }
  if (body === undefined) console.error('Done.')
  else console.log(jsonOutput ? JSON.stringify(body, null, 2) : readable(body))
  const shown = (COMMANDS[command].secrets ?? []).filter((name) => body?.[name] !== undefined)
  if (shown.length > 0)
    console.error(`\nShown this once: ${shown.join(', ')}. Keep it where secrets are kept.`)
  return 0
}
