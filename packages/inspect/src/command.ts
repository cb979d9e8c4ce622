// The command `inspect`. It reads files, and opens no connection.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type InspectInput, inspect, UnreadableInputError } from './inspect.ts'
import { INPUT } from './limits.ts'
import { exitStatus, showText } from './text.ts'

const USAGE = `inspect FILE|TEXT|- [--response FILE|TEXT] [options]

A request link, Request Object, vp_token, credential, DeviceResponse, certificate chain, status list, trust
list, receipt or container of evidence: a file, a text, or - for the standard input.

--response  a response to the request: says what a verifier decides, and why
--key       file with the private key of the request, or keys that made a signature (JWK or JWK Set)
--anchors   file with trusted issuers (PEM or JSON); without it, the issuer in the response is taken as trusted
--list      file with a status list; may be repeated
--origin    origin of the page, for requests of the Digital Credentials API
--haip      the verifier follows HAIP 1.0
--at TIME   RFC 3339, as 2031-01-31T12:00:00Z; default: now, or the time of the request
--json      the report as JSON

Exit status: 0 nothing fails; 1 a check fails, or the response is not accepted; 2 the input cannot be read.
`

/** Output of the command, and its standard input. */
export type Streams = {
  readonly write: (text: string) => void
  readonly error: (text: string) => void
  readonly readInput: () => Uint8Array
}

/** Runs the command with its arguments. Returns the exit status. Never throws for bad input. */
export async function run(args: readonly string[], streams: Streams): Promise<0 | 1 | 2> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        response: { type: 'string' },
        key: { type: 'string' },
        anchors: { type: 'string' },
        list: { type: 'string', multiple: true },
        origin: { type: 'string' },
        haip: { type: 'boolean' },
        at: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) {
      streams.write(USAGE)
      return 0
    }
    const [input, ...others] = positionals
    if (input === undefined || others.length > 0) throw new UsageError('name one input')
    const report = await inspect({ input: read(input, streams), ...optionsOf(values, streams) })
    streams.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : showText(report))
    return exitStatus(report)
  } catch (error) {
    return explain(error, streams)
  }
}

class UsageError extends Error {}

type Values = {
  readonly [name in 'response' | 'key' | 'anchors' | 'origin' | 'at']?: string | undefined
} & { readonly list?: readonly string[] | undefined; readonly haip?: boolean | undefined }

function optionsOf(values: Values, streams: Streams): Omit<InspectInput, 'input'> {
  const { response, key, anchors, list, origin, haip, at } = values
  if (at !== undefined && !(RFC_3339.test(at) && Number.isFinite(Date.parse(at))))
    throw new UsageError('--at must be a time of RFC 3339, as 2031-01-31T12:00:00Z')
  return {
    ...(response !== undefined && { response: read(response, streams) }),
    ...(key !== undefined && { keys: readText(key) }),
    ...(anchors !== undefined && { anchors: readText(anchors) }),
    ...(list !== undefined && { lists: list.map(readBytes) }),
    ...(origin !== undefined && { origin }),
    ...(haip === true && { haip }),
    ...(at !== undefined && { now: new Date(at) }),
  }
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** Characters of the longest path that is looked up. Any longer argument is a text. */
const PATH_CHARACTERS = 1024

/** Reads the standard input, a file, or the argument itself. */
function read(argument: string, { readInput }: Streams): string | Uint8Array {
  if (argument === '-') return readInput()
  const isFile = argument.length <= PATH_CHARACTERS && existsSync(argument)
  return isFile ? readBytes(argument) : argument
}

function readBytes(path: string): Uint8Array {
  if (statSync(path).size > INPUT.bytes) throw new UnreadableInputError(`${path} has more than 64 MiB`)
  return readFileSync(path)
}

function readText(path: string): string {
  return Buffer.from(readBytes(path)).toString('utf8')
}

function explain(error: unknown, streams: Streams): 2 {
  const { message, code } = error as Error & { readonly code?: string }
  const isUsage = error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS') === true
  streams.error(`${message}\n${isUsage ? `\n${USAGE}` : ''}`)
  return 2
}
