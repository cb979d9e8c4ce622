// Texts that `npm start` prints about a state directory and its service.

import { join, relative } from 'node:path'
import { demoRelyingPartyPath } from './demo-relying-party.mjs'
import { RECOMMENDED_DESCRIPTORS } from './descriptors.mjs'

/** Returns the lines about what the start did to the objects. `counts` is the result of `prepareObjects`. */
export function objectsReport({ damaged, repaired, spread, spreadOverMs, removed, sharing }, limit) {
  const lines = []
  if (damaged.length > 0) {
    lines.push(
      `The index of alarms was missing or damaged (${damaged.join(', ')}) and was built again: docs/runbooks/damaged-storage.md`,
    )
  }
  if (repaired > 0) lines.push(`Alarms set again: ${repaired}.`)
  if (spreadOverMs >= 1000) {
    const seconds = Math.ceil(spreadOverMs / 1000)
    lines.push(`Alarms due now or soon: ${spread}, spread over ${seconds} s for ${limit} descriptors.`)
  }
  if (removed > 0) lines.push(`Files of erased objects removed: ${removed}.`)
  if (sharing !== undefined)
    lines.push(
      `Sessions that still share objects: ${sharing}. A version before 0.3.0 does not start while there are objects for them: docs/way-back.md`,
    )
  return lines
}

/** Returns the lines about the state directory. */
export function stateLines(directory, { hasAdminToken, limit, isLocal }) {
  const adminToken = hasAdminToken ? 'from ADMIN_TOKEN' : shown(join(directory, 'keys', 'admin-token'))
  const lines = [
    `  state               ${shown(directory)}`,
    `  verifier CA         ${shown(join(directory, 'verifier-ca.pem'))}`,
    `  admin token         ${adminToken}`,
  ]
  if (!isLocal && limit < RECOMMENDED_DESCRIPTORS)
    lines.push(
      `  file descriptors    ${limit}; a service for others needs ${RECOMMENDED_DESCRIPTORS} (docs/self-hosting.md)`,
    )
  return lines
}

/**
 * Returns the lines about the demo relying party, with a command that creates a session. Without a terminal
 * the command reads the API key from its file.
 */
export function usageLines(directory, { options, demo, code, isTerminal }) {
  const path = demoRelyingPartyPath(directory)
  const apiKey = isTerminal ? demo.api_key : `$(node -p "require('${path}').api_key")`
  return [
    `  demo relying party  ${demo.relying_party_id} (${shown(path)})`,
    ...(code === null ? [] : [consoleLine(options, code)]),
    `\nCreate a session:\n\n${curl(options, apiKey)}\n`,
  ]
}

/** Returns the line with the console's address. The code is not sent to a server until the page posts it. */
function consoleLine({ consoleOrigin }, code) {
  return `  console             ${consoleOrigin}/console#code=${code}\n                      It opens once, within five minutes.`
}

/** Returns a path relative to the current directory, if it is inside. */
function shown(path) {
  const fromHere = relative(process.cwd(), path)
  return fromHere.startsWith('..') ? path : fromHere
}

function curl({ baseUrl, origin, tls }, apiKey) {
  const isLocal = new URL(baseUrl).hostname === 'localhost'
  const body = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
  return [
    `  curl -sS${tls ? 'k' : ''} -X POST ${isLocal ? baseUrl : origin}/v1/verify`,
    `-H "Authorization: Bearer ${apiKey}"`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n    ')
}
