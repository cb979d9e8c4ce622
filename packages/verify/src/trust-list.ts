// Reads and verifies a list of trusted issuers (ETSI TS 119 602 and TS 119 612, ISO/IEC 18013-5 Annex C).

import { TRUST_LIST } from '../../../src/limits.ts'
import { parseTrustAnchor } from '../../../src/trust/anchors/parse-anchor.ts'
import type { ListSigner } from '../../../src/trust/lists/list-signer.ts'
import { verifyTrustList } from '../../../src/trust/lists/trust-list.ts'
import { checkMembers, inputError } from './faults.ts'
import { InputError } from './input-error.ts'
import {
  checkListInput,
  checkSigners,
  parseServices,
  signedServices,
  toSeconds,
  toTrustList,
} from './list-input.ts'
import type { TrustListInput, TrustListResult, XmlTrustListInput } from './types.ts'
import { readXmlTrustList } from './xml-trust-list.ts'

/**
 * Verifies a list, and returns its anchors for `verifyResponse`. A bad list is a result with a reason. Throws
 * an `InputError` for a wrong input.
 *
 * @example
 * const result = await readTrustList({ name: 'eu', kind: 'etsi_lote', body, signers, services })
 */
export async function readTrustList(input: TrustListInput | XmlTrustListInput): Promise<TrustListResult> {
  if (isXml(input)) return readXmlTrustList(input)
  checkMembers(input, LIST_MEMBERS)
  const { name, kind, body, url, listType = null, previous, now = new Date() } = input
  const services = checkInput(input)
  const bytes = new Uint8Array(body)
  if (bytes.length > TRUST_LIST.bytes) return { ok: false, reason: 'too_large' }
  const last = previous && {
    sequence: previous.sequence,
    issuedAt: previous.issuedAt && toSeconds(previous.issuedAt),
  }
  const verified = await verifyTrustList(bytes, {
    kind,
    signers: input.signers as readonly ListSigner[], // checked
    listType,
    services,
    last: last ?? null,
    now: toSeconds(now),
  })
  if (!verified.ok) return { ok: false, reason: verified.error }
  const { nextUpdate, signerExpires } = verified.value
  const usableUntil = Math.min(nextUpdate ?? signerExpires, signerExpires)
  const published = kind === 'etsi_lote' ? url : undefined
  return { ok: true, list: toTrustList({ name, now }, { ...verified.value, usableUntil }, published) }
}

/** Returns whether an input is of a list in XML. A value that is no object is refused later. */
function isXml(input: TrustListInput | XmlTrustListInput | undefined): input is XmlTrustListInput {
  return input?.kind === 'etsi_tl'
}

const LIST_MEMBERS: readonly (keyof TrustListInput)[] = [
  ...(['name', 'kind', 'body', 'url', 'signers'] as const),
  ...(['services', 'listType', 'previous', 'now'] as const),
]

function checkInput(input: TrustListInput) {
  const { kind, signers } = input
  if (kind !== 'etsi_lote' && kind !== 'vical')
    throw inputError('/kind', 'must be "etsi_lote", "etsi_tl" or "vical"')
  checkListInput(input)
  const services = parseServices(signedServices, input.services)
  for (const [i, signer] of checkSigners(signers, TRUST_LIST.signers).entries())
    checkSigner(signer as TrustListInput['signers'][number], i)
  return services
}

/** A signer follows the rules of a trust anchor with a certificate. */
function checkSigner(signer: TrustListInput['signers'][number], index: number): void {
  const anchor = { name: 'signer', credential_types: ['list'], assurance_level: 'low', ...signer }
  const parsed = parseTrustAnchor(anchor)
  if (!parsed.ok)
    throw new InputError(
      parsed.error.map(({ pointer, message }) => ({
        pointer: `/signers/${index}${pointer}`,
        code: 'invalid_input',
        message,
      })),
    )
  if (!('x509_ca_pem' in parsed.value) && !('x509_certificate_pem' in parsed.value))
    throw inputError(`/signers/${index}`, 'must have x509_ca_pem or x509_certificate_pem')
}
