// What the service needs to know of one OpenID4VP version in the redirect flow (CONTRACT 5). Each protocol is one module, so
// that no member of one version ever stands in a message of another. Whatever a version calls things on the wire, an answer
// becomes presentations by credential query id here, and is verified alike from there on.

import type { JsonObject } from '../../codec/json.ts'
import type { Result } from '../../result.ts'
import type { TrustAnchor } from '../../trust/anchor.ts'
import type { PresentationResponse } from '../authorization-response.ts'
import type { ClientIdPrefix } from '../client-identifier.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import type { RequestUriMethod, ResponseMode } from '../generation.ts'
import type { RequestObjectInput } from '../request-object.ts'
import type { PresentationGroup, VpTokenRejection } from '../vp-token.ts'

/** One protocol. The first of each list is the default. */
export type Protocol = {
  /** How the verifier may be named, in the words of OpenID4VP 1.0 §5.9.3. */
  readonly clientIdPrefixes: readonly ClientIdPrefix[]
  readonly responseModes: readonly ResponseMode[]
  readonly requestUriMethods: readonly RequestUriMethod[]
  /** URI schemes whose wallets speak this protocol; the first stands in the QR. */
  readonly walletSchemes: readonly string[]
  /** Whether the protocol has words for all that a query asks. */
  readonly canAsk: (query: DcqlQuery) => boolean
  /** Whether issuers that this trust anchor stands for may be known in the way it says. */
  readonly acceptsAnchor: (anchor: TrustAnchor) => boolean
  /** The claims of the Request Object. */
  readonly buildRequestObject: (input: RequestObjectInput) => JsonObject
  /** The presentations of an answer, by the credential query each one answers. Nothing about them is verified. */
  readonly readPresentations: (
    response: PresentationResponse,
    query: DcqlQuery,
  ) => Result<readonly PresentationGroup[], VpTokenRejection>
}
