// Files of a container. JSON files are canonical JSON (RFC 8785), and some have a random salt. The digests of
// the files are stored and sent unencrypted. Without a salt, somebody could guess the content of a file, and
// see from the digest that the guess is right.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { canonicalJson } from '../../codec/canonical-json.ts'
import type { Json } from '../../codec/json.ts'

/** One file. `source` and `fetched_at` (Unix seconds) are present only if the file was fetched. */
export type EvidenceFile = {
  readonly name: string
  readonly role:
    | 'index'
    | 'statement'
    | 'request'
    | 'session'
    | 'transcript'
    | 'presentation'
    | 'encrypted_response'
    | 'response_key'
    | 'certificate'
    | 'keys'
    | 'decision'
  readonly media_type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Id of the credential query of a presentation. */
  readonly query?: string
  readonly source?: string
  readonly fetched_at?: number
}

/** A file with its digest, in hexadecimal. */
export type WrittenFile = EvidenceFile & { readonly sha256: string }

const SALT_BYTES = 16

/** Writes a JSON file with a salt. Members that are `undefined` are left out. */
export function writeJson(
  name: string,
  role: EvidenceFile['role'],
  content: object,
  salt: Uint8Array,
): EvidenceFile {
  if (salt.length !== SALT_BYTES) throw new Error('a salt of evidence has 16 bytes')
  return plainJson(name, role, { ...content, salt: encodeBase64url(salt) })
}

/** Writes a JSON file without a salt. Only public data, and data that contains a random key, need no salt. */
export function plainJson(name: string, role: EvidenceFile['role'], content: object): EvidenceFile {
  const value = JSON.parse(JSON.stringify(content)) as Json
  return { name, role, media_type: 'application/json', bytes: utf8(canonicalJson(value)) }
}
