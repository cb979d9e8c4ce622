// Formats and protocols of a verifier. A program contains only those that it names.

import { jwtVcJson as jwtVcJsonFormat } from '../../../src/formats/jwt-vc-json/jwt-vc-json.ts'
import { mdoc as mdocFormat } from '../../../src/formats/mdoc/mdoc.ts'
import { sdJwtVc as sdJwtVcFormat } from '../../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import { dcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import { haip10 } from '../../../src/openid4vp/protocols/haip-1.0.ts'
import { iso180137c } from '../../../src/openid4vp/protocols/iso-18013-7-c.ts'
import { openid4vp10 } from '../../../src/openid4vp/protocols/openid4vp-1.0.ts'
import { buildDcqlPolicy, DCQL_ERRORS } from '../../../src/policy/build-dcql-policy.ts'
import { DCQL_MESSAGES } from '../../../src/policy/request-messages.ts'
import { checkCertificates } from '../../../src/trust/revocation/certificate-revocation.ts'
import { DOCUMENTS } from './documents.ts'
import type { OpenCheckPart, OpenProtocolPart, OpenQueryPart } from './open-parts.ts'
import type { CheckPart, FormatPart, ProtocolPart, QueryPart } from './types.ts'

/** SD-JWT VC (`dc+sd-jwt`). */
export const sdJwtVc: FormatPart = sdJwtVcFormat as FormatPart

/** Documents of ISO/IEC 18013-5 (`mso_mdoc`). */
export const mdoc: FormatPart = mdocFormat as FormatPart

/** W3C Verifiable Credentials 1.1 as JWT (`jwt_vc_json`). */
export const jwtVcJson: FormatPart = jwtVcJsonFormat as FormatPart

/** OpenID for Verifiable Presentations 1.0. */
export const openid4vp: ProtocolPart = { id: 'openid4vp-1.0', protocol: openid4vp10 } as OpenProtocolPart

/** The High Assurance Interoperability Profile 1.0. */
export const haip: ProtocolPart = { id: 'haip-1.0', protocol: haip10 } as OpenProtocolPart

/**
 * ISO/IEC TS 18013-7 Annex C. Beside `openid4vp` or `haip`, requests of the Digital Credentials API offer it
 * too, if documents alone can satisfy the policy.
 */
export const annexC: ProtocolPart = {
  id: 'iso-18013-7-c',
  protocol: iso180137c,
  documents: DOCUMENTS,
} as OpenProtocolPart

/** Policies with a `dcql_query` (OpenID4VP 1.0 §6). */
export const dcql: QueryPart = {
  id: 'dcql',
  schema: dcqlQuery,
  buildPolicy: buildDcqlPolicy,
  errors: DCQL_ERRORS,
  messages: DCQL_MESSAGES,
} as OpenQueryPart

/** Revocation lists of issuers' certificates (RFC 5280 §6.3), for the option `certificateRevocation`. */
export const revocationLists: CheckPart = { id: 'revocation_lists', checkCertificates } as OpenCheckPart
