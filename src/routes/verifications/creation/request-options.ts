// `request_options` of a session (api/creation, api/protocols). Each option has the requested value, else the
// value in the settings, else the protocol's default. The protocol must support this value.

import type { CreateRequest } from '../../../api/requests.ts'
import { PROTOCOLS } from '../../../openid4vp/protocols/index.ts'
import type { ProtocolId } from '../../../openid4vp/request/generation.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { StoredRequest } from '../../../session/document/stored-request.ts'
import { type FieldError, type RequestError, unsatisfiable } from '../../edge/problems.ts'

/** The options of a session. */
export type Options = StoredRequest['request_options']

/**
 * Chooses the options. A value in the settings that the protocol does not support is ignored. A requested
 * value that the protocol does not support is an error.
 */
export function requestOptions(
  protocolId: ProtocolId,
  requested: CreateRequest['request_options'],
  { request_options: preset, by_value }: Pick<Settings, 'request_options' | 'by_value'>,
): Result<Options, RequestError> {
  const protocol = PROTOCOLS[protocolId]
  const prefixes = protocol.clientIdPrefixes.filter((prefix) => by_value || prefix !== 'redirect_uri')
  const client_id_prefix = choose(prefixes, requested.client_id_prefix, preset.client_id_prefix)
  const response_mode = choose(protocol.responseModes, requested.response_mode, preset.response_mode)
  const request_uri_method = choose(
    protocol.requestUriMethods,
    requested.request_uri_method,
    preset.request_uri_method,
  )
  if (client_id_prefix === undefined) {
    const isForbidden = protocol.clientIdPrefixes.some((prefix) => prefix === requested.client_id_prefix)
    return isForbidden ? err(unsatisfiable(NOT_BY_VALUE)) : refused('client_id_prefix', protocolId)
  }
  if (response_mode === undefined) return refused('response_mode', protocolId)
  if (request_uri_method === undefined) return refused('request_uri_method', protocolId)
  if (client_id_prefix !== 'redirect_uri') return ok({ client_id_prefix, response_mode, request_uri_method })
  return requested.request_uri_method === undefined
    ? ok({ client_id_prefix, response_mode, request_uri_method: null })
    : err(unsatisfiable(NOT_FETCHED))
}

/**
 * Returns the requested value; `undefined` if the protocol does not support it. If none is requested, returns
 * the supported value of the settings, or else the protocol's default. Returns `null` if the protocol does
 * not have this option.
 */
function choose<T>(
  offered: readonly T[],
  requested: T | undefined,
  preset: T | undefined,
): T | null | undefined {
  if (requested !== undefined) return offered.includes(requested) ? requested : undefined
  return preset !== undefined && offered.includes(preset) ? preset : (offered[0] ?? null)
}

function refused(name: keyof Options, protocolId: ProtocolId): Result<never, RequestError> {
  const message = `must be one that ${protocolId} supports`
  return err(unsatisfiable({ pointer: `/request_options/${name}`, code: 'not_in_protocol', message }))
}

const NOT_BY_VALUE: FieldError = {
  pointer: '/request_options/client_id_prefix',
  code: 'not_allowed',
  message:
    'must not be `redirect_uri` unless the settings have by_value: it passes the request by value, unsigned',
}

const NOT_FETCHED: FieldError = {
  pointer: '/request_options/request_uri_method',
  code: 'not_by_value',
  message: 'must be absent with client_id_prefix `redirect_uri`: a request by value is not fetched',
}
