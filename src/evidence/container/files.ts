// Writes the files of a container of evidence. Its index, statement and manifest are written in write.ts.

import { encodeHex, utf8 } from '../../codec/bytes.ts'
import { canonicalJson } from '../../codec/canonical-json.ts'
import { sha256 } from '../../crypto/digest.ts'
import { buildSessionTranscript } from '../../formats/mdoc/session-transcript.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { anchorCertificates } from '../../trust/x509/pem-certificates.ts'
import { type EvidenceFile, plainJson, type WrittenFile, writeJson } from './evidence-file.ts'
import type { EvidenceInput } from './input.ts'
import { certificateName, NAMES, queryName } from './names.ts'
import { writePresentation } from './presentation-file.ts'

/** Returns the entry of a file in `evidence.json`. */
export function describe({ name, role, media_type, bytes, sha256, query, source, fetched_at }: WrittenFile) {
  return {
    ...{ name, role, bytes: bytes.length, sha256, media_type },
    ...(query !== undefined && { query }),
    ...(source !== undefined && { source }),
    ...(fetched_at !== undefined && { fetched_at: new Date(fetched_at * 1000).toISOString() }),
  }
}

/** Returns the files of a verification, in the order in which a container has them. */
export async function collectFiles(input: EvidenceInput): Promise<readonly EvidenceFile[]> {
  const { session, decision, salts } = input
  return [
    ...requestFiles(input),
    writeJson(NAMES.session, 'session', { version: 1, ...session }, salts.session),
    ...(await transcriptFiles(input)),
    ...presentationFiles(input),
    ...encryptedFiles(input),
    ...(await certificateFiles(input)),
    ...keyFiles(input),
    writeJson(NAMES.decision, 'decision', { version: 1, ...decision }, salts.decision),
  ]
}

function requestFiles({ request }: EvidenceInput): readonly EvidenceFile[] {
  const role = 'request'
  switch (request.kind) {
    case 'request_object': {
      const media_type = 'application/oauth-authz-req+jwt'
      return [{ name: NAMES.requestObject, role, media_type, bytes: utf8(request.jwt) }]
    }
    case 'multi_signed': {
      const file = plainJson(NAMES.multiSigned, role, request.request)
      return [{ ...file, media_type: 'application/jose+json' }]
    }
    case 'unsigned':
      return [plainJson(NAMES.unsignedRequest, role, request.parameters)]
    case 'annex_c': {
      const media_type = 'application/cbor'
      const { deviceRequest, encryptionInfo } = request
      return [
        { name: NAMES.deviceRequest, role, media_type, bytes: deviceRequest },
        { name: NAMES.encryptionInfo, role, media_type, bytes: encryptionInfo },
      ]
    }
  }
}

/** Returns the session transcript that devices signed, if an mdoc was presented. */
async function transcriptFiles({
  session,
  encrypted,
  groups,
}: EvidenceInput): Promise<readonly EvidenceFile[]> {
  if (!groups.some(({ query }) => query.format === 'mso_mdoc')) return []
  const { audience, nonce } = session
  const handover = { ...session.handover, encryptionKey: encrypted?.key ?? null }
  const bytes = await buildSessionTranscript({ audience, nonce, handover })
  if (bytes === undefined) return []
  return [{ name: NAMES.transcript, role: 'transcript', media_type: 'application/cbor', bytes }]
}

function presentationFiles({ groups, session }: EvidenceInput): readonly EvidenceFile[] {
  const { credentials } = session.query
  return groups.flatMap(({ query, presentations }) => {
    const start = queryName(
      query,
      credentials.findIndex(({ id }) => id === query.id),
    )
    return presentations.map((presentation, i) => {
      const { extension, media_type, bytes } = writePresentation(query.format, presentation)
      const name = `${start}${i + 1}.${extension}`
      return { name, role: 'presentation' as const, media_type, bytes, query: query.id }
    })
  })
}

function encryptedFiles({ encrypted }: EvidenceInput): readonly EvidenceFile[] {
  if (encrypted === null) return []
  const { kty, crv, x, y, d, kid } = encrypted.key
  const key = { kty, crv, x, y, d, kid }
  return [
    {
      name: NAMES.encrypted,
      role: 'encrypted_response',
      media_type: 'application/octet-stream',
      bytes: utf8(encrypted.text),
    },
    { ...plainJson(NAMES.responseKey, 'response_key', key), media_type: 'application/jwk+json' },
  ]
}

/** Returns each certificate once, in the order of the digests. */
async function certificateFiles({ certificates, decision }: EvidenceInput): Promise<readonly EvidenceFile[]> {
  const anchors = decision.trust.anchors.flatMap(anchorPem).flatMap(anchorCertificates)
  const all = [...certificates, ...anchors.map(({ encoded }) => encoded)]
  const named = await Promise.all(
    all.map(async (bytes) => [certificateName(encodeHex(await sha256(bytes))), bytes] as const),
  )
  return [...new Map(named)].sort(byName).map(([name, bytes]) => {
    return { name, role: 'certificate', media_type: 'application/pkix-cert', bytes }
  })
}

function anchorPem(anchor: TrustAnchor): readonly string[] {
  if ('x509_ca_pem' in anchor) return [anchor.x509_ca_pem]
  return 'x509_certificate_pem' in anchor ? [anchor.x509_certificate_pem] : []
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function keyFiles({ service_keys, fetched_keys, decision }: EvidenceInput): readonly EvidenceFile[] {
  const role = 'keys'
  const service = plainJson(NAMES.serviceKeys, role, { keys: service_keys })
  const anchored = decision.trust.anchors.flatMap((anchor) => ('jwks' in anchor ? anchor.jwks.keys : []))
  const distinct = [...new Map(anchored.map((jwk) => [canonicalJson({ ...jwk }), jwk])).values()]
  const counts = { did: 0, issuer: 0 }
  return [
    { ...service, media_type: 'application/jwk-set+json' },
    ...distinct.map((jwk, i) => ({
      ...plainJson(`keys/issuer-${i + 1}.jwk`, role, jwk),
      media_type: 'application/jwk+json',
    })),
    ...fetched_keys.map(({ kind, body, ...fetched }) => {
      counts[kind] += 1
      const name = `keys/${kind}-${counts[kind]}.json`
      return { name, role, media_type: 'application/json', bytes: body, ...fetched } as const
    }),
  ]
}
