// What the service needs to know of one OpenID4VP version in the redirect flow (CONTRACT 5). Each protocol is one module, so
// that no member of one version ever stands in a message of another. Whatever a version calls things on the wire, an answer
// becomes presentations by credential query id here, and is verified alike from there on.

import type { JsonObject } from '../../codec/json.ts'
import type { PrivateJwk } from '../../crypto/jwk.ts'
import type { CredentialFormat, Handover } from '../../formats/format.ts'
import type { Result } from '../../result.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import type { ClientIdPrefix } from '../request/client-identifier.ts'
import type { QueryLanguage, RequestUriMethod, ResponseMode } from '../request/generation.ts'
import type { RequestObjectInput } from '../request/request-object.ts'
import type { PresentationResponse } from '../response/authorization-response.ts'
import type { EnvelopeRefusal } from '../response/refusal.ts'
import type { EncryptionRules } from '../response/response-encryption.ts'
import type { PresentationGroup } from '../response/vp-token.ts'

/** One protocol. The first of each list is the default. */
export type Protocol = {
  /** How the verifier may be named, in the words of OpenID4VP 1.0 §5.9.3. */
  readonly clientIdPrefixes: readonly ClientIdPrefix[]
  /** The Client Identifier as it stands in messages, where it is also the audience that answers are bound to. */
  readonly writeClientId: (clientId: string) => string
  readonly responseModes: readonly ResponseMode[]
  readonly requestUriMethods: readonly RequestUriMethod[]
  /** URI schemes whose wallets speak this protocol; the first stands in the QR. */
  readonly walletSchemes: readonly string[]
  /** Whether the Digital Credentials API may be used beside it (CONTRACT 5). */
  readonly supportsDcApi: boolean
  /** Whether its requests may have `transaction_data`, read as OpenID4VP 1.0 §8.4 has it. */
  readonly supportsTransactionData: boolean
  /** What a relying party's types and scopes are asked in, then what its own query may be. */
  readonly queryLanguages: readonly [QueryLanguage, ...QueryLanguage[]]
  /** Whether the language, in this protocol, has words for all that a query asks. */
  readonly canExpress: (query: DcqlQuery, language: QueryLanguage) => boolean
  /** Whether a credential format may be presented in a response mode. */
  readonly supportsFormat: (format: string, responseMode: ResponseMode) => boolean
  /** Credential formats that were other than they are today, by their identifier of today. */
  readonly formats: Readonly<Record<string, CredentialFormat>>
  /** Whether issuers that this trust anchor stands for may be known in the way it says. */
  readonly acceptsAnchor: (anchor: TrustAnchor) => boolean
  /** The claims of the Request Object. */
  readonly buildRequestObject: (input: RequestObjectInput) => JsonObject
  /** How encrypted answers are told. */
  readonly responseEncryption: EncryptionRules
  /** Whether an answer to the relying party's view of the request may be heard beside the protocol's own (CONTRACT 3). */
  readonly acceptsByValue: boolean
  /** The presentations of an answer, by the credential query each one answers. Nothing about them is verified. */
  readonly parsePresentations: (
    response: PresentationResponse,
    request: RequestQuery,
  ) => Result<readonly PresentationGroup[], EnvelopeRefusal>
  /** What a credential format that is bound to the exchange itself is bound to. */
  readonly handover: (exchange: Exchange) => Handover
}

/** What one request asked. */
export type RequestQuery = {
  readonly query: DcqlQuery
  readonly language: QueryLanguage
  readonly nonce: string
}

/** How one answer came back. */
export type Exchange = {
  readonly responseUri: string
  /** The key of ours that the answer was decrypted with; null for an answer in the clear. */
  readonly encryptionKey: PrivateJwk | null
  /** `apu` of the answer's JWE (RFC 7518 §4.6.1.2), where it has one. */
  readonly agreementPartyUInfo: string | undefined
}
