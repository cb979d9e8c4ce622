// Reads and opens a response by its request: the form by the channel, decryption, and the presentations in it
// (OpenID4VP 1.0 §8.2, §8.3, Appendix A.4). Nothing is verified here.

import { isTooMuchJson, type JsonObject, member, parseJsonObject } from '../../../src/codec/json.ts'
import { boundTo, namedRequest, openResponse } from '../../../src/exchange/open-response.ts'
import type { EvaluationReason } from '../../../src/exchange/unchecked.ts'
import type { RequestBinding } from '../../../src/formats/verification/format.ts'
import { parsePairs } from '../../../src/net/form.ts'
import { DC_API_PROTOCOLS, parseDcApiResponse } from '../../../src/openid4vp/dc-api.ts'
import type { DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import type { Protocol } from '../../../src/openid4vp/protocols/protocol.ts'
import {
  type AuthorizationResponse,
  parseAuthorizationResponse,
  type WalletErrorResponse,
} from '../../../src/openid4vp/response/authorization-response.ts'
import { RESPONSE_DEPTH, RESPONSE_LIMIT } from '../../../src/openid4vp/response/response-encryption.ts'
import type { PresentationGroup } from '../../../src/openid4vp/response/vp-token.ts'
import { err, ok, type Result } from '../../../src/result.ts'
import type { StoredRequest } from './stored-request.ts'

/** A response by its channel. `data` is JSON text. */
export type Posted =
  | { readonly protocol: null; readonly parameters: ReadonlyMap<string, string> }
  | { readonly protocol: (typeof DC_API_PROTOCOLS)[number]; readonly data: string }

/** Reads a response by the channel of its request. Nothing in it is decrypted. */
export function readPosted(
  response: unknown,
  channel: StoredRequest['channel'],
): Result<Posted, 'malformed_response' | 'limit_exceeded'> {
  return channel.kind === 'redirect' ? readForm(response) : readCredential(response)
}

/** Reads a posted body. A repeated parameter is refused (RFC 6749 §3.1). */
function readForm(response: unknown): Result<Posted, 'malformed_response' | 'limit_exceeded'> {
  const text = response instanceof URLSearchParams ? response.toString() : response
  if (typeof text !== 'string') return err('malformed_response')
  if (text.length > FORM_LIMIT) return err('limit_exceeded')
  const pairs = parsePairs(text)
  const parameters = new Map(pairs)
  if (pairs === undefined || parameters.size < pairs.length) return err('malformed_response')
  return ok({ protocol: null, parameters })
}

/** Most characters of a form: the response, and parameters beside it. */
const FORM_LIMIT = RESPONSE_LIMIT + 16 * 1024

/** Reads the credential of a browser: an object with `protocol` and `data`, or its JSON text. */
function readCredential(response: unknown): Result<Posted, 'malformed_response' | 'limit_exceeded'> {
  const text = typeof response === 'string' ? response : toJson(response)
  if (text === undefined) return err('malformed_response')
  const parsed = parseJsonObject(text, { length: FORM_LIMIT, depth: RESPONSE_DEPTH + 1 })
  if (!parsed.ok) return err(isTooMuchJson(parsed.error) ? 'limit_exceeded' : 'malformed_response')
  // The library makes no multi-signed request, so no response can be for one.
  const offered = DC_API_PROTOCOLS.filter((id) => id !== 'openid4vp-v1-multisigned')
  const protocol = offered.find((id) => id === member(parsed.value, 'protocol'))
  const data = toJson(member(parsed.value, 'data'))
  if (protocol === undefined || data === undefined) return err('malformed_response')
  return ok({ protocol, data })
}

/** Returns the JSON text of an object; `undefined` for any other value, such as one with a cycle. */
function toJson(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    // A `DigitalCredential` of a browser has its members as getters, which JSON leaves out.
    const { protocol, data } = value as JsonObject
    const isCredential = typeof protocol === 'string' && typeof data === 'object'
    return JSON.stringify(isCredential ? { protocol, data } : value)
  } catch {
    return undefined
  }
}

/** The request of a response of OpenID4VP. */
export type OpenedBy = {
  readonly keys: NonNullable<StoredRequest['openid4vp']>
  readonly channel: StoredRequest['channel']
  readonly query: DcqlQuery
  readonly protocol: Protocol
}

/** Presentations by credential query, and what they must be bound to; or an error of the wallet. */
export type OpenedResponse =
  | {
      readonly kind: 'presentations'
      readonly groups: readonly PresentationGroup[]
      readonly bound: Pick<RequestBinding, 'audience' | 'handover'>
    }
  | Pick<WalletErrorResponse, 'kind' | 'error'>

/** Opens a response of OpenID4VP. The response must name the request. */
export async function openPosted(
  posted: Posted,
  { keys, channel, query, protocol }: OpenedBy,
): Promise<Result<OpenedResponse, EvaluationReason>> {
  const parsed = parsePosted(posted, { responseMode: keys.responseMode, ...protocol.responseEncryption })
  if (!parsed.ok) return parsed
  const isDcApi = channel.kind === 'dc_api'
  // A plain response in the Digital Credentials API names no request. The nonce is compared later.
  if (parsed.value.kind === 'encrypted' || !isDcApi) {
    const named = namedRequest(parsed.value)
    if (named === undefined) return err('unknown_encryption_key')
    if (named.handle !== keys[named.kind]) return err(named.unknown)
  }
  const opened = await openResponse(parsed.value, async () => ({
    ...keys,
    isDcApi,
    openKey: async () => keys.key,
  }))
  if (!opened.ok) return opened
  const { open, ...encryption } = opened.value
  if (open.kind === 'wallet_error') return ok(open)
  const groups = protocol.parsePresentations(open, { query, language: 'dcql', nonce: keys.nonce })
  if (!groups.ok) return err(groups.error.reason)
  return ok({ kind: 'presentations', groups: groups.value, bound: boundTo(channel, encryption, protocol) })
}

function parsePosted(
  posted: Posted,
  rules: Parameters<typeof parseAuthorizationResponse>[1],
): Result<AuthorizationResponse, EvaluationReason> {
  if (posted.protocol === null) {
    const parsed = parseAuthorizationResponse(posted.parameters, rules)
    return parsed.ok ? parsed : err(parsed.error.reason)
  }
  const data = parseJsonObject(posted.data, { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH })
  if (!data.ok) return err(isTooMuchJson(data.error) ? 'limit_exceeded' : 'malformed_response')
  const parsed = parseDcApiResponse(data.value, rules)
  return parsed.ok ? parsed : err(parsed.error.reason)
}
