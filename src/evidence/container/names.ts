// Names of the files in a container of evidence. Outside `META-INF/`, names have only the characters
// `[a-z0-9._/-]`. The variable parts of names are numbers, digests and checked ids.

import type { CredentialQuery } from '../../openid4vp/dcql/query.ts'

export const NAMES = {
  mimetype: 'mimetype',
  index: 'evidence.json',
  statement: 'statement.jws',
  requestObject: 'request/request-object.jwt',
  multiSigned: 'request/request-object.json',
  unsignedRequest: 'request/request.json',
  deviceRequest: 'request/device-request.cbor',
  encryptionInfo: 'request/encryption-info.cbor',
  session: 'request/session.json',
  transcript: 'request/session-transcript.cbor',
  encrypted: 'response/encrypted.bin',
  responseKey: 'response/response-key.jwk',
  serviceKeys: 'keys/service.jwks',
  decision: 'decision.json',
  manifest: 'META-INF/ASiCManifest.xml',
  timeStamp: 'META-INF/timestamp.tst',
} as const

export const CERTIFICATES = 'certificates/'
export const MATERIALS = 'materials/'
/** Prefix of the manifest and the time stamp. The manifest has no digest of these two files. */
export const META_INF = 'META-INF/'

/** Content of `mimetype` (ETSI EN 319 162-1 §4.4, Annex A.1). */
export const MEDIA_TYPE = 'application/vnd.etsi.asic-e+zip'

/** Media type of a time stamp token in the manifest. */
export const TIME_STAMP_TYPE = 'application/vnd.etsi.timestamp-token'

/** JOSE `typ` of the statement. */
export const STATEMENT_TYPE = 'verification-evidence+jwt'

/** Pattern of every file name of a container, except the names below `META_INF`. */
export const FILE_NAME = /^[a-z0-9_-][a-z0-9._-]*(?:\/[a-z0-9_-][a-z0-9._-]*){0,2}$/

/** Returns the name of a certificate. `sha256`: hexadecimal digest of its DER. */
export function certificateName(sha256: string): string {
  return `${CERTIFICATES}${sha256}.der`
}

/** Returns the file name of a fetched resource. `sha256`: hexadecimal digest of the resource. */
export function materialName(sha256: string): string {
  return `${MATERIALS}${sha256}`
}

const SIMPLE_ID = /^(?!q\d+$)[a-z0-9_-]{1,64}$/

/**
 * Returns the start of the file name of each presentation for a credential query. If the id of the query does
 * not match `SIMPLE_ID`, the number of the query is used instead.
 *
 * @example
 * queryName({ id: 'pid' }, 0) // 'response/pid-'
 * queryName({ id: 'PID' }, 0) // 'response/q0-'
 */
export function queryName({ id }: Pick<CredentialQuery, 'id'>, number: number): string {
  return `response/${SIMPLE_ID.test(id) ? id : `q${number}`}-`
}
