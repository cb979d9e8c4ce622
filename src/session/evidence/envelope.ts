// The envelope of sealed evidence (api/evidence). The API returns this envelope, and the service sends it to
// an object store.

import type { EvidenceEnvelope } from '../../api/responses/evidence.ts'
import { isoTime } from '../../codec/date-time.ts'
import type { StoredEvidence } from './stored-evidence.ts'

type SealedPart = Pick<EvidenceEnvelope, 'manifest' | 'materials' | 'sealed'>

/**
 * Returns the JSON text of the envelope. `stored`: the stored bytes. The same evidence always gives the same
 * text.
 */
export function envelopeText(
  verification_id: string,
  { created_at, manifest_sha256, time_stamp }: StoredEvidence,
  stored: Uint8Array | undefined,
): string {
  if (stored === undefined) throw new Error('the evidence of the session is missing')
  const { manifest, materials, sealed } = JSON.parse(new TextDecoder().decode(stored)) as SealedPart
  const { token = '', gen_time = 0 } = time_stamp?.state === 'present' ? time_stamp : {}
  const envelope: EvidenceEnvelope = {
    object: 'evidence',
    version: 1,
    verification_id,
    created_at: isoTime(created_at),
    manifest,
    manifest_sha256,
    time_stamps: token === '' ? [] : [{ token, gen_time: isoTime(gen_time * 1000) }],
    materials,
    sealed,
  }
  return JSON.stringify(envelope)
}
