// Lists for tests, in the published schemas (ETSI TS 119 602, ISO/IEC 18013-5 Annex C). jose, cborg and
// node:crypto make them, without code of src/. Every option changes one thing of a good list.

import { sign as signWithNode } from 'node:crypto'
import { encode as encodeCbor, Token, Type } from 'cborg'
import { CompactSign, importJWK } from 'jose'
import { type CertificateOptions, type Minted, mintCertificate, mintIssuerPki } from './certificates.ts'

/**
 * 2046-11-21T12:00:00Z, in Unix seconds. Alarms use the real clock, so no alarm of a test may be due by this
 * time.
 */
export const LIST_NOW = 2_426_414_400
/** 2026-11-20T12:00:00Z: the date of good lists, which are valid until a month after LIST_NOW. */
export const LIST_ISSUED = 1_795_176_000

export const PID_ISSUANCE = 'http://uri.etsi.org/19602/SvcType/PID/Issuance'
export const PID_REVOCATION = 'http://uri.etsi.org/19602/SvcType/PID/Revocation'
export const PID_LIST = 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList'
/** ISO/IEC 18013-5 Annex C: extended key usage of signers of VICALs. */
export const VICAL_SIGNER = '1.0.18013.5.1.8'
export const MDL = 'org.iso.18013.5.1.mDL'

/** One service of a list. `null`: left out. */
export type ServiceOptions = {
  readonly certificates: readonly string[]
  readonly type?: string | null
  readonly status?: string
}

export type LoteOptions = {
  readonly sequence?: unknown
  readonly type?: string | null
  readonly issued?: string
  readonly nextUpdate?: unknown
  readonly version?: unknown
  readonly services?: readonly ServiceOptions[]
  /** Members of the signature's protected header; `undefined` leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>
  /** In place of the payload. */
  readonly payload?: unknown
}

/** A certificate that signs lists, self-signed as published certificates are. */
export function mintListSigner(options: CertificateOptions = {}): Promise<Minted> {
  return mintCertificate({
    subject: 'C=EU,O=Test Scheme Operator,CN=List Signer',
    keyUsage: ['digitalSignature'],
    ...options,
  })
}

/** The payload of a list as ETSI's schema has it. */
export function lotePayload(options: LoteOptions = {}): Record<string, unknown> {
  const { type = PID_LIST, services = [] } = options
  return {
    LoTE: {
      ListAndSchemeInformation: {
        LoTEVersionIdentifier: options.version ?? 1,
        LoTESequenceNumber: options.sequence ?? 7,
        ...(type === null ? {} : { LoTEType: type }),
        SchemeOperatorName: [{ lang: 'en', value: 'Test Scheme Operator' }],
        SchemeTerritory: 'EU',
        ListIssueDateTime: options.issued ?? '2026-11-20T12:00:00Z',
        NextUpdate: options.nextUpdate ?? '2046-12-20T12:00:00Z',
      },
      TrustedEntitiesList: services.map((service) => ({
        TrustedEntityInformation: { TEName: [{ lang: 'en', value: 'Test Issuer' }] },
        TrustedEntityServices: [{ ServiceInformation: serviceInformation(service) }],
      })),
    },
  }
}

function serviceInformation({ certificates, type = PID_ISSUANCE, status }: ServiceOptions) {
  return {
    ServiceName: [{ lang: 'en', value: 'PID issuance' }],
    ...(type === null ? {} : { ServiceTypeIdentifier: type }),
    ...(status === undefined ? {} : { ServiceStatus: status }),
    ServiceDigitalIdentity: { X509Certificates: certificates.map((val) => ({ val })) },
  }
}

/** A list of trusted entities, signed as a compact JWS by jose. */
export async function signLote(
  signer: Pick<Minted, 'x5c' | 'privateJwk'>,
  options: LoteOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const payload = new TextEncoder().encode(JSON.stringify(options.payload ?? lotePayload(options)))
  const header = { alg: 'ES256', iat: LIST_ISSUED, x5c: [signer.x5c], ...options.header }
  const jws = await new CompactSign(payload)
    .setProtectedHeader(header as { alg: string })
    .sign(await importJWK(signer.privateJwk, 'ES256'), { crit: { sigT: true } })
  return new TextEncoder().encode(jws) as Uint8Array<ArrayBuffer>
}

export type VicalOptions = {
  readonly sequence?: unknown
  readonly date?: unknown
  readonly nextUpdate?: unknown
  readonly version?: unknown
  readonly entries?: readonly { readonly certificate: unknown; readonly docType?: unknown }[]
  /** DER of the chain. A single certificate is sent as bytes (RFC 9360). `null`: none. */
  readonly chain?: readonly Uint8Array[] | null
  readonly algorithm?: number
  readonly tagged?: boolean
}

/** A time under tag 0. cborg selects encoders by type name, and `Date` is not in use there. */
export type Time = Date & { readonly text: string }

export function timeOf(text: string): Time {
  return Object.assign(new Date(0), { text })
}

const typeEncoders = {
  Date: ({ text }: Time) => [new Token(Type.tag, 0), new Token(Type.string, text)],
}

/** A VICAL: cborg encodes it, node:crypto signs it. */
export function signVical(signer: Minted, options: VicalOptions = {}): Uint8Array<ArrayBuffer> {
  const { nextUpdate = timeOf('2046-12-20T12:00:00Z'), sequence = 7, chain = [signer.der] } = options
  const payload = encodeCbor(
    {
      version: options.version ?? '1.0',
      vicalProvider: 'Test Provider',
      date: options.date ?? timeOf('2026-11-20T12:00:00Z'),
      ...(sequence === null ? {} : { vicalIssueID: sequence }),
      ...(nextUpdate === null ? {} : { nextUpdate }),
      certificateInfos: (options.entries ?? []).map(({ certificate, docType = [MDL] }) => ({
        certificate,
        serialNumber: 42,
        ski: new Uint8Array(20),
        docType,
      })),
    },
    { typeEncoders },
  )
  const protectedHeader = encodeCbor(new Map([[1, options.algorithm ?? -7]]))
  const toBeSigned = encodeCbor(['Signature1', protectedHeader, new Uint8Array(), payload])
  const signature = signWithNode('sha256', toBeSigned, {
    key: signer.privateJwk as never,
    format: 'jwk',
    dsaEncoding: 'ieee-p1363',
  })
  const x5chain = chain?.length === 1 ? chain[0] : chain
  const unprotected = new Map(chain === null ? [] : [[33, x5chain]])
  const message = encodeCbor([protectedHeader, unprotected, payload, new Uint8Array(signature)])
  const bytes = options.tagged ? Uint8Array.from([0xd2, ...message]) : message
  return bytes.slice() as Uint8Array<ArrayBuffer>
}

/** A scheme's own certification authority, and the signer of its lists below it. */
export const mintListPki = () =>
  mintIssuerPki({
    leaf: {
      subject: 'C=DE,O=Test Trust,CN=List Signer',
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: [VICAL_SIGNER],
    },
  })
