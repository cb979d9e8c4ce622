// Form bodies (application/x-www-form-urlencoded), strictly: limited in size, UTF-8, no parameter twice (RFC
// 6749 §3.1). The platform's parser repairs broken escapes and keeps the last of two values. Two readers
// could then see different values.

import { decodeUtf8 } from '../../codec/bytes.ts'
import { err, ok, type Result } from '../../result.ts'
import { type BodyError, readBody } from './request-body.ts'

/** Why a body is rejected. */
export type FormError =
  | Exclude<BodyError, 'unreadable'>
  | 'unsupported_media_type'
  | 'malformed'
  | 'duplicate_parameter'

/** A form, and its bytes. */
export type Form = {
  readonly parameters: ReadonlyMap<string, string>
  readonly bytes: Uint8Array<ArrayBuffer>
}

const PARAMETER_LIMIT = 32

/** Reads a form of at most `limit` bytes. An empty body is an empty form, whatever its type. */
export async function readForm(request: Request, limit: number): Promise<Result<Form, FormError>> {
  const read = await readBody(request, limit, 'anyone')
  if (!read.ok) return err(read.error === 'unreadable' ? 'malformed' : read.error)
  const bytes = read.value
  if (bytes.length === 0) return ok({ parameters: new Map(), bytes })
  if (!isForm(request.headers.get('Content-Type'))) return err('unsupported_media_type')
  const text = decodeUtf8(bytes)
  if (text === undefined) return err('malformed')
  const parameters = parseForm(text)
  return parameters.ok ? ok({ parameters: parameters.value, bytes }) : parameters
}

/** Parses the text of a form. */
function parseForm(text: string): Result<ReadonlyMap<string, string>, FormError> {
  const pairs = text.split('&').filter((pair) => pair !== '')
  if (pairs.length > PARAMETER_LIMIT) return err('malformed')
  const parameters = new Map<string, string>()
  for (const pair of pairs) {
    const split = pair.indexOf('=')
    const name = decodeFormText(split < 0 ? pair : pair.slice(0, split))
    const value = decodeFormText(split < 0 ? '' : pair.slice(split + 1))
    if (name === undefined || value === undefined) return err('malformed')
    if (parameters.has(name)) return err('duplicate_parameter')
    parameters.set(name, value)
  }
  return ok(parameters)
}

/** Decodes one name or value of a form; `undefined` for broken escapes, and for bytes that are not UTF-8. */
export function decodeFormText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined // a broken escape, or escaped bytes that are not UTF-8
  }
}

function isForm(contentType: string | null): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType?.trim() ?? '')
}
