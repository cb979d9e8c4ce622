// A strict reader of the registration in a request of `org-iso-mdoc`, made after `DeviceRequestProcessor` of
// the Android core, and after the iOS kit. Both warn the person of most failures, which have the names of
// their sources. It shares no code with the service.

import { verify, X509Certificate } from 'node:crypto'
import { decode, encode, Tagged } from 'cborg'
import { compactVerify, importX509 } from 'jose'
import type { ReceivedAnnexC } from '../../people/annex-c-wallet.ts'
import { refuseUnless, type WalletSource } from '../fake-wallet.ts'
import { isChained } from '../request-object.ts'

const ANDROID = 'eu-digital-identity-wallet/eudi-lib-android-wallet-core'
const TRANSFER = 'transfer-manager/src/main/java/eu/europa/ec/eudi/iso18013/transfer/response/device'
const REGISTRATION = 'wallet-core/src/main/java/eu/europa/ec/eudi/wallet/registration'
const of = (commit: string, ...files: readonly string[]): WalletSource => ({
  repository: ANDROID,
  commit,
  files,
})

export const SOURCES: readonly WalletSource[] = [
  of('007ec506c6aeefc6b819f465a42225bf1c8d5d4c', `${TRANSFER}/DeviceRequestProcessor.kt`),
  of(
    '58abec9edcbb9201fb932edd52652d2ba967185f',
    `${REGISTRATION}/RegistrationFailureReason.kt`,
    `${REGISTRATION}/relyingparty/DefaultWrpRegistrationEvaluator.kt`,
  ),
  of(
    '2a40e50c3c6845237e7676e3ec9a86595328d111',
    `${REGISTRATION}/relyingparty/DefaultWrpRegistrationValidator.kt`,
  ),
  of('20384a06738dfc7618af979f548e77636d771ac5', `${REGISTRATION}/relyingparty/WrpRegistrationBinding.kt`),
  of('2068a1774b7cf61c3848c866274852b6354639d8', `${REGISTRATION}/relyingparty/OverAsking.kt`),
  of('6c7668ae2e7303e5e6a9e2bf16a5b0716566afed', `${REGISTRATION}/RegistrationCertificateJwt.kt`),
  of('9f242b46c61f5bd1bde3198fc56594d4041cd42d', `${REGISTRATION}/RegistrationCertificateCwt.kt`),
  {
    repository: 'eu-digital-identity-wallet/eudi-lib-ios-wallet-kit',
    commit: '1481048ab85d00fd77db2f2a0d188703a9efe317',
    files: ['WrpRegistrationBinding', 'WrpVciRegistrationValidator', 'WrpVpRegistrationValidator'].map(
      (name) => `Sources/EudiWalletKit/Services/${name}.swift`,
    ),
  },
]

type Registered = {
  readonly sub?: string
  readonly exp?: number
  readonly status?: { readonly status_list?: StatusReference }
  readonly intermediary?: { readonly sub?: string }
  readonly credentials?: readonly {
    readonly format: string
    readonly meta: { readonly doctype_value?: string }
    readonly claim?: readonly { readonly path: readonly string[] }[]
  }[]
}

type StatusReference = { readonly idx: number; readonly uri: string }
type Status = 'valid' | 'revoked' | 'unknown'
type Platform = 'android' | 'ios'

/**
 * What the wallet shows before the person approves. `failure`: why the registration counts for nothing, else
 * null. `beyond`: requested elements that are not registered.
 */
export type RegistrationResult = {
  readonly registered: Registered | null
  readonly failure: string | null
  readonly beyond: readonly string[]
}

type Wallet = {
  readonly platform: Platform
  readonly registrarCa: string
  /** Unix seconds. */
  readonly now: number
  /** The status of a certificate on its list. Default: valid. */
  readonly status?: (reference: StatusReference) => Status
}

/** Names of failures on each platform. The wallet on iOS has one name for several failures. */
const FAILURES = {
  absent: { android: 'CERTIFICATE_ABSENT', ios: '' },
  malformed: { android: 'MALFORMED', ios: 'other' },
  type: { android: 'MALFORMED', ios: 'invalidType' },
  signature: { android: 'SIGNATURE_INVALID', ios: 'trustError' },
  untrusted: { android: 'UNTRUSTED_PROVIDER', ios: 'trustError' },
  unsigned: { android: 'NOT_BOUND_TO_REQUESTER', ios: 'accessCertificateUnavailable' },
  unbound: { android: 'NOT_BOUND_TO_REQUESTER', ios: 'notBoundToAccessCertificate' },
  expired: { android: 'EXPIRED', ios: 'expired' },
  noStatus: { android: 'STATUS_MISSING', ios: 'statusMissing' },
  revoked: { android: 'REVOKED', ios: 'statusRevoked' },
  unknown: { android: 'REVOCATION_STATUS_UNKNOWN', ios: 'statusRetrievalFailed' },
  notRepeated: { android: '', ios: 'wrprcNotRepeated' },
} as const satisfies Readonly<Record<string, Readonly<Record<Platform, string>>>>
type Failure = keyof typeof FAILURES

/**
 * Reads the registration of a request. Returns null if the request has none and the wallet says nothing about
 * it.
 */
