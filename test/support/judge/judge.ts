// A second verifier of presentations, without code of src/. @sd-jwt/sd-jwt-vc, @owf/mdoc and jose each verify
// one format. The judge fetches nothing and knows no policy. differences.ts lists how its results differ from
// those of the service.

import type { SessionTranscript } from '@owf/mdoc'
import { judgeJwtVc } from './jwt-vc.ts'
import { judgeMdoc } from './mdoc.ts'
import { judgeSdJwtVc } from './sd-jwt-vc.ts'

/** The content of the request, and the issuers that the relying party trusts. */
export type Asked = {
  readonly nonce: string
  /** The Client Identifier, or `origin:` and the origin. */
  readonly audience: string
  readonly holderBinding: boolean
  /** Unix seconds of the request. */
  readonly requestedAt: number
  /** Unix seconds of the response. */
  readonly now: number
  /** Anchors that vouch for issuers of a credential with these type identifiers. */
  readonly trusted: (types: readonly string[]) => readonly Anchor[]
  /** The bytes that the device of an mdoc signs. */
  readonly transcript: () => Promise<SessionTranscript>
}

/** The members of a trust anchor that the judge reads, in the form of the settings. */
export type Anchor = {
  readonly x509_ca_pem?: string
  readonly x509_certificate_pem?: string
  readonly issuer?: string
  readonly jwks?: { readonly keys: readonly object[] }
  readonly did?: string
  /** The judge fetches no metadata, so it trusts no issuer by such an anchor. */
  readonly issuer_url?: string
}

const JUDGES: Readonly<Record<string, (presentation: string, asked: Asked) => Promise<void>>> = {
  'dc+sd-jwt': judgeSdJwtVc,
  mso_mdoc: judgeMdoc,
  jwt_vc_json: judgeJwtVc,
}

/** Returns `accepted`, or the error message with which the library refuses the presentation. */
export async function judge(format: string, presentation: unknown, asked: Asked): Promise<string> {
  const judgeFormat = JUDGES[format]
  if (judgeFormat === undefined) throw new Error(`no library judges ${format}`)
  try {
    if (typeof presentation !== 'string') throw new Error('not a text')
    await judgeFormat(presentation, asked)
    return 'accepted'
  } catch (error) {
    return (error instanceof Error && error.message) || String(error)
  }
}
