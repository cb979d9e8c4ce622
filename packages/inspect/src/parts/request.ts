// An authorization request of OpenID4VP: by link, as Request Object, as parameters, and for the Digital
// Credentials API.

import { isJsonObject, type Json, type JsonObject, member, parseJson } from '../../../../src/codec/json.ts'
import { describeIssue } from '../../../../src/codec/schema.ts'
import { dcqlQuery } from '../../../../src/openid4vp/dcql/query.ts'
import { x509HashClientId } from '../../../../src/openid4vp/request/client-identifier.ts'
import { decodeTransactionData } from '../../../../src/openid4vp/transaction-data/transaction-data.ts'
import { decodeCertificate } from '../../../../src/trust/x509/certificate.ts'
import type { Context } from '../context.ts'
import { chainOf } from '../keys.ts'
import { INPUT } from '../limits.ts'
import { REQUEST } from '../meanings.ts'
import { type Check, check, type Part, part, row } from '../report.ts'
import { jsonRows, timeText } from '../rows.ts'
import { annexCParts, isAnnexCRequest } from './annex-c.ts'
import { readToken, tokenParts } from './jws.ts'

/** Parameters of a link: texts, of which some are JSON. */
export function linkParameters(text: string): JsonObject | undefined {
  if (text.length > INPUT.formCharacters) return undefined
  const query = /^[a-z][a-z0-9+.-]*:[^?#]*\?([^#]*)/i.exec(text)?.[1]
  if (query === undefined) return undefined
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => [name, jsonOrText(value)] as const)
  return Object.fromEntries(pairs)
}

