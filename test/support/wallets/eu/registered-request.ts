// A strict reader of the registration in a request of `org-iso-mdoc`, made after `DeviceRequestProcessor` and
// `registration/relyingparty` of eudi-lib-android-wallet-core 0.30 (August 2026), and after the iOS kit 0.40
// (1481048), which reads a JWS only here. Both warn the person of most failures. It shares no code with the
// service.

import { X509Certificate } from 'node:crypto'
import { compactVerify, importX509 } from 'jose'
import type { ReceivedAnnexC } from '../../people/annex-c-wallet.ts'
import { refuseUnless } from '../fake-wallet.ts'
import { isChained } from '../request-object.ts'

type Registered = {
  readonly sub?: string
  readonly exp?: number
  readonly status?: object
  readonly credentials?: readonly {
    readonly format: string
    readonly meta: { readonly doctype_value?: string }
    readonly claim?: readonly { readonly path: readonly string[] }[]
  }[]
}

/**
 * What the wallet shows before the person approves. `failure`: why the registration counts for nothing, else
 * null. `beyond`: requested elements that are not registered.
 */
export type RegistrationResult = {
  readonly registered: Registered | null
  readonly failure: string | null
  readonly beyond: readonly string[]
}

type Wallet = { readonly platform: 'android' | 'ios'; readonly registrarCa: string; readonly now: number }

/** Reads the registration of a request. Returns null if the request has none. `now`: Unix seconds. */
export async function readRegistration(
  request: Pick<ReceivedAnnexC, 'documents' | 'registrations' | 'readers'>,
  wallet: Wallet,
): Promise<RegistrationResult | null> {
  const { documents, registrations, readers } = request
  if (registrations.length === 0) return null
  const copies = new Set(registrations.map((one) => Buffer.from(one).toString('base64url')))
  refuseUnless(copies.size === 1, 'the registrations of the document requests differ')
  const text = Buffer.from(registrations[0] ?? []).toString('latin1')
  const registered = await authenticate(text, wallet.registrarCa)
  if (typeof registered === 'string') return { registered: null, failure: registered, beyond: [] }
  const isRepeated = registrations.length === documents.length || wallet.platform === 'android'
  const failures = [
    ...(identifierOf(readers[0]) === registered.sub ? [] : ['NOT_BOUND_TO_REQUESTER']),
    ...((registered.exp ?? Number.POSITIVE_INFINITY) > wallet.now ? [] : ['EXPIRED']),
    ...(registered.status === undefined ? ['STATUS_MISSING'] : []),
    ...(isRepeated ? [] : ['NOT_REPEATED']),
  ]
  const beyond = documents.flatMap(({ docType, nameSpaces }) =>
    Object.entries(nameSpaces).flatMap(([nameSpace, elements]) =>
      Object.keys(elements).filter((element) => !covers(registered, docType, [nameSpace, element])),
    ),
  )
  return { registered, failure: failures[0] ?? null, beyond }
}

/** The claims of a good certificate; else the failure. A CWT is in no part of this fake. */
async function authenticate(text: string, registrarCa: string): Promise<Registered | string> {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return 'MALFORMED'
  const header = JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString())
  if (header.typ !== 'rc-wrp+jwt') return 'INVALID_TYPE'
  const chain = ((header.x5c ?? []) as string[]).map((der) => new X509Certificate(Buffer.from(der, 'base64')))
  if (!isChained(chain, registrarCa)) return 'UNTRUSTED'
  const verified = await importX509(String(chain[0]), 'ES256')
    .then((key) => compactVerify(text, key, { algorithms: ['ES256'] }))
    .catch(() => undefined)
  return verified === undefined ? 'INVALID_SIGNATURE' : JSON.parse(Buffer.from(verified.payload).toString())
}

/** The identifier in the subject of the first reader certificate, which is the access certificate here. */
function identifierOf(subject = ''): string | undefined {
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
