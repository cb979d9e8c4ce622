// Converts a DCQL query to the documents that a DeviceRequest of ISO mdoc requests. Only credential queries
// for `mso_mdoc` can be converted. A DCQL query that needs a credential of another format cannot be
// converted.

import type { CredentialQuery, CredentialSetQuery, DcqlQuery } from './query.ts'

/** One requested element of a document. */
export type RequestedElement = {
  readonly nameSpace: string
  readonly element: string
  readonly intentToRetain: boolean
}

/** One document request. */
export type RequestedDocument = {
  /** Id of the credential query for this document. */
  readonly queryId: string
  readonly docType: string
  /** The requested elements, in the order of the query. */
  readonly elements: readonly [RequestedElement, ...RequestedElement[]]
}

/** A use case. To satisfy it, a wallet presents one of `documentSets`. A set has indexes of `documents`. */
export type UseCase = {
  readonly mandatory: boolean
  readonly documentSets: readonly (readonly number[])[]
}

/** The request for documents. `useCases` is null if there is only one document, which is then required. */
export type DocumentQuery = {
  readonly documents: readonly RequestedDocument[]
  readonly useCases: readonly UseCase[] | null
}

/**
 * Returns the request for documents. Returns `undefined` if documents alone cannot satisfy the query, or if
 * two documents have the same type. If a credential query has `claim_sets`, only the first set is requested,
 * which is the verifier's preferred set (§6.4.1).
 */
export function documentQuery({ credentials, credential_sets }: DcqlQuery): DocumentQuery | undefined {
  const requested = credentials.map(requestedDocument).filter((document) => document !== undefined)
  const ids = new Set(requested.map(({ queryId }) => queryId))
  const sets = credential_sets?.flatMap((set) => expressibleSet(set, ids))
  if (sets === undefined ? ids.size < credentials.length : sets.some(isUnsatisfiable)) return undefined
  const setIds = sets && new Set(sets.flatMap(({ options }) => options.flat()))
  const documents = requested.filter(({ queryId }) => setIds === undefined || setIds.has(queryId))
  // A response identifies a document only by its type, so each type may occur only once.
  const docTypes = new Set(documents.map(({ docType }) => docType))
  if (documents.length === 0 || docTypes.size < documents.length) return undefined
  return { documents, useCases: documents.length === 1 ? null : useCases(sets ?? [], documents) }
}

/**
 * Returns the document of a credential query; `undefined` if a DeviceRequest cannot express the credential
 * query. A DeviceRequest has no place for `values`.
 */
function requestedDocument({ id, format, meta, claims, claim_sets }: CredentialQuery) {
  if (format !== 'mso_mdoc' || typeof meta.doctype_value !== 'string') return undefined
  const first = claim_sets?.[0]
  const requested = first === undefined ? claims : claims?.filter((claim) => first.includes(claim.id ?? ''))
  if (claims?.some(({ values }) => values !== undefined)) return undefined
  const [head, ...rest] = (requested ?? []).map(({ path: [nameSpace, element], intent_to_retain }) => ({
    nameSpace: String(nameSpace),
    element: String(element),
    intentToRetain: intent_to_retain === true,
  }))
  // ISO/IEC 18013-5 §8.3.2.1.2.1: a request names at least one element.
  if (head === undefined) return undefined
  const elements: RequestedDocument['elements'] = [head, ...rest]
  return { queryId: id, docType: meta.doctype_value, elements }
}

/** Keeps only the options that mdocs alone satisfy. Leaves out an optional set without such an option. */
function expressibleSet(
  { options, required = true }: CredentialSetQuery,
  ids: ReadonlySet<string>,
): readonly Required<CredentialSetQuery>[] {
  const expressible = options.filter((option) => option.every((id) => ids.has(id)))
  return expressible.length === 0 && !required ? [] : [{ options: expressible, required }]
}

function isUnsatisfiable({ options }: CredentialSetQuery): boolean {
  return options.length === 0
}

/**
 * Returns the use cases of several documents. If all documents are required, there is one use case with all
 * of them. ISO/IEC 18013-5:2021 does not define the meaning of several document requests. So without a use
 * case, a wallet may present only the first document. The wallet SDK Multipaz does this.
 */
function useCases(
  sets: readonly Required<CredentialSetQuery>[],
  documents: readonly RequestedDocument[],
): readonly UseCase[] {
  if (sets.every(({ options, required }) => options.length === 1 && required))
    return [{ mandatory: true, documentSets: [documents.map((_, index) => index)] }]
  const indexOf = (id: string) => documents.findIndex(({ queryId }) => queryId === id)
  return sets.map(({ options, required }) => ({
    mandatory: required,
    documentSets: options.map((option) => option.map(indexOf)),
  }))
}