export async function readRegistration(
  request: Pick<ReceivedAnnexC, 'documents' | 'registrations' | 'readers'>,
  wallet: Wallet,
): Promise<RegistrationResult | null> {
  const { platform } = wallet
  const failed = (failure: Failure, registered: Registered | null = null) => ({
    registered,
    failure: FAILURES[failure][platform],
    beyond: [],
  })
  const [bytes] = request.registrations
  if (bytes === undefined) return platform === 'ios' ? null : failed('absent')
  const copies = new Set(request.registrations.map((one) => Buffer.from(one).toString('base64url')))
  refuseUnless(copies.size === 1, 'the registrations of the document requests differ')
  const registered = await authenticate(bytes, wallet)
  if (typeof registered === 'string') return failed(registered)
  const failure = failureOf(registered, request, wallet)
  if (failure !== undefined) return failed(failure, registered)
  const beyond = request.documents.flatMap(({ docType, nameSpaces }) =>
    Object.entries(nameSpaces).flatMap(([nameSpace, elements]) =>
      Object.keys(elements).filter((element) => !covers(registered, docType, [nameSpace, element])),
    ),
  )
  return { registered, failure: null, beyond }
}

/** The first failure of an authentic registration for this request, in the order of the Android core. */
function failureOf(
  { sub, exp, status, intermediary }: Registered,
  { documents, registrations, readers: [reader] }: Parameters<typeof readRegistration>[0],
  { platform, now, status: statusOf = () => 'valid' }: Wallet,
): Failure | undefined {
  if (reader === undefined) return 'unsigned'
  // With an intermediary, only its identifier counts.
  const presenter = identifierOf(reader)
  if (presenter === undefined || presenter !== (intermediary?.sub ?? sub)) return 'unbound'
  if (exp !== undefined && exp < now) return 'expired'
  const reference = status?.status_list
  if (reference === undefined) return 'noStatus'
  const found = statusOf(reference)
  if (found !== 'valid') return found
  return platform === 'ios' && registrations.length < documents.length ? 'notRepeated' : undefined
}

/** The claims of an authentic certificate, a JWT or a CWT; else the failure. */
async function authenticate(
  bytes: Uint8Array,
  { platform, registrarCa }: Wallet,
): Promise<Registered | Failure> {
  const text = Buffer.from(bytes).toString('latin1')
  const isJwt = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
  // The kit on iOS reads the payload of a CWT as JSON, so it reads no CWT.
  if (!isJwt && platform === 'ios') return 'malformed'
  const parsed = await (isJwt ? parseJwt(text) : parseCwt(bytes))
  if (typeof parsed === 'string') return parsed
  return isChained(parsed.chain, registrarCa) ? parsed.registered : 'untrusted'
}

type Parsed = { readonly chain: readonly X509Certificate[]; readonly registered: Registered }

async function parseJwt(text: string): Promise<Parsed | Failure> {
  const header = JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString())
  if (header.typ !== 'rc-wrp+jwt') return 'type'
  const chain = ((header.x5c ?? []) as string[]).map((der) => new X509Certificate(Buffer.from(der, 'base64')))
  if (chain.length === 0) return 'signature'
  const verified = await importX509(String(chain[0]), 'ES256')
    .then((key) => compactVerify(text, key, { algorithms: ['ES256'] }))
    .catch(() => undefined)
  if (verified === undefined) return 'signature'
  return { chain, registered: JSON.parse(Buffer.from(verified.payload).toString()) }
}

const [ALG, TYP, X5CHAIN] = [1, 16, 33]

/** A COSE_Sign1 whose payload has the claims of the JWT by their names. */
async function parseCwt(bytes: Uint8Array): Promise<Parsed | Failure> {
  const read = (part: Uint8Array) => decode(part, { useMaps: true, tags: Tagged.preserve(18) })
  try {
    const item = read(bytes)
    const [header, unprotected, payload, signature] = item instanceof Tagged ? item.value : item
    const signed = read(header) as Map<number, unknown>
    if ((signed.get(TYP) ?? unprotected.get(TYP)) !== 'rc-wrp+cwt') return 'type'
    const der = unprotected.get(X5CHAIN) ?? signed.get(X5CHAIN)
    if (der === undefined) return 'signature'
    const chain = [der].flat().map((one: Uint8Array) => new X509Certificate(one))
    const covered = encode(['Signature1', header, new Uint8Array(), payload])
    const key = { key: chain[0]!.publicKey, dsaEncoding: 'ieee-p1363' } as const
    if (signed.get(ALG) !== -7 || !verify('sha256', covered, key, signature)) return 'signature'
    return { chain, registered: decode(payload) }
  } catch {
    return 'malformed'
  }
}

/** The identifier in the subject of the first reader certificate, which is the access certificate here. */
function identifierOf(subject: string): string | undefined {
  const values = Object.fromEntries(subject.split('\n').map((line) => line.split('=')))
  return values.organizationIdentifier ?? values.serialNumber
}

function covers({ credentials = [] }: Registered, docType: string, path: readonly string[]): boolean {
  return credentials.some(
    ({ format, meta, claim = [] }) =>
      format === 'mso_mdoc' &&
      meta.doctype_value === docType &&
      (claim.length === 0 || claim.some((one) => `${one.path}` === `${path}`)),
  )
}
