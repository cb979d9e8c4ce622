// Strict parser for form bodies (application/x-www-form-urlencoded). A body is limited in size, must be
// UTF-8, and must not repeat a parameter (RFC 6749 §3.1). The platform's parser repairs broken escapes and
// keeps the last of two values. Another parser could then read other values from the same body.

import { decodeBase64 } from '../../codec/base64url.ts'
import { decodeUtf8 } from '../../codec/bytes.ts'
import { decodeFormText, type FormPairs, parsePairs } from '../../net/form.ts'
import { err, ok, type Result } from '../../result.ts'
import { type BodyError, readBody } from './request-body.ts'

/** Reasons for which a body is rejected. */
export type FormError =
  | Exclude<BodyError, 'unreadable'>
  | 'unsupported_media_type'
  | 'malformed'
  | 'duplicate_parameter'

/** The parameters of a form, and the bytes of its body. */
export type Form = {
  readonly parameters: ReadonlyMap<string, string>
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Reads a form of at most `limit` bytes. An empty body is an empty form, even with another content type. */
export async function readForm(request: Request, limit: number): Promise<Result<Form, FormError>> {
  const read = await readPairs(request, limit)
  if (!read.ok) return read
  const { pairs, bytes } = read.value
  const parameters = new Map(pairs)
  return parameters.size < pairs.length ? err('duplicate_parameter') : ok({ parameters, bytes })
}

/** Reads a form that may repeat a parameter. */
export async function readPairs(
  request: Request,
  limit: number,
): Promise<
  Result<
    { readonly pairs: FormPairs; readonly bytes: Uint8Array<ArrayBuffer> },
    Exclude<FormError, 'duplicate_parameter'>
  >
> {
  const read = await readBody(request, limit, 'anyone')
  if (!read.ok) return err(read.error === 'unreadable' ? 'malformed' : read.error)
  const bytes = read.value
  if (bytes.length === 0) return ok({ pairs: [], bytes })
  if (!isForm(request.headers.get('Content-Type'))) return err('unsupported_media_type')
  const text = decodeUtf8(bytes)
  const pairs = text === undefined ? undefined : parsePairs(text)
  return pairs === undefined ? err('malformed') : ok({ pairs, bytes })
}

/** A client's id and secret. */
export type ClientCredentials = { readonly clientId: string; readonly clientSecret: string }

/**
 * Returns the id and the secret in a Basic header (RFC 7617 §2); `undefined` if the header is malformed.
 * OAuth encodes both parts as in a form before they are joined (RFC 6749 §2.3.1).
 */
export function parseBasic(header: string): ClientCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]{1,2048}={0,2}) *$/i.exec(header)?.[1]
  const bytes = encoded === undefined ? undefined : decodeBase64(encoded)
  const text = bytes === undefined ? undefined : decodeUtf8(bytes)
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon < 0) return undefined
  const clientId = decodeFormText(text.slice(0, colon))
  const clientSecret = decodeFormText(text.slice(colon + 1))
  return clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret }
}

function isForm(contentType: string | null): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType?.trim() ?? '')
}
