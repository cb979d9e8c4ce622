// A relying party that keeps evidence: its keys, and the sealed evidence opened with `jose`.

import { createHash } from 'node:crypto'
import { unzipSync } from 'fflate'
import { type CryptoKey, exportJWK, type GeneralJWE, generalDecrypt, generateKeyPair, type JWK } from 'jose'
import { openEnvelope, type Report } from '../../../packages/evidence/src/evidence.ts'
import { expectStatus, type RelyingParty, type Service } from './service.ts'

/** A recipient of evidence. `publicKey` is an entry of `evidence.jwks.keys`. */
export type EvidenceRecipient = {
  readonly publicKey: object
  readonly privateKey: CryptoKey
  readonly privateJwk: JWK
}

/** Makes a recipient: an EC key of a curve, or an RSA key of 2048 bits. */
export async function newRecipient(
  kid: string,
  kind: 'P-256' | 'P-384' | 'RSA' = 'P-256',
): Promise<EvidenceRecipient> {
  const pair = await (kind === 'RSA'
    ? generateKeyPair('RSA-OAEP-256', { extractable: true })
    : generateKeyPair('ECDH-ES+A256KW', { crv: kind, extractable: true }))
  const privateJwk = { ...(await exportJWK(pair.privateKey)), kid }
  return { publicKey: { ...(await exportJWK(pair.publicKey)), kid }, privateKey: pair.privateKey, privateJwk }
}

/** A relying party with evidence, and a key with the scope `evidence:read` alone. */
export type Keeper = {
  readonly rp: RelyingParty
  readonly reader: string
  readonly recipient: EvidenceRecipient
}

export async function newKeeper(
  service: Pick<Service, 'admin'>,
  relyingParty: (settings: object) => Promise<RelyingParty>,
  evidence: object = {},
): Promise<Keeper> {
  const recipient = await newRecipient('archive')
  const rp = await relyingParty({ evidence: { jwks: { keys: [recipient.publicKey] }, ...evidence } })
  const granted = await service.admin('POST', `/${rp.relying_party_id}/api_keys`, {
    scopes: ['evidence:read'],
  })
  const { api_key: reader } = (await expectStatus(granted, 201)) as { readonly api_key: string }
  return { rp, reader, recipient }
}

/** Members of the envelope that tests use. */
export type Envelope = {
  readonly verification_id: string
  readonly manifest: string
  readonly manifest_sha256: string
  readonly sealed: GeneralJWE
  readonly [member: string]: unknown
}

/** Calls a route of evidence with the reader's key. */
export function callEvidence({ rp, reader }: Keeper, id: string, method = 'GET'): Promise<Response> {
  return rp.call(method, `/v1/verify/${id}/evidence`, { token: reader })
}

/** Fetches and opens the evidence of a verification. */
export async function fetchEvidence(keeper: Keeper, id: string) {
  const envelope = (await expectStatus(await callEvidence(keeper, id), 200)) as Envelope
  return { envelope, files: await openSealed(envelope, keeper.recipient.privateKey) }
}

/** Returns the files of the sealed container by name. Its digests are those of the manifest. */
export async function openSealed(
  { sealed, manifest }: Envelope,
  key: CryptoKey,
): Promise<Readonly<Record<string, Uint8Array>>> {
  const { plaintext } = await generalDecrypt(sealed, key)
  const files = unzipSync(plaintext)
  const xml = Buffer.from(manifest, 'base64').toString()
  const references = xml.matchAll(/DataObjectReference URI="([^"]+)".*?<ds:DigestValue>([^<]+)</g)
  for (const [, name = '', digest] of references) {
    if (name.startsWith('materials/')) continue // they are fetched on their own
    const content = files[name]
    if (content === undefined) throw new Error(`${name} is missing`)
    if (createHash('sha256').update(content).digest('base64') !== digest)
      throw new Error(`${name} has another digest`)
  }
  return files
}

/** Fetches the evidence of a verification with its materials. Returns it opened with them and without. */
export async function fetchWithMaterials(keeper: Keeper, id: string) {
  const { envelope } = await fetchEvidence(keeper, id)
  const named = envelope.materials as readonly { sha256: string; bytes: number; media_type: string }[]
  const materials = new Map<string, Uint8Array>()
  for (const { sha256, bytes } of named) {
    const response = await keeper.rp.call('GET', `/v1/evidence/materials/${sha256}`, { token: keeper.reader })
    const body = new Uint8Array(await response.arrayBuffer())
    if (response.status !== 200 || body.length !== bytes) throw new Error(`HTTP ${response.status}`)
    materials.set(sha256, body)
  }
  const open = async (find?: (digest: string) => Uint8Array | undefined) =>
    (await openEnvelope(JSON.stringify(envelope), [keeper.recipient.privateJwk], find)).zip
  return { named, whole: await open((digest) => materials.get(digest)), bare: await open() }
}

/** The checks of a report that did not pass, but those that an auditor's trust and a time stamp decide. */
export function openChecks({ checks }: Report): readonly string[] {
  const others = ['time_stamp', 'statement_key', 'issuer']
  return checks
    .filter(({ id, result }) => result !== 'pass' && !others.includes(id))
    .map(({ id, result, detail }) => (result === 'fail' ? `${id}: ${detail}` : `${id}: ${result}`))
}

/** Returns a file as JSON. */
export function jsonOf(files: Readonly<Record<string, Uint8Array>>, name: string): Record<string, unknown> {
  return JSON.parse(textOf(files, name)) as Record<string, unknown>
}

export function textOf(files: Readonly<Record<string, Uint8Array>>, name: string): string {
  const content = files[name]
  if (content === undefined) throw new Error(`${name} is missing`)
  return new TextDecoder().decode(content)
}
