// Metadata that Google Wallet shows about a relying party: `client_metadata.gw_rp_metadata_bytes`
// (developers.google.com/wallet/identity/verify/verifier-registrar). The metadata is CBOR: tag 24 around the
// bytes of a map.

import { encodeBase64url } from '../../codec/base64url.ts'
import { decodeCbor, findEntry, readEmbedded, readText } from '../../codec/cbor.ts'
import { type CborValue, embedCbor, encodeCbor } from '../../codec/cbor-encode.ts'
import { GOOGLE_METADATA } from '../../limits.ts'

/** Data of one party, as the wallet shows them to its user. */
export type DisplayInfo = {
  readonly display_name: string
  readonly logo_uri: string
  readonly privacy_policy_uri: string
}

/**
 * Encodes the metadata deterministically (RFC 8949 §4.2.1). `aggregator`: the party that sends requests for
 * the relying party; null: there is no such party.
 */
export function buildGoogleMetadata(display: DisplayInfo, aggregator: DisplayInfo | null): string {
  const map: [string, CborValue][] = [
    ['display', encodedDisplay(display)],
    ['schema_version', 'v1'],
    ...(aggregator === null ? [] : [['aggregator_info', encodedDisplay(aggregator)] as [string, CborValue]]),
  ]
  return encodeBase64url(embedCbor(encodeCbor({ map })))
}

/** Returns the map of one party. Deterministic CBOR has shorter names first. */
function encodedDisplay({ display_name, logo_uri, privacy_policy_uri }: DisplayInfo): CborValue {
  return {
    map: [
      ['logo_uri', logo_uri],
      ['display_name', display_name],
      ['privacy_policy_uri', privacy_policy_uri],
    ],
  }
}

/** Returns true for metadata with a schema version and a complete display. Google may add other members. */
export function isGoogleMetadata(bytes: Uint8Array<ArrayBuffer> | undefined): boolean {
  const outer = bytes && decodeCbor(bytes, GOOGLE_METADATA)
  const embedded = outer?.ok ? readEmbedded(outer.value) : undefined
  const inner = embedded && decodeCbor(embedded, GOOGLE_METADATA)
  if (!inner?.ok) return false
  const display = findEntry(inner.value, 'display')
  const isText = (name: string) => display !== undefined && (readText(findEntry(display, name)) ?? '') !== ''
  return (
    readText(findEntry(inner.value, 'schema_version')) !== undefined &&
    ['display_name', 'logo_uri', 'privacy_policy_uri'].every(isText)
  )
}
