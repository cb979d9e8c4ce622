// Errors of the description, from the tables that the service uses. describe.ts names the errors of each
// operation.

import errors from '../assets/oauth-errors.json' with { type: 'json' }
import { PROBLEMS, type ProblemCode } from '../src/routes/edge/problems.ts'
import { WALLET_ERRORS } from '../src/routes/wallet/wallet-errors.ts'

type DescribedError = {
  readonly status: number
  readonly schema: 'Problem' | 'OAuthError'
  readonly type: 'application/problem+json' | 'application/json'
  readonly value: object
}

type Response = { readonly description: string; readonly content?: object }
type Operation = {
  readonly errors: readonly string[]
  readonly responses: Readonly<Record<string, Response>>
}
type DescribedRoutes = {
  readonly paths: Readonly<Record<string, object>>
  readonly components: { readonly examples: object }
}

/** Adds the errors: a response for each status of an operation, and an example of each error. */
export function withErrors(description: DescribedRoutes) {
  const paths = mapValues(description.paths, (item) => mapValues(item as Record<string, Operation>, complete))
  const examples = { ...description.components.examples, ...mapValues(ERRORS, ({ value }) => ({ value })) }
  return { ...description, paths, components: { ...description.components, examples } }
}

/** Error of one member, as `invalid_request` lists it. */
const FIELD_ERROR = { pointer: '/expires_in', code: 'too_small', message: 'must be at least 60' }

/**
 * By name: the code of a problem, `wallet.<kind>` for wallets, `token.<kind>` and `oidc.<kind>` for OAuth
 * clients, `userinfo.<kind>` for errors of a proof at UserInfo.
 */
const ERRORS: Readonly<Record<string, DescribedError>> = {
  ...mapValues(PROBLEMS, ({ status, title, retryable }, code) => ({
    status,
    schema: 'Problem',
    type: 'application/problem+json',
    value: {
      type: `https://verifier.example/problems/${code}`,
      title,
      status,
      detail: title,
      code,
      request_id: 'req_8fKx2LmQ9sVt4YbZ1nWc3d',
      retryable,
      errors: (code as ProblemCode) === 'invalid_request' ? [FIELD_ERROR] : [],
    },
  })),
  ...oauth('wallet', described(WALLET_ERRORS, errors.wallet)),
  ...oauth('token', errors.token),
  ...oauth('oidc', { ...errors.oidc, ...errors.request }),
  // RFC 9449 §7.1: UserInfo answers a bad proof with a challenge.
  ...oauth(
    'userinfo',
    mapValues(proofErrors(), (row) => ({ ...row, status: 401 })),
  ),
}

/** Adds the descriptions of a table. */
function described<Name extends string, Row extends object>(
  rows: Readonly<Record<Name, Row>>,
  texts: Readonly<Record<Name, string>>,
): Record<string, Row & { readonly description: string }> {
  return mapValues(rows, (row: Row, name) => ({ ...row, description: texts[name as Name] }))
}

type OAuthErrors = Readonly<
  Record<string, { readonly status: number; readonly error: string; readonly description: string }>
>

function proofErrors(): OAuthErrors {
  const { proof_key: _, ...rows } = errors.oidc
  return Object.fromEntries(Object.entries(rows).filter(([, row]) => row.error === 'invalid_dpop_proof'))
}

function oauth(caller: string, errors: OAuthErrors): Readonly<Record<string, DescribedError>> {
  const entries = Object.entries(errors).map(([kind, { status, error, description }]) => {
    const value = { error, error_description: description }
    return [`${caller}.${kind}`, { status, schema: 'OAuthError', type: 'application/json', value }]
  })
  return Object.fromEntries(entries)
}

function complete({ errors, responses, ...operation }: Operation) {
  const completed: Record<string, Response> = { ...responses }
  for (const name of errors) {
    const { status, type, schema } = errorOf(name)
    const { description = 'Error.', content = {} } = completed[status] ?? {}
    const media = (content as Record<string, { readonly examples?: object }>)[type]
    const examples = { ...media?.examples, [name]: { $ref: `#/components/examples/${name}` } }
    const described = { schema: { $ref: `#/components/schemas/${schema}` }, examples }
    completed[status] = { ...completed[status], description, content: { ...content, [type]: described } }
  }
  return { ...operation, responses: completed }
}

function errorOf(name: string): DescribedError {
  const error = ERRORS[name]
  if (error === undefined) throw new Error(`no error is called ${name}`)
  return error
}

function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
}
