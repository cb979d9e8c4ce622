/** Kinds of input. */
export type Kind =
  | 'request_link'
  | 'request'
  | 'request_object'
  | 'dcql_query'
  | 'response'
  | 'vp_token'
  | 'sd_jwt_vc'
  | 'jwt_vc'
  | 'mdoc'
  | 'device_response'
  | 'annex_c'
  | 'certificates'
  | 'status_list'
  | 'trust_list'
  | 'receipt'
  | 'evidence'
  | 'jwt'
  | 'jwe'
  | 'json'
  | 'cbor'

/** `not_checked`: nothing is said about it. It never means that it is right. */
export type CheckResult = 'holds' | 'fails' | 'not_checked'

/** One check. `clause`: the clause that it implements. */
export type Check = {
  readonly name: string
  readonly result: CheckResult
  readonly detail: string
  readonly clause: string | null
}

/** One decoded value, with its meaning if the name is known. Show these texts as texts only. */
export type Row = {
  readonly name: string
  readonly value: string
  readonly meaning: string | null
  readonly clause: string | null
}

/** One part of the input. */
export type Part = {
  readonly title: string
  readonly clause: string | null
  readonly checks: readonly Check[]
  readonly rows: readonly Row[]
}

/** A step of the evaluation, in the words of the service. */
export type Step = { readonly id: string; readonly clause: string; readonly result: string }

/**
 * Result of a response for its request, in the words of the service. `not_evaluated`: something is missing,
 * and `message` says what. `assumptions`: facts that a verifier knows, and the inspector had to assume.
 */
export type Outcome = {
  readonly status: 'verified' | 'rejected' | 'refused' | 'declined' | 'expired' | 'not_evaluated'
  /** True if `verified` depends on an assumption: on the trust in the issuer, or on the status. */
  readonly is_conditional: boolean
  readonly reason: string | null
  readonly message: string
  readonly clause: string | null
  readonly steps: readonly Step[]
  readonly assumptions: readonly string[]
}

/** The report about one input, or about a request and its response. */
export type Report = {
  readonly kind: Kind
  readonly title: string
  readonly parts: readonly Part[]
  /** Null without a response beside the request. */
  readonly outcome: Outcome | null
}

/** The texts and files to inspect. Each is recognized by its form. */
export type InspectInput = {
  readonly input: string | Uint8Array
  /** A response to the request in `input`. */
  readonly response?: string | Uint8Array
  /** Trusted issuers: PEM, or trust anchors as JSON. Absent: the issuers in the response are trusted. */
  readonly anchors?: string
  /** Keys as JWK or JWK Set: the private key of the request, or keys that made a signature. */
  readonly keys?: string
  /** Status lists that the verifier would fetch. */
  readonly lists?: readonly (string | Uint8Array)[]
  /** Origin of the page, for requests of the Digital Credentials API. */
  readonly origin?: string
  /** True if the verifier follows HAIP 1.0. */
  readonly haip?: boolean
  /** Default: now; with a response, the time of the request. */
  readonly now?: Date
}

/** The input cannot be inspected. The message says why. */
export class UnreadableInputError extends Error {
  override readonly name: 'UnreadableInputError'
}

/**
 * Inspects an input. Throws `UnreadableInputError` if it cannot be read at all. The texts of a report may be
 * hostile: show them as texts only.
 */
export function inspect(input: InspectInput): Promise<Report>
