// Revocation lists for tests, made by @peculiar/x509, which shares no code with src/trust. Every option
// changes one thing of a good list. It is in force from the day before `now`, and contains the certificates
// of its entries.

import '../reflect-metadata.ts'
import * as x509 from '@peculiar/x509'
import type { Minted, RawExtension } from './certificates.ts'

export type CrlEntry = {
  /** Hexadecimal. */
  readonly serialNumber: string
  readonly reason?: x509.X509CrlReason
  readonly extensions?: readonly RawExtension[]
}

export type CrlOptions = {
  /** Serial numbers in hexadecimal, or entries. */
  readonly revoked?: readonly (string | CrlEntry)[]
  readonly thisUpdate?: Date
  /** `null`: none. */
  readonly nextUpdate?: Date | null
  /** A name in place of the issuer's own. */
  readonly issuerName?: string
  /** The signer in place of the issuer. */
  readonly signer?: Minted
  readonly extensions?: readonly RawExtension[]
}

export const REASON = { keyCompromise: 1, certificateHold: 6, removeFromCRL: 8 } as const

/** The list of `issuer` as of `now` (Unix seconds). */
export async function makeCrl(
  issuer: Minted,
  now: number,
  options: CrlOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { revoked = [], nextUpdate = dateOf(now + 86_400), extensions = [], signer = issuer } = options
  const crl = await x509.X509CrlGenerator.create({
    issuer: options.issuerName ?? issuer.subject,
    thisUpdate: options.thisUpdate ?? dateOf(now - 86_400),
    ...(nextUpdate && { nextUpdate }),
    entries: revoked.map((entry) =>
      toEntry(typeof entry === 'string' ? { serialNumber: entry } : entry, now),
    ),
    extensions: extensions.map(toExtension),
    signingKey: signer.keys.privateKey,
    signingAlgorithm: { name: signer.keys.privateKey.algorithm.name, hash: 'SHA-256' },
  })
  return new Uint8Array(crl.rawData)
}

export function dateOf(seconds: number): Date {
  return new Date(seconds * 1000)
}

function toEntry({ serialNumber, reason, extensions }: CrlEntry, now: number): x509.X509CrlEntryParams {
  return {
    serialNumber,
    revocationDate: dateOf(now - 172_800),
    ...(reason && { reason }),
    ...(extensions && { extensions: extensions.map(toExtension) }),
  }
}

function toExtension({ oid, critical, value }: RawExtension): x509.Extension {
  return new x509.Extension(oid, critical, new Uint8Array(value))
}
