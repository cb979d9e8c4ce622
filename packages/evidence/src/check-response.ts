// Check of the response as it came: opened with the response key, it must give the presentations of the
// container.

import { canonicalJson } from '../../../src/codec/canonical-json.ts'
import { type JsonObject, member } from '../../../src/codec/json.ts'
import { openHpke } from '../../../src/crypto/hpke.ts'
import { type PrivateJwk, parsePublicJwk } from '../../../src/crypto/jwk.ts'
import { NAMES } from '../../../src/evidence/container/names.ts'
import { readPresentation } from '../../../src/evidence/container/presentation-file.ts'
import { parseDocuments } from '../../../src/iso18013-7/device-response.ts'
import { parseEncryptedResponse } from '../../../src/iso18013-7/encrypted-response.ts'
import { documentQuery } from '../../../src/openid4vp/dcql/document-query.ts'
import { PROTOCOLS } from '../../../src/openid4vp/protocols/index.ts'
import { decryptResponse } from '../../../src/openid4vp/response/authorization-response.ts'
import { parseEncryptedJwe } from '../../../src/openid4vp/response/response-encryption.ts'
import type { PresentationGroup } from '../../../src/openid4vp/response/vp-token.ts'
import { type CaseFile, readJson } from './case-file.ts'
import type { Reporter } from './report.ts'
import { textFile } from './text-file.ts'
import { UnreadableError } from './zip-reader.ts'

/** Returns the response key of the container; null if the response was not encrypted. */
export function readResponseKey({ files }: CaseFile): PrivateJwk | null {
  if (!files.has(NAMES.responseKey)) return null
  const jwk = readJson(files, NAMES.responseKey)
  const key = parsePublicJwk(jwk)
  const d = member(jwk, 'd')
  if (key === undefined || typeof d !== 'string')
    throw new UnreadableError(`${NAMES.responseKey} is no private key`)
  return { ...key, d }
}

/** Returns the presentations of the container by credential query, in the order of the index. */
export function readGroups({ index, files, session }: CaseFile): readonly PresentationGroup[] {
  const groups = new Map<string, (string | JsonObject)[]>()
  for (const { role, name, media_type, query } of index.files) {
    if (role !== 'presentation') continue
    const bytes = files.get(name)
    const presentation = bytes && readPresentation({ media_type, bytes })
    if (presentation === undefined || query === undefined) throw new UnreadableError(`${name} cannot be read`)
    groups.set(query, [...(groups.get(query) ?? []), presentation])
  }
  return [...groups].map(([id, presentations]) => {
    const query = session.query.credentials.find((one) => one.id === id)
    if (query === undefined) throw new UnreadableError(`no credential query has the id of a presentation`)
    return { query, presentations }
  })
}

/** Opens the response and compares its presentations with the files. */
export async function checkResponse(
  caseFile: CaseFile,
  {
    groups,
    responseKey,
  }: { readonly groups: readonly PresentationGroup[]; readonly responseKey: PrivateJwk | null },
  reporter: Reporter,
): Promise<void> {
  const { files, session } = caseFile
  const line = {
    file: NAMES.encrypted,
    clause: session.annex_c ? 'ISO/IEC TS 18013-7 Annex C' : 'OpenID4VP 1.0 8.3',
  }
  const text = textFile(files, NAMES.encrypted)
  if (text === undefined || responseKey === null) {
    const isComplete = text === undefined && responseKey === null
    if (isComplete)
      reporter.pass('response', { ...line, file: null, detail: 'the response was not encrypted' })
    else reporter.fail('response', 'the encrypted response or its key is missing', line)
    return
  }
  const opened = session.annex_c
    ? await openDocuments(caseFile, text, responseKey)
    : await openJwe(caseFile, text, responseKey)
  if (opened === undefined) {
    reporter.fail('response', 'the response key does not open the response', line)
    return
  }
  const isSame = canonicalJson(listOf(opened)) === canonicalJson(listOf(groups))
  reporter.expect('response', isSame, 'the response has other presentations than the container', line)
}

/** Lists presentations by query id, in an order that does not depend on the wallet. */
function listOf(groups: readonly PresentationGroup[]) {
  const lists = groups.map(({ query, presentations }) => ({
    id: query.id,
    presentations: [...presentations],
  }))
  return lists.sort((a, b) => (a.id < b.id ? -1 : 1))
}

async function openJwe({ session }: CaseFile, text: string, privateJwk: PrivateJwk) {
  const protocol = PROTOCOLS[session.protocol]
  // The key is given, so a wallet that omits `kid` names nothing that is needed.
  const jwe = parseEncryptedJwe(text, { ...protocol.responseEncryption, kidRequired: false })
  if (!jwe.ok) return undefined
  const response = await decryptResponse(jwe.value, { kid: jwe.value.kid ?? '', privateJwk })
  if (!response.ok || response.value.kind !== 'presentation') return undefined
  const { query, language, nonce } = session
  const groups = protocol.parsePresentations(response.value, { query, language, nonce })
  return groups.ok ? groups.value : undefined
}

async function openDocuments({ session, files }: CaseFile, text: string, privateJwk: PrivateJwk) {
  const message = parseEncryptedResponse({ response: text })
  const info = files.get(NAMES.transcript)
  const query = documentQuery(session.query)
  if (!message.ok || info === undefined || query === undefined) return undefined
  const deviceResponse = await openHpke(message.value, privateJwk, { info })
  const documents = deviceResponse && parseDocuments(deviceResponse, session.query, query)
  return documents?.ok ? documents.value.groups : undefined
}
