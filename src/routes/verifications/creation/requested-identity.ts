// The verifier identity that signs the requests of a new session (api/creation, api/verifier).

import type { VerifierIdentity } from '../../../openid4vp/request/generation.ts'
import { verifierIdentity } from '../../../relying-party/verifier/verifier-identity.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Requester } from '../../../session/request/lowered-wallet.ts'
import { type RequestError, unsatisfiable } from '../../edge/problems.ts'
import type { Options } from './request-options.ts'

/** Loads the identity that signs the requests; null for unsigned requests. */
export async function requestedIdentity(
  { client_id_prefix: prefix }: Options,
  { config, settings, ...rest }: Requester & { readonly use: string | undefined },
): Promise<Result<VerifierIdentity | null, RequestError>> {
  if (prefix === null) return ok(null)
  const identity = await verifierIdentity(config, settings, { prefix, ...rest })
  if (identity.ok) return identity
  const { error: code } = identity
  return err(unsatisfiable({ pointer: '/request_options/client_id_prefix', code, message: code }))
}
