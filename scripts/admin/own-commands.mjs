// Commands of a relying party: they call the API with its key (API_KEY), not with the operator's token.
// `webhooks forward` signs events anew, so it needs the webhook's secret (WEBHOOK_SECRET).

import { parseArgs } from 'node:util'
import { runProgram } from '../service/programs.mjs'
import { follow, readApi } from './follow.mjs'
import { json, plainLine, readable } from './print.mjs'
import { serviceOrigin } from './service.mjs'

/** Time limit of the receiver that `webhooks forward` sends to. */
const TIMEOUT_MS = 30_000

const FOLLOW = { once: 'ends after the newest event', all: 'begins with the oldest event of 30 days' }

export const OWN_COMMANDS = {
  'verifications list': {
    does: 'lists verifications, newest first',
    flags: {
      status: 'a status, such as rejected; can be repeated',
      'created-after': 'a time with an offset, inclusive',
      'created-before': 'a time with an offset, exclusive',
      'credential-type': 'exact',
      metadata: 'key=value; can be repeated',
      limit: 'largest number of entries (default 50)',
      after: 'next of the previous page',
    },
    run: listVerifications,
  },
  'events tail': {
    does: 'prints each new event of the log as a line of JSON',
    flags: FOLLOW,
    run: (call, values) => follow(call, values, (event) => console.log(json(event))),
  },
  'webhooks forward': {
    does: 'sends each new event to an address, signed with WEBHOOK_SECRET, and prints the responses',
    flags: { to: 'the address, such as http://localhost:3000/hook', ...FOLLOW },
    run: forward,
  },
}

const REPEATED = ['status', 'metadata']
const SWITCHES = Object.keys(FOLLOW)

/** Runs one of the commands. Returns the exit code. */
export async function runOwn(name, args, env = process.env) {
  const command = OWN_COMMANDS[name]
  const options = Object.fromEntries(
    Object.keys(command.flags).map((flag) => [
      flag,
      SWITCHES.includes(flag) ? { type: 'boolean' } : { type: 'string', multiple: REPEATED.includes(flag) },
    ]),
  )
  const shared = { help: { type: 'boolean', short: 'h' }, 'json-output': { type: 'boolean' } }
  let values
  try {
    values = parseArgs({ args, options: { ...options, ...shared } }).values
    if (values.help) {
      console.log(helpText(name))
      return 0
    }
    if (name === 'webhooks forward') requireForward(values, env)
    if (!env.API_KEY) throw new Error('API_KEY is required: an API key with the scope verify:read.')
  } catch (error) {
    console.error(`${error.message}\n\n${helpText(name)}`)
    return 2
  }
  const service = serviceOrigin(env)
  if (service.error !== undefined) {
    console.error(service.error)
    return 2
  }
  const call = (path, query) => readApi(service.origin, env.API_KEY, path, query)
  try {
    return await command.run(call, values, { args, env })
  } catch (error) {
    console.error(error.message)
    return error.exitCode ?? 3
  }
}

async function listVerifications(call, values) {
  const query = new URLSearchParams()
  for (const status of values.status ?? []) query.append('status', status)
  for (const flag of ['created-after', 'created-before', 'credential-type', 'limit', 'after']) {
    if (values[flag] !== undefined) query.append(flag.replaceAll('-', '_'), values[flag])
  }
  for (const pair of values.metadata ?? []) {
    const [key, ...rest] = pair.split('=')
    query.append(`metadata.${key}`, rest.join('='))
  }
  const page = await call('/v1/verify', query)
  console.log(values['json-output'] ? json(page, 2) : readable(page))
  return 0
}

async function forward(call, values, { args, env }) {
  const signatureHeaders = await loadSigning()
  // The sources are TypeScript, which an older Node does not read.
  if (signatureHeaders === undefined) {
    const rerun = ['webhooks', 'forward', ...args]
    return runProgram('scripts/admin.mjs', rerun, { stdio: 'inherit', env }).status ?? 1
  }
  return follow(call, values, async (event) => {
    const body = JSON.stringify(event)
    const signing = { body, secrets: [env.WEBHOOK_SECRET], eventId: event.event_id, now: Date.now() }
    const headers = { 'content-type': 'application/json', ...(await signatureHeaders(signing)) }
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const init = { method: 'POST', body, headers, redirect: 'manual', signal }
    const result = await fetch(values.to, init).then(
      async (response) => `HTTP ${response.status} ${(await response.text()).slice(0, 200)}`.trim(),
      (error) => error.cause?.message ?? error.message,
    )
    console.log(plainLine(`${event.event_type} ${event.verification_id}: ${result}`))
  })
}

async function loadSigning() {
  try {
    return (await import('../../src/webhook/signature.ts')).signatureHeaders
  } catch (error) {
    if (error.code === 'ERR_UNKNOWN_FILE_EXTENSION') return undefined
    throw error
  }
}

function requireForward({ to }, env) {
  if (to === undefined) throw new Error('--to is required.')
  if (!URL.canParse(to)) throw new Error('--to must be an address, such as http://localhost:3000/hook.')
  if (!env.WEBHOOK_SECRET) throw new Error('WEBHOOK_SECRET is required: the secret of the webhook.')
}

function helpText(name) {
  const { does, flags } = OWN_COMMANDS[name]
  const rows = Object.entries(flags).map(([flag, words]) => `  --${flag.padEnd(17)}${words}`)
  return [`npm run admin -- ${name}: ${does}`, '', ...rows].join('\n')
}
