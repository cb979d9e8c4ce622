// `npm run admin -- trust-lists inspect <URL or file>`: prints what a trusted list in XML holds, and which
// anchors a mapping would give, before anything is trusted. It calls no service.

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runProgram } from '../service/programs.mjs'
import { json, plain } from './print.mjs'

export const INSPECT_COMMAND = 'trust-lists inspect'

export const INSPECT = {
  does: 'prints what a trusted list in XML holds, before it is trusted',
  flags: {
    services: 'a JSON file: services of a list, as for trust-lists create; prints the anchors they give',
    schemes: 'a scheme, in place of services: eu_age_verification, eu_qualified_attestations, …',
    certificate: 'a PEM file: prints the services that list one of its certificates, or its authority',
    at: 'a time, as 2026-11-30T12:00:00Z: judges the services at this time instead of now',
  },
}

const FETCH_TIMEOUT_MS = 15_000
const LARGEST = 8 * 1024 * 1024

/** Runs the command. Returns the exit code: 1 if the list is refused. */
export async function runInspect(args) {
  const options = Object.fromEntries(Object.keys(INSPECT.flags).map((name) => [name, { type: 'string' }]))
  let values
  let source
  try {
    const parsed = parseArgs({
      args,
      allowPositionals: true,
      options: { ...options, help: { type: 'boolean', short: 'h' }, 'json-output': { type: 'boolean' } },
    })
    values = parsed.values
    source = parsed.positionals[0]
    if (!values.help && parsed.positionals.length !== 1) throw new Error('Name one list: its URL, or a file.')
    if (values.services && values.schemes) throw new Error('--services and --schemes exclude each other.')
    if (values.at !== undefined && !isTime(values.at))
      throw new Error('--at must be a time in UTC, as 2026-11-30T12:00:00Z.')
  } catch (error) {
    console.error(`${error.message}\n\n${helpText()}`)
    return 2
  }
  if (values.help) {
    console.log(helpText())
    return 0
  }
  const inspect = await loadInspection()
  // The sources are TypeScript, which an older Node does not read.
  if (inspect === undefined)
    return runProgram('scripts/admin.mjs', [...INSPECT_COMMAND.split(' '), ...args], { stdio: 'inherit' })
      .status
  let body
  let services
  let certificates
  try {
    body = await readSource(source)
    services = values.services ? JSON.parse(readFileSync(values.services, 'utf8')) : undefined
    certificates = values.certificate ? readCertificates(values.certificate) : undefined
  } catch (error) {
    console.error(error.cause?.message ?? error.message)
    return 3
  }
  const at = values.at === undefined ? undefined : Date.parse(values.at)
  const found = await inspect(body, { services, certificates, schemes: values.schemes, now: Date.now(), at })
  console.log(values['json-output'] ? json(found.report, 2) : plain(found.lines.join('\n')))
  return (found.report.fault ?? found.report.mapping?.fault ?? null) === null ? 0 : 1
}

function isTime(text) {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(text) && !Number.isNaN(Date.parse(text))
}

/** Reads or fetches a list. A redirect, another status than 200, and more than 8 MiB are errors. */
export async function readSource(source, { timeoutMs = FETCH_TIMEOUT_MS } = {}) {
  if (!/^https?:\/\//.test(source)) return new Uint8Array(readFileSync(source))
  const response = await fetch(source, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: 'application/vnd.etsi.tsl+xml' },
  })
  if (response.status !== 200) throw new Error(`The list is unavailable: HTTP ${response.status}.`)
  const parts = []
  let length = 0
  for await (const part of response.body) {
    length += part.length
    if (length > LARGEST) throw new Error('The list has more than 8 MiB.')
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

/** Returns the certificates of a PEM file. */
function readCertificates(path) {
  const blocks = readFileSync(path, 'utf8').match(
    /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
  )
  if (blocks === null) throw new Error(`${path} has no certificate in PEM.`)
  return blocks.map((pem) => new X509Certificate(pem))
}

async function loadInspection() {
  try {
    return (await import('./inspect-list.ts')).inspectList
  } catch (error) {
    if (error.code === 'ERR_UNKNOWN_FILE_EXTENSION') return undefined
    throw error
  }
}

function helpText() {
  const rows = Object.entries(INSPECT.flags).map(([name, words]) => `  --${name.padEnd(14)}${words}`)
  return [
    `npm run admin -- ${INSPECT_COMMAND} <URL or file>: ${INSPECT.does}`,
    '',
    ...rows,
    '  --json-output   prints JSON',
  ].join('\n')
}
