// A list of trusted entities in JSON (ETSI TS 119 602 §6 and its schema 1960201), signed as a compact JAdES
// baseline B signature (ETSI TS 119 182-1). Members without an effect here (names, addresses, policies) are
// skipped.

import * as z from 'zod/mini'
import { decodeBase64 } from '../../codec/base64url.ts'
import { decodeUtf8 } from '../../codec/bytes.ts'
import { readDateTime } from '../../codec/date-time.ts'
import { decodeJws, verifyJws } from '../../crypto/jws.ts'
import { TRUST_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { readJwsSigner } from '../anchors/jws-signer.ts'
import type { DecodedList, ListContent, ListedCertificate, TrustListError } from './listed.ts'

/** Decodes a list. White space around the signature is allowed, because text files end with a line break. */
export function decodeLote(body: Uint8Array<ArrayBuffer>): Result<DecodedList, TrustListError> {
  if (body.length > TRUST_LIST.bytes) return err('too_large')
  const compact = decodeUtf8(body)?.trim()
  if (compact === undefined) return err('malformed')
  const jws = decodeJws(compact, TRUST_LIST.json, UNDERSTOOD)
  if (!jws.ok) return jws
  const signer = readJwsSigner(jws.value, undefined)
  if (!signer.ok) return err('malformed')
  const { chain, algorithm } = signer.value
  return ok({
    algorithm,
    chain,
    verify: (key) => verifyJws(jws.value, key),
    read: () => readContent(jws.value.payload),
  })
}

/**
 * Critical header parameters that are accepted. `sigT` is the claimed time of signing (ETSI TS 119 182-1
 * §5.2.1). `sigT` is ignored, because the list has its own date of issue.
 */
const UNDERSTOOD = ['sigT']

const dateTime = z.pipe(
  z.string(),
  z.transform((text: string, { issues }) => {
    const seconds = readDateTime(text)
    if (seconds !== undefined) return seconds
    issues.push({ code: 'custom', input: text, message: 'must be a time' })
    return z.NEVER
  }),
)

const SERVICE = z.object({
  ServiceInformation: z.object({
    ServiceTypeIdentifier: z.optional(z.string()),
    ServiceStatus: z.optional(z.string()),
    ServiceDigitalIdentity: z.object({
      X509Certificates: z.optional(z.array(z.object({ val: z.string() }))),
    }),
  }),
})

type Service = z.output<typeof SERVICE>['ServiceInformation']

const PAYLOAD = z.object({
  LoTE: z.object({
    ListAndSchemeInformation: z.object({
      LoTEVersionIdentifier: z.literal(1),
      LoTESequenceNumber: z.int().check(z.nonnegative()),
      LoTEType: z.optional(z.string()),
      ListIssueDateTime: dateTime,
      NextUpdate: dateTime,
    }),
    TrustedEntitiesList: z._default(z.array(z.object({ TrustedEntityServices: z.array(SERVICE) })), []),
  }),
})

function readContent(payload: unknown): Result<ListContent, TrustListError> {
  const parsed = PAYLOAD.safeParse(payload)
  if (!parsed.success) return err('malformed')
  const { ListAndSchemeInformation: scheme, TrustedEntitiesList: entities } = parsed.data.LoTE
  const services = entities.flatMap(({ TrustedEntityServices }) => TrustedEntityServices)
  return ok({
    type: scheme.LoTEType ?? null,
    sequence: scheme.LoTESequenceNumber,
    issuedAt: scheme.ListIssueDateTime,
    nextUpdate: scheme.NextUpdate,
    certificates: services.flatMap(({ ServiceInformation }) => readService(ServiceInformation)),
  })
}

/**
 * Statuses with which a service is trusted. A service without a status is trusted too: lists of PID, wallet
 * and certificate providers have none (Annexes D to G). A service with any other status is skipped.
 */
const IN_FORCE: ReadonlySet<string> = new Set([
  'http://uri.etsi.org/19602/PubEAAProvidersList/SvcStatus/notified',
  'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/granted',
])

function readService(service: Service): readonly ListedCertificate[] {
  const { ServiceTypeIdentifier: type, ServiceStatus: status, ServiceDigitalIdentity: identity } = service
  if (type === undefined || (status !== undefined && !IN_FORCE.has(status))) return []
  return (identity.X509Certificates ?? []).map(({ val }) => ({
    service: type,
    certificate: decodeBase64(val.replace(/\s+/g, '')),
  }))
}
