// Interface of one protocol (api/protocols). Most protocols are one OpenID4VP version in the redirect flow.
// Each protocol is one module, so that members of one version never occur in messages of another version. The
// parser of a protocol returns the presentations of a response, by credential query id. All further
// verification is the same for every protocol.

import type { JsonObject } from '../../codec/json.ts'
import type { PrivateJwk } from '../../crypto/jwk.ts'
import type { CredentialFormat, Handover } from '../../formats/verification/format.ts'
import type { Result } from '../../result.ts'
import type { SignerProfile } from '../../trust/anchors/signer.ts'
import type { DcqlQuery } from '../dcql/query.ts'
import type { ClientIdPrefix } from '../request/client-identifier.ts'
import type { QueryLanguage, RequestUriMethod } from '../request/generation.ts'
import type { RequestObjectInput } from '../request/request-object.ts'
import type { PresentationResponse } from '../response/authorization-response.ts'
import type { EnvelopeRefusal } from '../response/refusal.ts'
import type { EncryptionRules } from '../response/response-encryption.ts'
import type { ResponseMode } from '../response/response-mode.ts'
import type { PresentationGroup } from '../response/vp-token.ts'

/** One protocol. The first entry of each list is the default. */
export type Protocol = {
  /** Client Identifier Prefixes for the verifier, named as in OpenID4VP 1.0 §5.9.3. */
  readonly clientIdPrefixes: readonly ClientIdPrefix[]
  /** Returns the Client Identifier in the form for messages. This form is also the audience of responses. */
  readonly writeClientId: (clientId: string) => string
  readonly responseModes: readonly ResponseMode[]
  readonly requestUriMethods: readonly RequestUriMethod[]
  /** True if QR codes and links are supported. Otherwise the Digital Credentials API is the only channel. */
  readonly supportsRedirect: boolean
  /** True if the Digital Credentials API may be used too (api/dc-api). */
  readonly supportsDcApi: boolean
  /** True if requests may have `transaction_data` (OpenID4VP 1.0 §8.4). */
  readonly supportsTransactionData: boolean
  /** Query languages. The first language is used unless the relying party sends its own query. */
  readonly queryLanguages: readonly [QueryLanguage, ...QueryLanguage[]]
  /** Returns true if the language can express a query in this protocol. */
  readonly canExpress: (query: DcqlQuery, language: QueryLanguage) => boolean
  /** Returns true if a credential format may be presented in a response mode. */
  readonly supportsFormat: (format: string, responseMode: ResponseMode | null) => boolean
  /**
   * Credential formats that this protocol verifies in its own way, by the format identifier of OpenID4VP 1.0.
   * All other formats are the same for every protocol.
   */
  readonly formats: Readonly<Record<string, CredentialFormat>>
  /** Returns the rules for the signers of credentials in a format, and of their status lists. */
  readonly signerProfile: (format: string) => SignerProfile
  /** True if a holder's key may be identified by a `kid` that contains the key (did:jwk, did:key). */
  readonly acceptsHolderKeyId: boolean
  /** Builds the claims of the Request Object. */
  readonly buildRequestObject: (input: RequestObjectInput) => JsonObject
  /** Rules for encrypted responses. */
  readonly responseEncryption: EncryptionRules
  /** True if responses to the request of `GET …/openid4vp` may be accepted too (api/request, "by value"). */
  readonly acceptsByValue: boolean
  /** Parses the presentations of a response, by credential query. The presentations are not verified here. */
  readonly parsePresentations: (
    response: PresentationResponse,
    request: RequestQuery,
  ) => Result<readonly PresentationGroup[], EnvelopeRefusal>
  /** Returns the handover. In some credential formats (mdoc), the holder's proof covers the handover. */
  readonly handover: (exchange: Exchange) => Handover
}

/** The query of one request. */
type RequestQuery = {
  readonly query: DcqlQuery
  readonly language: QueryLanguage
  readonly nonce: string
}

/** Channel and encryption of one response. */
export type Exchange = {
  readonly responseUri: string
  /** Our key that decrypted the response; null for a plain response. */
  readonly encryptionKey: PrivateJwk | null
  /** `apu` of the JWE (RFC 7518 §4.6.1.2), if present. */
  readonly agreementPartyUInfo: string | undefined
}

/**
 * Returns the query language of the request. A relying party's own query, for which `scope` is empty, uses
 * DCQL. Every other request uses the first language of the protocol.
 */
export function queryLanguage(
  { queryLanguages }: Protocol,
  { scope }: { readonly scope: readonly string[] },
): QueryLanguage {
  return scope.length === 0 ? 'dcql' : queryLanguages[0]
}
