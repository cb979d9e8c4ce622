// Rules of a request that is passed by value (R16). The linter of signed requests checks the common rules;
// these are the rules of an unsigned request. No code of the service is used.

import { createRequestLinter, type ObservedRequest, type Violation } from './request-linter.ts'
import { isObject, isSubset, type Loose, type Rule } from './request-rules.ts'

/** One request by value. It consists of its URI only. */
export type ObservedByValue = Pick<ObservedRequest, 'uri' | 'now' | 'protocol' | 'asksTransactionData'>

/** Members of a signature, of a JWT, or for fetching a JWT. */
const SIGNED_ONLY = ['R8', 'R9', 'R10', 'R12', 'R13', 'R15', 'R17', 'R18', 'R19', 'R20', 'R21', 'R29']
const PARAMETERS = ['response_type', 'response_mode', 'client_id', 'response_uri', 'nonce', 'state']
const IN_JSON = ['dcql_query', 'client_metadata', 'transaction_data']

/** Makes a linter. It remembers keys and nonces, as both must be fresh for each request. */
export function createByValueLinter(): (request: ObservedByValue) => Promise<Violation[]> {
  const lint = createRequestLinter()
  return async (observed) => {
    const { searchParams: outer } = new URL(observed.uri)
    const claims = readParameters(outer)
    const unsigned = [{ alg: 'none' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const common = await lint({ ...observed, requestObject: `${unsigned.join('.')}.` })
    const own = RULES.filter(([, , holds]) => holds({ ...observed, outer, claims } as never) !== true)
    return [
      ...common.filter(({ rule }) => !SIGNED_ONLY.includes(rule)),
      ...own.map(([rule, message]) => ({ rule, message })),
    ]
  }
}

const RULES: readonly Rule[] = [
  [
    'R16',
    'the URI holds the parameters, once each, and neither a Request Object nor where to fetch one (§5.9.3)',
    ({ outer }) => isSubset([...outer.keys()], [...PARAMETERS, ...IN_JSON]),
  ],
  [
    'R16',
    'client_id is redirect_uri: and the response_uri, letter by letter (§5.9.3)',
    ({ claims }) => claims.client_id === `redirect_uri:${claims.response_uri}`,
  ],
  [
    'R16',
    'all that is known of the verifier is in client_metadata, as JSON (§5.9.3)',
    ({ claims }) => isObject(claims.client_metadata),
  ],
  [
    'R16',
    'the URI is one, and fits a QR',
    ({ uri }) => /^[a-z0-9-]+:\/\/\?[\w\-.~!$'()*,;:@/?%&=]+$/.test(uri) && uri.length <= 2953,
  ],
]

/** §5: in a URI, JSON is text. A text that is not JSON stays unchanged, so that a rule reports it. */
function readParameters(outer: URLSearchParams): Loose {
  return Object.fromEntries(
    [...outer].map(([name, text]) => [name, IN_JSON.includes(name) ? readJson(text) : text]),
  )
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
