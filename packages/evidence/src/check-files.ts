// Checks of the files: every file against the manifest, the index against the files, and the statement.

import { encodeHex, equalBytes, utf8 } from '../../../src/codec/bytes.ts'
import { isJsonObject, type JsonObject, member } from '../../../src/codec/json.ts'
import { sha256 } from '../../../src/crypto/digest.ts'
import { type PublicJwk, parsePublicJwk } from '../../../src/crypto/jwk.ts'
import { decodeJws, verifyJws } from '../../../src/crypto/jws.ts'
import { MATERIALS, MEDIA_TYPE, NAMES, STATEMENT_TYPE } from '../../../src/evidence/container/names.ts'
import { EVIDENCE } from '../../../src/evidence/limits.ts'
import { type CaseFile, readJson } from './case-file.ts'
import type { Reporter } from './report.ts'
import { textFile } from './text-file.ts'
import type { Trust } from './trust.ts'

const ASIC = 'EN 319 162-1 4.4'

/** Checks each file against the manifest, and that there is no other file. */
export async function checkFiles({ files, manifest }: CaseFile, reporter: Reporter): Promise<void> {
  const type = files.get(NAMES.mimetype)
  const isContainer = type !== undefined && equalBytes(type, utf8(MEDIA_TYPE))
  reporter.expect('mimetype', isContainer, 'the file has another content', {
    file: NAMES.mimetype,
    clause: ASIC,
  })
  for (const [name, digest] of manifest.digests) {
    const bytes = files.get(name)
    const line = { file: name, clause: ASIC }
    if (bytes !== undefined)
      reporter.expect('file', equalBytes(await sha256(bytes), digest), 'the file was changed', line)
    else reporter.fail('file', name.startsWith(MATERIALS) ? MATERIAL_MISSING : 'the file is missing', line)
  }
  const known = new Set<string>([NAMES.mimetype, NAMES.manifest, NAMES.timeStamp])
  for (const name of files.keys()) {
    if (!manifest.digests.has(name) && !known.has(name))
      reporter.fail('file', 'the manifest does not name this file', { file: name, clause: ASIC })
  }
}

/** Checks that `evidence.json` lists exactly the files and materials of the manifest. */
export function checkIndex({ index, manifest, files }: CaseFile, reporter: Reporter): void {
  const line = { file: NAMES.index }
  const listed = [...index.files, ...index.materials]
  const named = [...manifest.digests.keys()].filter(
    (name) => name !== NAMES.index && name !== NAMES.statement,
  )
  const names = new Set(listed.map(({ name }) => name))
  const isSame = names.size === named.length && named.every((name) => names.has(name))
  reporter.expect('index', isSame, 'the index lists other files than the manifest', line)
  const wrong = listed.find(({ name, sha256, bytes }) => {
    const digest = manifest.digests.get(name)
    const content = files.get(name)
    return (
      digest === undefined ||
      encodeHex(digest) !== sha256 ||
      (content !== undefined && content.length !== bytes)
    )
  })
  reporter.expect(
    'index_digests',
    wrong === undefined,
    `the index has another digest or size of ${wrong?.name}`,
    line,
  )
}

/**
 * Checks the statement of the service. Returns its payload if its signature is valid, else an empty object.
 */
export async function checkStatement(
  caseFile: CaseFile,
  trust: Trust,
  reporter: Reporter,
): Promise<JsonObject> {
  const { files, manifest, index } = caseFile
  const line = { file: NAMES.statement, clause: 'RFC 7515 5.2' }
  const text = textFile(files, NAMES.statement)
  const jws = text === undefined ? undefined : decodeJws(text, EVIDENCE.json)
  if (!jws?.ok || member(jws.value.header, 'typ') !== STATEMENT_TYPE) {
    reporter.fail('statement', 'the statement is missing or has another form', line)
    return {}
  }
  const { header, payload } = jws.value
  const key = findKey(caseFile, member(header, 'kid'))
  if (key === undefined || !(await verifyJws(jws.value, key))) {
    reporter.fail('statement', `no key of ${NAMES.serviceKeys} made the signature`, line)
    return {}
  }
  reporter.pass('statement', line)
  checkServiceKey(key, trust, reporter)
  const expected = Object.fromEntries(
    [...manifest.digests].flatMap(([name, digest]) =>
      name === NAMES.statement ? [] : [[name, encodeHex(digest)]],
    ),
  )
  reporter.expect(
    'statement_files',
    isSameRecord(member(payload, 'files'), expected),
    'the statement is about other files',
    line,
  )
  const isSame = (['verification_id', 'relying_party_id', 'livemode'] as const).every((name) => {
    const value = member(payload, name)
    return value === undefined || value === index[name]
  })
  reporter.expect('statement_case', isSame, 'the statement is about another verification', line)
  return payload
}

const MATERIAL_MISSING = 'the material is missing: add it with `evidence open --materials`'

/** Compares the key of the statement with the keys that the auditor trusts. */
function checkServiceKey(key: PublicJwk, { serviceKeys }: Trust, reporter: Reporter): void {
  const line = { file: NAMES.serviceKeys }
  if (serviceKeys === undefined) {
    reporter.absent('statement_key', AS_TRUSTED, line)
    return
  }
  const isTrusted = serviceKeys.some(({ crv, x, y }) => crv === key.crv && x === key.x && y === key.y)
  reporter.expect(
    'statement_key',
    isTrusted,
    'the key of the statement is not in service_keys of trust.json',
    line,
  )
}

/** Detail of a check that trust.json would decide. */
export const AS_TRUSTED = 'as the verifier trusted it'

function findKey({ files }: CaseFile, kid: unknown): PublicJwk | undefined {
  const keys = member(readJson(files, NAMES.serviceKeys), 'keys')
  const found = Array.isArray(keys)
    ? keys.filter((key) => isJsonObject(key) && member(key, 'kid') === kid)
    : []
  return found.length === 1 ? parsePublicJwk(found[0]) : undefined
}

function isSameRecord(value: unknown, expected: Readonly<Record<string, string>>): boolean {
  if (!isJsonObject(value)) return false
  const names = Object.keys(value)
  return (
    names.length === Object.keys(expected).length &&
    names.every((name) => member(value, name) === expected[name])
  )
}
