// One route as the description has it. What follows from the route itself is not said again: who may call it (access.ts), the
// parameters of its path, and the problems that come with a caller, a body or a query.

import type * as z from 'zod/mini'
import type { ProblemCode } from '../src/routes/edge/problems.ts'
import type { TOKEN_ERRORS } from '../src/routes/settings/oauth-errors.ts'
import type { WALLET_ERRORS } from '../src/routes/wallet/wallet-errors.ts'
import type { ComponentName } from './components.ts'

export type Operation = {
  /** `operationId`: what generated clients call it. */
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** Schema of the query string. */
  readonly query?: z.ZodMiniType
  /** Further parameters, by their names in parameters.ts. */
  readonly parameters?: readonly ParameterName[]
  readonly body?: { readonly json: ComponentName } | { readonly form: ComponentName }
  /** What is answered when nothing is wrong, by status. */
  readonly answers: Readonly<Record<number, Answer>>
  /** Problems beside those that come with its caller, body, query and path. */
  readonly problems?: readonly ProblemCode[]
  readonly walletErrors?: readonly (keyof typeof WALLET_ERRORS)[]
  readonly tokenErrors?: readonly (keyof typeof TOKEN_ERRORS)[]
}

export type Answer = {
  readonly description: string
  /** JSON of one of these schemas. */
  readonly json?: readonly ComponentName[]
  /** Its media type, where it is not `application/json`. */
  readonly type?: string
  /** Something else, by its media type and an example; null for a picture of bytes, which no JSON shows. */
  readonly other?: Readonly<Record<string, string | object | null>>
  readonly headers?: readonly HeaderName[]
}

export type ParameterName = 'idempotencyKey' | 'size'
export type HeaderName =
  | 'Location'
  | 'Idempotent-Replayed'
  | 'X-QR-Expires-At'
  | 'Retry-After'
  | 'WWW-Authenticate'
