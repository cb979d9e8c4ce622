// `google_wallet` of the settings: the data that Google Wallet shows about a relying party, or the metadata
// that Google returned.

import * as z from 'zod/mini'
import { decodeBase64url } from '../../codec/base64url.ts'
import { displayInfo } from '../../config.ts'
import { GOOGLE_METADATA } from '../../limits.ts'
import {
  buildGoogleMetadata,
  type DisplayInfo,
  isGoogleMetadata,
} from '../../openid4vp/request/google-metadata.ts'

/** `google_wallet` as a body contains it and as settings store it. */
export type GoogleWallet =
  | { readonly rp_metadata_bytes: string }
  | (Omit<DisplayInfo, 'display_name'> & { readonly display_name?: string })

const metadataBytes = z.string().check(
  z.maxLength(Math.ceil((GOOGLE_METADATA.bytes * 4) / 3)),
  z.meta({ pattern: '^[A-Za-z0-9_-]+$' }),
  z.refine(
    (bytes) => isGoogleMetadata(decodeBase64url(bytes)),
    'must be the base64url text that Google returned: CBOR with schema_version and display',
  ),
)

export const googleWallet = z.pipe(
  z.exactPartial(z.extend(displayInfo, { rp_metadata_bytes: metadataBytes })).check(
    z.superRefine(({ rp_metadata_bytes, ...display }, context) => {
      const report = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message })
      if (rp_metadata_bytes === undefined) {
        for (const name of ['logo_uri', 'privacy_policy_uri'] as const)
          if (display[name] === undefined) report(name, 'is required, unless rp_metadata_bytes is sent')
      } else if (Object.keys(display).length > 0) {
        report('rp_metadata_bytes', 'must be sent alone: it contains the other members')
      }
    }),
    z.meta({
      if: { required: ['rp_metadata_bytes'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { maxProperties: 1 },
      else: { required: ['logo_uri', 'privacy_policy_uri'] },
    }),
  ),
  z.transform(
    ({ rp_metadata_bytes, display_name, logo_uri = '', privacy_policy_uri = '' }): GoogleWallet =>
      rp_metadata_bytes === undefined
        ? { ...(display_name && { display_name }), logo_uri, privacy_policy_uri }
        : { rp_metadata_bytes },
  ),
)

/**
 * Returns the metadata in base64url. `aggregator`: data about the operator; null if the wallet does not show
 * the operator.
 */
export function writeGoogleMetadata(
  setting: GoogleWallet,
  name: string,
  aggregator: DisplayInfo | null,
): string {
  if ('rp_metadata_bytes' in setting) return setting.rp_metadata_bytes
  return buildGoogleMetadata({ display_name: name, ...setting }, aggregator)
}
