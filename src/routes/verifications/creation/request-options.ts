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
 * Chooses the options. A value in the settings that the session cannot have is ignored. A requested value
 * that the session cannot have is an error.
 */
export function requestOptions(
  body: Pick<
    CreateRequest,
    'protocol' | 'request_options' | 'required_assurance_level' | 'required_session_binding'
  >,
  settings: Pick<Settings, 'request_options' | 'by_value'>,
): Result<Options, RequestError> {
  const { protocol: protocolId, request_options: requested } = body
  const { request_options: preset } = settings
  const protocol = PROTOCOLS[protocolId]
  const forbidden = unsignedRefusal(body, settings)
  const prefixes = protocol.clientIdPrefixes.filter(
    (prefix) => forbidden === undefined || prefix !== 'redirect_uri',
  )
  const client_id_prefix = choose(prefixes, requested.client_id_prefix, preset.client_id_prefix)
  const response_mode = choose(protocol.responseModes, requested.response_mode, preset.response_mode)
  const request_uri_method = choose(
    protocol.requestUriMethods,
    requested.request_uri_method,
    preset.request_uri_method,
  )
  if (client_id_prefix === undefined) {
    const isKnown = protocol.clientIdPrefixes.some((prefix) => prefix === requested.client_id_prefix)
    return isKnown && forbidden ? err(unsatisfiable(forbidden)) : refused('client_id_prefix', protocolId)
  }
  if (response_mode === undefined) return refused('response_mode', protocolId)
  if (request_uri_method === undefined) return refused('request_uri_method', protocolId)
  if (client_id_prefix !== 'redirect_uri') return ok({ client_id_prefix, response_mode, request_uri_method })
  return requested.request_uri_method === undefined
    ? ok({ client_id_prefix, response_mode, request_uri_method: null })
    : err(unsatisfiable(NOT_FETCHED))
}

/**
 * Returns a warning if EUDI wallets refuse the request over the Digital Credentials API. By default, they
 * accept only requests for an encrypted response there.
 */
export function plainResponseWarning(
  protocol: ProtocolId,
  { client_id_prefix, response_mode }: Options,
): readonly FieldError[] {
  const isSigned = client_id_prefix !== 'redirect_uri'
  if (!PROTOCOLS[protocol].supportsDcApi || response_mode !== 'direct_post' || !isSigned) return []
  const code = 'browser_needs_encryption'
  return [{ pointer: '/request_options/response_mode', code, message: code }]
}

/**
 * Returns why the session must not have an unsigned request (prefix `redirect_uri`). The result of an
 * unsigned request has at most the level `low`, unless the session is bound to a browser.
 */
function unsignedRefusal(
  {
    required_assurance_level: level,
    required_session_binding: binding,
  }: Pick<CreateRequest, 'required_assurance_level' | 'required_session_binding'>,
  { by_value }: Pick<Settings, 'by_value'>,
): FieldError | undefined {
  if (!by_value) return NOT_BY_VALUE
  return level !== 'low' && binding === 'none' ? LOW_LEVEL_ONLY : undefined
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

const LOW_LEVEL_ONLY: FieldError = {
  pointer: '/request_options/client_id_prefix',
  code: 'low_level_only',
  message:
    'must not be `redirect_uri` above required_assurance_level `low` unless required_session_binding is set: ' +
    'anyone may answer the QR code of an unsigned request',
}

const NOT_FETCHED: FieldError = {
  pointer: '/request_options/request_uri_method',
  code: 'not_by_value',
  message: 'must be absent with client_id_prefix `redirect_uri`: a request by value is not fetched',
}
