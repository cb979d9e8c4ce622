// Rules of every response below `request_uri` and `/callback`, checked from outside (api/protocols; OpenID4VP
// 1.0 §5.10, §8.2, §8.5). A wallet reads OAuth JSON for every error.

/** One answer as a wallet gets it. */
export type WalletResponse = {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** True for paths that wallets call. */
export function isWalletPath(path: string): boolean {
  return isRequestPath(path) || /^\/v1\/verify\/[^/]+\/callback$/.test(path)
}

/** Violations of the response: one sentence for each rule. */
export function lintWalletResponse(answer: WalletResponse): readonly string[] {
  return RULES.filter(([, holds]) => !holds(answer)).map(([rule]) => rule)
}

type Rule = readonly [rule: string, holds: (answer: WalletResponse) => boolean]

const MEDIA_TYPE = 'application/oauth-authz-req+jwt'
/** RFC 6749 §5.2. */
const ERROR_TEXT = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/
/** A JWS, or a JWE around one (RFC 9101 §4). */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$|^[\w-]+\.[\w-]*(\.[\w-]+){3}$/

export const NEVER_A_FAULT = 'is never a fault: of 5xx there is 503 alone'

const RULES: readonly Rule[] = [
  ['is never a redirect, nor anything below 200', ({ status }) => status === 200 || status >= 400],
  [NEVER_A_FAULT, ({ status }) => status < 500 || status === 503],
  ['is not stored', ({ headers }) => headers.get('cache-control') === 'no-store'],
  [
    'may be read by a page of any origin',
    ({ headers }) => headers.get('access-control-allow-origin') === '*',
  ],
  [
    'says when to try again',
    ({ status, headers }) => ![429, 503].includes(status) || /^\d+$/.test(headers.get('retry-after') ?? ''),
  ],
  ['names the methods there are', ({ status, headers }) => status !== 405 || headers.has('allow')],
  ['has no body where HEAD asked', ({ method, body }) => method !== 'HEAD' || body === ''],
  [
    'of 200 is the Request Object, or exactly {redirect_uri}',
    (answer) => answer.status !== 200 || (isRequestPath(answer.path) ? isRequest(answer) : isNext(answer)),
  ],
  [
    'of an error is OAuth JSON: error and error_description, neither empty',
    (answer) => answer.status === 200 || answer.method === 'HEAD' || isOauthError(answer),
  ],
]

function isRequestPath(path: string): boolean {
  return /^\/r(\/|$)/.test(path)
}

function isRequest({ headers, body }: WalletResponse): boolean {
  return headers.get('content-type') === MEDIA_TYPE && COMPACT.test(body)
}

/** Next address of the person's browser. It must not contain a token that opens the session. */
function isNext(answer: WalletResponse): boolean {
  const { redirect_uri, ...rest } = jsonOf(answer)
  return (
    typeof redirect_uri === 'string' &&
    Object.keys(rest).length === 0 &&
    URL.canParse(redirect_uri) &&
    /^#response_code=[\w-]{22,}$/.test(new URL(redirect_uri).hash) &&
    new URL(redirect_uri).search === ''
  )
}

function isOauthError(answer: WalletResponse): boolean {
  const { error, error_description, ...rest } = jsonOf(answer)
  const texts = [error, error_description]
  const others = Object.keys(rest).join()
  // The launcher refuses a connection without reading its request. Its body serves every caller.
  const isOfLauncher = answer.status === 503 && others === 'type,title,status,detail,code,retryable'
  return (
    texts.every((text) => typeof text === 'string' && ERROR_TEXT.test(text)) &&
    (others === '' || isOfLauncher)
  )
}

/** The members of a JSON object; none if it is anything else. */
function jsonOf({ headers, body }: WalletResponse): Readonly<Record<string, unknown>> {
  if (headers.get('content-type') !== 'application/json') return {}
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
