// `request_options` of a session (CONTRACT 2, 5): what was asked for, else what the settings prefer, else the protocol's
// default; never anything that the protocol does not have.

import type { ProtocolId } from '../openid4vp/generation.ts'
import { PROTOCOLS } from '../openid4vp/protocols/index.ts'
import type { RequestOptions } from '../relying-party/settings.ts'
import { err, ok, type Result } from '../result.ts'
import type { StoredRequest } from '../session/document.ts'
import type { FieldError } from './problems.ts'

/** The options a session is made with. */
export type Options = StoredRequest['request_options']

/** Chooses the options. A preference of the settings that the protocol does not have is passed over; a wish is refused. */
export function requestOptions(
  protocolId: ProtocolId,
  asked: CreateOptions,
  preset: RequestOptions,
): Result<Options, FieldError> {
  const protocol = PROTOCOLS[protocolId]
  const client_id_prefix = choose(protocol.clientIdPrefixes, asked.client_id_prefix, preset.client_id_prefix)
  const response_mode = choose(protocol.responseModes, asked.response_mode, preset.response_mode)
  const request_uri_method = choose(
    protocol.requestUriMethods,
    asked.request_uri_method,
    preset.request_uri_method,
  )
  if (client_id_prefix === undefined) return refused('client_id_prefix', protocolId)
  if (response_mode === undefined) return refused('response_mode', protocolId)
  if (request_uri_method === undefined) return refused('request_uri_method', protocolId)
  return ok({ client_id_prefix, response_mode, request_uri_method })
}

/** What was asked for, where the protocol has it; else the first that is had of the preference and the protocol's default. */
function choose<T>(offered: readonly T[], asked: T | undefined, preset: T | undefined): T | undefined {
  if (asked !== undefined) return offered.includes(asked) ? asked : undefined
  return preset !== undefined && offered.includes(preset) ? preset : offered[0]
}

function refused(name: keyof Options, protocolId: ProtocolId): Result<never, FieldError> {
  const message = `is not one that ${protocolId} has`
  return err({ pointer: `/request_options/${name}`, code: 'not_in_protocol', message })
}

type CreateOptions = { readonly [Name in keyof Options]?: Options[Name] | undefined }
