// The archive of a relying party under load: sessions with evidence (api/evidence), of which it erases some,
// and what the service returns of each afterwards.

import {
  type Envelope,
  type EvidenceRecipient,
  newRecipient,
  openSealed,
} from '../../support/service/evidence.ts'
import type { Server } from '../../support/service/server.ts'
import { expectStatus as expectAnswer } from '../../support/service/service.ts'
import type { Ask, End, FinishedSession } from './load.ts'
import { expectStatus } from './ways.ts'

export type Archive = {
  readonly recipient: EvidenceRecipient
  /** API key with the scope `evidence:read` alone. */
  readonly reader: string
}

/** Answer about the evidence of a session. `digest`: null without evidence that can be opened. */
export type SealedAnswer = { readonly status: number; readonly digest: string | null }

/** One of so many sessions with a presentation has evidence. So does each login. */
const SHARE = 3

/** Returns the settings of evidence. */
export function archiveSettings({ publicKey }: EvidenceRecipient): object {
  return { jwks: { keys: [publicKey] }, outcomes: ['verified', 'rejected'] }
}

/** Creates the recipient of a run. */
export function newArchiveRecipient(): Promise<EvidenceRecipient> {
  return newRecipient('archive')
}

/** Creates the key of the archive. */
export async function openArchive(
  { origin, adminToken }: Server,
  relyingPartyId: string,
  recipient: EvidenceRecipient,
): Promise<Archive> {
  const created = await fetch(`${origin}/v1/admin/relying_parties/${relyingPartyId}/api_keys`, {
    method: 'POST',
    headers: { ...bearer(adminToken), 'content-type': 'application/json' },
    body: JSON.stringify({ scopes: ['evidence:read'] }),
  })
  const { api_key: reader } = (await expectAnswer(created, 201)) as { readonly api_key: string }
  return { recipient, reader }
}

/** Returns true if a session asks for evidence. Only an end by a presentation has some. */
export function asksForEvidence(number: number, end: End): boolean {
  return (end === 'verified' || end === 'rejected') && number % SHARE === 0
}

/** Erases the evidence of every other session that has some. Returns what the archive knows then. */
export async function settleEvidence(
  ask: Ask,
  { reader }: Archive,
  { number, verificationId }: Pick<FinishedSession, 'number' | 'verificationId'>,
): Promise<'kept' | 'erased'> {
  if (number % 2 === 0) return 'kept'
  expectStatus(204, await ask(pathOf(verificationId), { method: 'DELETE', headers: bearer(reader) }))
  return 'erased'
}

/** Reads and opens the evidence of a session. */
export async function readSealed(
  ask: Ask,
  { reader, recipient }: Archive,
  id: string,
): Promise<SealedAnswer> {
  const { status, text } = await ask(pathOf(id), { headers: bearer(reader) })
  if (status !== 200) return { status, digest: null }
  const envelope = JSON.parse(text) as Envelope
  try {
    await openSealed(envelope, recipient.privateKey)
    return { status, digest: envelope.manifest_sha256 }
  } catch {
    return { status, digest: null }
  }
}

function pathOf(verificationId: string): string {
  return `/v1/verify/${verificationId}/evidence`
}

function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` }
}
