// Decodes a message of the wallet protocols, and says what each part means and which signatures hold. With a
// request and its response it says what a verifier decides. Nothing is fetched.

import type { InspectInput } from '../types.d.ts'
import type { Context } from './context.ts'
import { compare } from './exchange/compare.ts'
import { type GivenKey, readKeys } from './keys.ts'
import { INPUT } from './limits.ts'
import { recognize } from './recognize.ts'
import { check, part, type Recognized, type Report, UnreadableInputError } from './report.ts'
import { readSource, type Source } from './source.ts'

export type { Check, CheckResult, InspectInput, Kind, Outcome, Part, Report, Row, Step } from '../types.d.ts'
export { UnreadableInputError } from './report.ts'

/**
 * Inspects an input. Throws `UnreadableInputError` if it cannot be read at all. Nothing of its content is
 * trusted: the texts of a report may be hostile, and are to be shown as texts only.
 *
 * @example
 * const { title, parts } = await inspect({ input: 'eyJ0eXAiOiJkYytzZC1qd3QiLCJhbGciOiJFUzI1NiJ9.…' })
 */
export async function inspect(input: InspectInput): Promise<Report> {
  const { response, lists = [], now = new Date() } = input
  if (Number.isNaN(now.getTime())) throw new UnreadableInputError('the time is no valid time')
  if (lists.length > INPUT.lists) throw new UnreadableInputError(`there are more than ${INPUT.lists} lists`)
  const keys = input.keys === undefined ? [] : readKeys(input.keys)
  const context: Context = { now: Math.floor(now.getTime() / 1000), keys }
  const source = readSource(input.input)
  const found = await recognize(source, context)
  if (response === undefined) return { ...found, outcome: null }
  return withResponse(found, source, { ...input, response }, context)
}

/** A response of an unknown form has an outcome too. */
async function recognizeResponse(source: Source, context: Context): Promise<Recognized> {
  try {
    return await recognize(source, context)
  } catch (error) {
    if (!(error instanceof UnreadableInputError)) throw error
    const form = check('form', 'fails', error.message)
    return { kind: 'response', title: 'Unknown form', parts: [part('content', null, [], [form])] }
  }
}

async function withResponse(
  found: Recognized,
  request: Source,
  input: InspectInput & { readonly response: string | Uint8Array },
  context: Context & { readonly keys: readonly GivenKey[] },
): Promise<Report> {
  const response = readSource(input.response)
  const answered = await recognizeResponse(response, context)
  const { anchors, origin, haip = false, lists = [], now } = input
  const outcome = await compare(request, response, {
    ...context,
    anchors,
    origin,
    haip,
    lists,
    isTimeGiven: now !== undefined,
  })
  const named = (of: string, { title, parts }: Recognized) =>
    parts.map((part) => ({ ...part, title: `${of} (${title}): ${part.title}` }))
  const parts = [...named('request', found), ...named('response', answered)]
  return { kind: found.kind, title: `${found.title} and its response`, parts, outcome }
}
