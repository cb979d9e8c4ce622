// `npm run admin -- <command>`: calls the operator's routes (api/settings, api/trust). Exit codes: 0
// done, 1 refused by the service, 2 invalid command, 3 no response.

import { parseCall } from './admin/call.mjs'
import { CERTIFICATION_COMMAND, runCertification } from './admin/certification.mjs'
import { COMMANDS } from './admin/commands.mjs'
import { helpFor, overview } from './admin/help.mjs'
import { INSPECT_COMMAND, runInspect } from './admin/inspect-list.mjs'
import { OWN_COMMANDS, runOwn } from './admin/own-commands.mjs'
import { json, plainLine, readable, readableProblem } from './admin/print.mjs'
import { runReaderCsr } from './admin/reader-csr.mjs'
import { findService, send } from './admin/service.mjs'
import { runWallets } from './admin/wallets.mjs'

process.exitCode = await main(process.argv.slice(2))

async function main(args) {
  if (args[0] === CERTIFICATION_COMMAND) return runCertification(args.slice(1))
  if (args[0] === 'reader-csr') return runReaderCsr(args.slice(1))
  if (args[0] === 'wallets') return runWallets(args.slice(1))
  const own = args.slice(0, 2).join(' ')
  if (own === INSPECT_COMMAND) return runInspect(args.slice(2))
  if (OWN_COMMANDS[own] !== undefined) return runOwn(own, args.slice(2))
  const parsed = parseCall(args)
  if (parsed.help !== undefined) {
    console.log(parsed.help === '' ? overview() : helpFor(parsed.help))
    return 0
  }
  if (parsed.error !== undefined) {
    console.error(`${parsed.error}\n\n${parsed.command ? helpFor(parsed.command) : overview()}`)
    return 2
  }
  const service = findService(process.env)
  if (service.error !== undefined) {
    console.error(service.error)
    return 2
  }
  return print(parsed, await send(service, parsed))
}

/** Prints the response to stdout and messages to stderr. Returns the exit code. */
function print({ command, jsonOutput }, { status, body, error }) {
  if (error !== undefined) {
    console.error(error)
    return 3
  }
  if (status >= 400) {
    console.error(jsonOutput ? json(body, 2) : readableProblem(status, body))
    return 1
  }
  if (body === undefined) console.error('Done.')
  else console.log(jsonOutput ? json(body, 2) : readable(body))
  for (const { message } of body?.warnings ?? []) console.error(`\nWarning: ${plainLine(message)}`)
  const shown = (COMMANDS[command].secrets ?? []).filter((name) => body?.[name] !== undefined)
  if (shown.length > 0) console.error(`\nShown this once: ${shown.join(', ')}. Store it as a secret.`)
  return 0
}
