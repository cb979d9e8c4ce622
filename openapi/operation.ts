// One route of the description. Callers, path parameters and the problems of tokens, bodies and queries are
// derived from the route.

import type * as z from 'zod/mini'
import type { OAuthErrors } from '../src/routes/edge/cloudflare.ts'
import type { ProblemCode } from '../src/routes/edge/problems.ts'
import type { ProofError } from '../src/routes/oidc/dpop.ts'
import type { OidcError, RequestError } from '../src/routes/oidc/responses.ts'
import type { WALLET_ERRORS } from '../src/routes/wallet/wallet-errors.ts'
import type { ComponentName } from './components.ts'

export type Operation = {
  /** `operationId`: the name of a function in generated clients. */
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** Schema of the query string. */
  readonly query?: z.ZodMiniType
  /** Further parameters, by their names in parameters.ts. */
  readonly parameters?: readonly ParameterName[]
  /** `optional`: a call without a body is accepted too. */
  readonly body?:
    | { readonly json: ComponentName; readonly optional?: true }
    | { readonly form: ComponentName }
  /** Responses other than errors, by status. */
  readonly responses: Readonly<Record<number, OperationResponse>>
  /** Problems beyond those of the caller, body, query and path. */
  readonly problems?: readonly ProblemCode[]
  readonly walletErrors?: readonly (keyof typeof WALLET_ERRORS)[]
  readonly tokenErrors?: readonly (keyof OAuthErrors['token'])[]
  readonly oidcErrors?: readonly (OidcError | RequestError)[]
  /** Errors of a proof at UserInfo. */
  readonly proofErrors?: readonly ProofError[]
}

export type OperationResponse = {
  readonly description: string
  /** Schemas of a JSON body; it matches one of them. */
  readonly json?: readonly ComponentName[]
  /** Media type of that body. Default: `application/json`. */
  readonly type?: string
  /** Examples of other bodies, by media type; null for an image. */
  readonly other?: Readonly<Record<string, string | object | null>>
  readonly headers?: readonly HeaderName[]
}

export type ParameterName = 'idempotencyKey' | 'operatorName' | 'size' | 'proof'
export type HeaderName =
  | 'Location'
  | 'Idempotent-Replayed'
  | 'X-QR-Expires-At'
  | 'Retry-After'
  | 'WWW-Authenticate'