function jsonOrText(value: string): Json {
  const parsed = /^[[{]/.test(value) ? parseJson(value, INPUT.json) : undefined
  return parsed?.ok ? parsed.value : value
}

/** Returns true if parameters are those of an authorization request. */
export function isRequest(parameters: JsonObject): boolean {
  return ['request_uri', 'request', 'dcql_query', 'presentation_definition', 'response_type'].some((name) =>
    Object.hasOwn(parameters, name),
  )
}

/** Returns the parts of a link, and of the Request Object in it. */
export async function linkParts(parameters: JsonObject, context: Context): Promise<readonly Part[]> {
  const request = member(parameters, 'request')
  if (typeof request !== 'string') return requestParts(parameters, 'request by link', context)
  const { request: _, ...others } = parameters
  const own = part('link', 'OpenID4VP 1.0 5', jsonRows(others, REQUEST))
  return [own, ...(await requestObjectParts(request, context))]
}

/** Returns the parts of a Request Object (RFC 9101). */
export async function requestObjectParts(compact: string, context: Context): Promise<readonly Part[]> {
  const token = readToken(compact)
  const checks = token
    ? [...(await identityChecks(token.header, token.payload)), ...timeChecks(token.payload, context)]
    : []
  const typ = token && member(token.header, 'typ')
  if (typ !== 'oauth-authz-req+jwt')
    checks.push(check('typ', 'fails', 'must be oauth-authz-req+jwt', 'OpenID4VP 1.0 5'))
  const view = { title: 'Request Object', clause: 'RFC 9101 4', names: REQUEST, checks }
  return [...(await tokenParts(compact, context, view)), ...(token ? queryParts(token.payload) : [])]
}

/** Returns the parts of the parameters of an unsigned request. */
export function requestParts(parameters: JsonObject, title: string, context: Context): readonly Part[] {
  const byReference = Object.hasOwn(parameters, 'request_uri')
  const detail = byReference
    ? 'the request is at request_uri, and nothing is fetched: give the Request Object'
    : 'the request is not signed: any person can make it'
  const signature = check('signature', 'not_checked', detail, 'OpenID4VP 1.0 5.9.3')
  const checks = [signature, ...timeChecks(parameters, context)]
  return [part(title, 'OpenID4VP 1.0 5', jsonRows(parameters, REQUEST), checks), ...queryParts(parameters)]
}

function timeChecks(parameters: JsonObject, { now }: Context): readonly Check[] {
  const exp = member(parameters, 'exp')
  if (typeof exp !== 'number') return []
  const isPast = exp <= now
  const detail = `${isPast ? 'expired' : 'not expired'} at ${timeText(now)}`
  return [check('expiry', isPast ? 'fails' : 'holds', detail, 'RFC 7519 4.1.4')]
}

/** Checks that the Client Identifier is that of the certificate (OpenID4VP 1.0 §5.9.3). */
async function identityChecks(header: JsonObject, payload: JsonObject): Promise<readonly Check[]> {
  const clientId = member(payload, 'client_id')
  const [leaf] = chainOf(header) ?? []
  const certificate = leaf && decodeCertificate(leaf.slice())
  if (typeof clientId !== 'string' || leaf === undefined || certificate === undefined) return []
  const clause = 'OpenID4VP 1.0 5.9.3'
  if (clientId.startsWith('x509_hash:')) {
    const expected = await x509HashClientId(leaf)
    const detail =
      expected === clientId ? 'it is the hash of the certificate' : `the certificate has ${expected}`
    return [check('client_id', expected === clientId ? 'holds' : 'fails', detail, clause)]
  }
  if (!clientId.startsWith('x509_san_dns:')) return []
  const host = clientId.slice('x509_san_dns:'.length)
  const isNamed = certificate.extensions.subjectAltNames.some(
    (name) => name.form === 'dns' && name.value.toLowerCase() === host.toLowerCase(),
  )
  const detail = isNamed ? 'the certificate has this DNS name' : 'the certificate does not have this DNS name'
  return [check('client_id', isNamed ? 'holds' : 'fails', detail, clause)]
}

function queryParts(parameters: JsonObject): readonly Part[] {
  const query = member(parameters, 'dcql_query')
  const transactions = member(parameters, 'transaction_data')
  const texts = Array.isArray(transactions) ? transactions.filter((text) => typeof text === 'string') : []
  return [
    ...(query === undefined ? [] : [queryPart(query)]),
    ...texts.slice(0, 20).map((text, i) => transactionPart(text, i)),
  ]
}

/** Returns the part of a DCQL query: what is asked for, in words, and its faults. */
export function queryPart(query: Json): Part {
  const clause = 'OpenID4VP 1.0 6'
  const parsed = dcqlQuery.safeParse(query, { error: describeIssue })
  if (!parsed.success) {
    const faults = parsed.error.issues
      .slice(0, 20)
      .map(({ path, message }) => check(`/${path.map(String).join('/')}`, 'fails', message, clause))
    return part('query', clause, [], faults)
  }
  const rows = parsed.data.credentials.map(({ id, format, meta, claims, multiple }) => {
    const types = Object.values(meta).flat(3).map(String).join(', ')
    const asked = claims?.map(({ path }) => path.map((name) => name ?? '*').join('.')).join(', ')
    const words = asked === undefined ? 'no claims, only what is always disclosed' : asked
    return row(id, `${format}, ${types}: ${words}${multiple === true ? ' (several credentials)' : ''}`)
  })
  const sets = (parsed.data.credential_sets ?? []).map(({ options, required }) =>
    row(
      'one of',
      options.map((ids) => ids.join(' and ')).join('; or ') + (required === false ? ' (optional)' : ''),
    ),
  )
  return part(
    'query',
    clause,
    [...rows, ...sets],
    [check('form', 'holds', 'the query is well-formed', clause)],
  )
}

function transactionPart(text: string, index: number): Part {
  const clause = 'OpenID4VP 1.0 8.4'
  const title = `transaction data ${index + 1}`
  try {
    return part(title, clause, jsonRows(decodeTransactionData(text)))
  } catch {
    return part(
      title,
      clause,
      [row('text', text)],
      [check('form', 'fails', 'is no JSON object in base64url', clause)],
    )
  }
}

/** Returns the parts of requests for the Digital Credentials API. */
export async function digitalParts(requests: readonly Json[], context: Context): Promise<readonly Part[]> {
  const parts = await Promise.all(requests.slice(0, 10).map((entry) => digitalEntry(entry, context)))
  return parts.flat()
}

async function digitalEntry(entry: Json, context: Context): Promise<readonly Part[]> {
  if (!isJsonObject(entry)) return []
  const protocol = String(member(entry, 'protocol') ?? 'no protocol')
  const data = member(entry, 'data')
  const named = part(`request ${protocol}`, 'OpenID4VP 1.0 A.1', [row('protocol', protocol)])
  if (!isJsonObject(data)) return [named]
  const request = member(data, 'request')
  if (typeof request === 'string') return [named, ...(await requestObjectParts(request, context))]
  if (isAnnexCRequest(data)) return [named, ...(await annexCParts(data, context))]
  return [named, ...requestParts(data, 'unsigned request', context)]
}
