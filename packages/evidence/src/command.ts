// The command `evidence`: open, verify and show. It reads and writes files, and opens no connection.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { JWK } from 'jose'
import { openEnvelope } from './open.ts'
import { type Check, exitStatus } from './report.ts'
import { LIMITS, printable, printableJson, showHtml, showText } from './show.ts'
import { readTrust } from './trust.ts'
import { type VerifyOptions, verifyContainer } from './verify.ts'
import { UnreadableError, ZIP_LIMITS } from './zip-reader.ts'

const USAGE = `evidence open envelope.json --key private.jwk [--materials DIR] -o case.asice
evidence verify case.asice [--trust trust.json] [--receipt receipt.jwt] [--at TIME] [--json]
evidence show case.asice [--html] [--trust trust.json] [--at TIME]

Exit status: 0 everything was checked and is trusted; 1 something fails; 2 the file cannot be read;
3 everything was checked, but something rests on the container alone.
TIME is RFC 3339, for example 2031-01-31T12:00:00Z. Default: now.
`

/** Output of the command. */
export type Output = { readonly write: (text: string) => void; readonly error: (text: string) => void }

/** Runs the command with its arguments. Returns the exit status. Never throws for bad input. */
export async function run(args: readonly string[], output: Output): Promise<0 | 1 | 2 | 3> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        key: { type: 'string' },
        materials: { type: 'string' },
        output: { type: 'string', short: 'o' },
        trust: { type: 'string' },
        receipt: { type: 'string' },
        at: { type: 'string' },
        json: { type: 'boolean' },
        html: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const [command, file, ...rest] = positionals
    if (values.help) {
      output.write(USAGE)
      return 0
    }
    if (file === undefined || rest.length > 0) throw new UsageError('name one file')
    if (command === 'open') return await open(file, values, output)
    if (command === 'verify') return await verify(file, values, output)
    if (command === 'show') return await show(file, values, output)
    throw new UsageError(`the command ${command} is not known`)
  } catch (error) {
    return report(error, output)
  }
}

class UsageError extends Error {}

function report(error: unknown, output: Output): 2 {
  const { message, code } = error as Error & { readonly code?: string }
  const isUsage = error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS') === true
  output.error(`${printable(message)}\n${isUsage ? `\n${USAGE}` : ''}`)
  return 2
}

type Values = {
  readonly [name in 'key' | 'materials' | 'output' | 'trust' | 'receipt' | 'at']?: string | undefined
} & {
  readonly [name in 'json' | 'html']?: boolean | undefined
}

async function open(file: string, { key, materials, output: path }: Values, output: Output): Promise<0 | 3> {
  if (key === undefined || path === undefined) throw new UsageError('open needs --key and -o')
  const opened = await openEnvelope(readText(file), readKeys(readText(key)), findIn(materials))
  writeFileSync(path, opened.zip)
  for (const digest of opened.missing) output.error(`the material ${digest} is missing\n`)
  if (opened.timeStamp === 'owed') output.error('the time stamp is not there yet: fetch the envelope again\n')
  return opened.missing.length > 0 || opened.timeStamp === 'owed' ? 3 : 0
}

async function verify(file: string, values: Values, output: Output): Promise<0 | 1 | 3> {
  const { report: found } = await verifyContainer(readBytes(file), optionsOf(values))
  if (values.json) output.write(`${printableJson(found)}\n`)
  else {
    for (const check of found.checks) output.write(`${printable(lineOf(check))}\n`)
    output.write(`\n${found.result}\n\n${LIMITS.join('\n')}\n`)
  }
  return exitStatus(found)
}

async function show(file: string, values: Values, output: Output): Promise<0 | 1 | 3> {
  const verified = await verifyContainer(readBytes(file), optionsOf(values))
  output.write(values.html ? showHtml(verified) : showText(verified))
  return exitStatus(verified.report)
}

const WORDS = { pass: 'pass', fail: 'FAIL', not_in_evidence: 'not in the evidence' } as const

function lineOf({ id, result, file, clause, detail }: Check): string {
  const more = [file, clause && `(${clause})`, detail && `- ${detail}`].filter(Boolean).join(' ')
  return `${WORDS[result].padEnd(20)} ${id.padEnd(22)} ${more}`.trimEnd()
}

function optionsOf({ trust, receipt, at }: Values): VerifyOptions {
  const time = at === undefined ? undefined : Date.parse(at)
  if (time !== undefined && !(RFC_3339.test(at ?? '') && Number.isFinite(time)))
    throw new UsageError('--at must be a time of RFC 3339, as 2031-01-31T12:00:00Z')
  return {
    ...(trust !== undefined && { trust: readTrust(readText(trust)) }),
    ...(receipt !== undefined && { receipt: readText(receipt) }),
    ...(time !== undefined && { at: Math.floor(time / 1000) }),
  }
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** Reads a JWK or a JWK Set. */
function readKeys(text: string): readonly JWK[] {
  try {
    const value = JSON.parse(text) as JWK | { readonly keys: readonly JWK[] }
    return 'keys' in value && Array.isArray(value.keys) ? value.keys : [value as JWK]
  } catch {
    throw new UnreadableError('the file of --key must be a JWK or a JWK Set')
  }
}

/** Finds materials by the names of files in a folder. The digest is checked later. */
function findIn(folder: string | undefined) {
  const names = folder === undefined ? [] : readdirSync(folder)
  return (digest: string) => {
    const name = names.find((one) => one.toLowerCase().startsWith(digest))
    return folder === undefined || name === undefined ? undefined : readBytes(join(folder, name))
  }
}

function readBytes(path: string): Uint8Array {
  if (statSync(path).size > 2 * ZIP_LIMITS.bytes) throw new UnreadableError(`${path} is too large`)
  return readFileSync(path)
}

function readText(path: string): string {
  return Buffer.from(readBytes(path)).toString('utf8')
}
