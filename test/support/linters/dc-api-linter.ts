// Rules of a request for the browser's Digital Credentials API (OpenID4VP 1.0 Appendix A), checked from
// outside. Rules shared with the redirect flow have the same numbers.

import type { DidDocument } from '../certificates/verifier-key.ts'
import { IDENTITY_RULES } from './identity-rules.ts'
import { holdsSafely, type ObservedRequest, open } from './request-linter.ts'
import { isSubset, type Loose, type Opened, RULES } from './request-rules.ts'

/** An entry of `digital.requests`. */
export type DigitalRequest = { readonly protocol: string; readonly data: Readonly<Record<string, unknown>> }

export type DigitalContext = {
  /** Origin of the page that passes the request to its browser. */
  readonly origin: string
  /** Unix seconds. */
  readonly now: number
  /** Document at the address of the Client Identifier's DID. */
  readonly didDocument?: DidDocument
}

/** Violations of the request: one sentence for each rule. */
export async function lintDigitalRequest(
  request: DigitalRequest,
  { origin, now, didDocument }: DigitalContext,
): Promise<readonly string[]> {
  const known = { now, ...(didDocument && { didDocument }) }
  if (request.protocol === MULTI_SIGNED) return lintMultiSigned(request.data, { origin, ...known })
  const signed = request.protocol === 'openid4vp-v1-signed'
  const opened = signed ? await openSigned(request.data, known) : openUnsigned(request.data)
  return lintOpened(request, opened, { origin, signed })
}

const MULTI_SIGNED = 'openid4vp-v1-multisigned'

/** Checks each signature as a signed request of its own, and the rules of A.3.2.2. */
async function lintMultiSigned(
  { payload, signatures, ...beside }: DigitalRequest['data'],
  { origin, ...known }: DigitalContext,
): Promise<readonly string[]> {
  const entries = signatures as readonly Readonly<Record<string, string>>[]
  const faults: string[] = []
  const ids = new Set<string>()
  const isAlone = Object.keys(beside).length === 0 && entries.length > 1
  if (!isAlone) faults.push('R62: data is a payload and two or more signatures (A.3.2.2)')
  for (const { protected: header, signature, ...unprotected } of entries) {
    const request = `${header}.${payload}.${signature}`
    const { header: all, claims, ...opened } = await openSigned({ request }, known)
    const { client_id, verifier_info, ...others } = all
    const isInHeader = !('client_id' in claims || 'verifier_info' in claims)
    if (!isInHeader || Object.keys(unprotected).length > 0)
      faults.push('R62: members about one identity are in its protected header only (A.3.2.2)')
    const whole = { ...claims, client_id, ...(verifier_info && { verifier_info }) }
    const one = { ...opened, header: others, claims: whole } as Opened
    const entry = { protocol: 'openid4vp-v1-signed', data: { request } }
    faults.push(...lintOpened(entry, one, { origin, signed: true }))
    ids.add(client_id)
  }
  if (ids.size < entries.length) faults.push('R62: each signature has a client_id of its own (A.3.2.2)')
  return faults
}

function lintOpened(
  request: DigitalRequest,
  opened: Opened,
  { origin, signed }: { readonly origin: string; readonly signed: boolean },
): readonly string[] {
  // A member that is specific to Google Wallet. Only signed requests have it.
  const { gw_rp_metadata_bytes: google, ...metadata } = opened.metadata
  const isForGoogle = signed && typeof google === 'string'
  const linted = isForGoogle ? { ...opened, metadata } : opened
  const asked: RequestUnderTest = { ...linted, ...request, origin, isSigned: signed }
  const shared = signed ? [...SHARED, ...SHARED_SIGNED] : SHARED
  const rules = [...OWN, ...[...RULES, ...IDENTITY_RULES].filter(([rule]) => shared.includes(rule))]
  return rules
    .filter(([, , holds]) => !holdsSafely(holds, asked))
    .map(([rule, message]) => `${rule}: ${message}`)
}

/** Rules of the list of obligations that do not concern addresses. */
const SHARED = ['R1', 'R2', 'R5', 'R26', 'R27', 'R28', 'R31', 'R32']
const SHARED_SIGNED = ['R8', 'R9', 'R10', 'R18', 'R19', 'R20', 'R21', 'R29']

const UNSIGNED = [
  'response_type',
  'response_mode',
  'nonce',
  'dcql_query',
  'client_metadata',
  'transaction_data',
]
const SIGNED = [...UNSIGNED, 'client_id', 'expected_origins', 'verifier_info', 'aud', 'iat', 'exp']

type RequestUnderTest = Opened & DigitalRequest & { readonly origin: string; readonly isSigned: boolean }
type OwnRule = readonly [rule: string, message: string, holds: (asked: RequestUnderTest) => unknown]

const OWN: readonly OwnRule[] = [
  [
    'R59',
    'the exchange protocol is one of OpenID4VP 1.0 (A.1)',
    ({ protocol }) => ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'].includes(protocol),
  ],
  [
    'R60',
    'no parameter of the redirect flow, and none that only signed requests have (A.2)',
    ({ claims, isSigned }) => isSubset(Object.keys(claims), isSigned ? SIGNED : UNSIGNED),
  ],
  [
    'R3',
    'response_mode is dc_api or dc_api.jwt (A.2)',
    ({ claims }) => ['dc_api', 'dc_api.jwt'].includes(claims.response_mode),
  ],
  [
    'R61',
    'a signed request is `request` and nothing beside it (A.3.2)',
    ({ data, isSigned }) => !isSigned || Object.keys(data).join() === 'request',
  ],
  [
    'R61',
    'expected_origins is the origin of the page, over https, without a slash at its end (A.2)',
    ({ claims, isSigned, origin }) =>
      !isSigned ||
      (JSON.stringify(claims.expected_origins) === JSON.stringify([origin]) &&
        origin.startsWith('https://') &&
        new URL(origin).origin === origin),
  ],
  [
    'R17',
    'a signed client_id has a prefix, and x509_san_dns is a dNSName of the leaf (§5.9.3)',
    holdsClientId,
  ],
]

function openSigned(
  { request }: DigitalRequest['data'],
  known: Pick<ObservedRequest, 'now' | 'didDocument'>,
) {
  return open({ uri: 'openid4vp://', requestObject: String(request), ...known })
}

function openUnsigned(claims: Loose): Opened {
  const { client_metadata: metadata = {}, response_mode: mode } = claims
  const nothing = { uri: '', requestObject: '', now: 0, outer: new URLSearchParams(), header: {}, chain: [] }
  const opened: Loose = {
    ...nothing,
    claims,
    metadata,
    encrypted: String(mode).endsWith('.jwt'),
    signed: false,
  }
  return opened
}

function holdsClientId({ claims, isSigned, chain }: RequestUnderTest): boolean {
  if (!isSigned) return true
  const [, prefix, value] = /^([a-z0-9_]+):(.+)$/.exec(claims.client_id) ?? []
  if (prefix !== 'x509_san_dns') return prefix !== undefined && prefix !== 'origin'
  return (chain[0]?.subjectAltName ?? '').split(', ').includes(`DNS:${value}`)
}
