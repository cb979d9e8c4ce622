// The ASiC manifest (ETSI EN 319 162-1 §4.4.3.1, Annex A.4): one reference with a SHA-256 digest for each
// file. The time stamp covers the exact bytes of the manifest, so only one form is written and read.

import { decodeBase64, encodeBase64 } from '../../codec/base64url.ts'
import { decodeUtf8, utf8 } from '../../codec/bytes.ts'
import { EVIDENCE } from '../limits.ts'
import { FILE_NAME, NAMES, TIME_STAMP_TYPE } from './names.ts'

/** SHA-256 of each file that a manifest names. `timeStamp`: true if the manifest also names a time stamp. */
export type Manifest = {
  /** Name of a file, and its SHA-256. */
  readonly digests: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  readonly timeStamp: boolean
}

const START =
  '<asic:ASiCManifest xmlns:asic="http://uri.etsi.org/02918/v1.2.1#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">'
const SIGNATURE = `<asic:SigReference URI="${NAMES.timeStamp}" MimeType="${TIME_STAMP_TYPE}"/>`
const METHOD = '<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>'
const END = '</asic:ASiCManifest>'

/** Writes the manifest. Throws for a name that is no file name of a container. */
export function writeManifest({ digests, timeStamp }: Manifest): Uint8Array<ArrayBuffer> {
  const references = [...digests].map(([name, digest]) => {
    if (!FILE_NAME.test(name)) throw new Error(`${name} is no name of a file of evidence`)
    return reference(name, encodeBase64(digest))
  })
  return utf8([START, ...(timeStamp ? [SIGNATURE] : []), ...references, END].join(''))
}

/**
 * Reads a manifest in the form that `writeManifest` writes. Returns `undefined` for any other form, even
 * if the content is the same.
 */
export function readManifest(bytes: Uint8Array): Manifest | undefined {
  if (bytes.length > EVIDENCE.manifestBytes) return undefined
  const text = decodeUtf8(bytes)
  if (text === undefined || !text.startsWith(START)) return undefined
  const timeStamp = text.startsWith(SIGNATURE, START.length)
  const digests = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const match of text.matchAll(REFERENCE)) {
    const [, name = '', value = ''] = match
    const digest = decodeBase64(value)
    if (digest?.length !== 32 || digests.has(name)) return undefined
    digests.set(name, digest)
  }
  if ([...digests.keys()].some((name) => !FILE_NAME.test(name))) return undefined
  const manifest = { digests, timeStamp }
  return decodeUtf8(writeManifest(manifest)) === text ? manifest : undefined
}

function reference(name: string, digest: string): string {
  const value = `<ds:DigestValue>${digest}</ds:DigestValue>`
  return `<asic:DataObjectReference URI="${name}">${METHOD}${value}</asic:DataObjectReference>`
}

const REFERENCE = /<asic:DataObjectReference URI="([^"<&]+)">.{1,100}?<ds:DigestValue>([^<]+)</g
