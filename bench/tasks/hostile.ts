// Hostile presentations, refused by a limit. Each function throws on another result.

import { verifyMdoc } from '../../src/formats/mdoc/verify.ts'
import { verifySdJwtVc } from '../../src/formats/sd-jwt-vc/verify.ts'
import type { CredentialFormat } from '../../src/formats/verification/format.ts'

/** Refuses an SD-JWT VC with 10,000 disclosures. */
export function refuseDisclosures(input: { readonly presentation: string }): Promise<void> {
  return refuse(verifySdJwtVc, input.presentation)
}

/** Refuses a DeviceResponse of 10,000 nested arrays. */
export function refuseDeepCbor(input: { readonly presentation: string }): Promise<void> {
  return refuse(verifyMdoc, input.presentation)
}

async function refuse(verify: CredentialFormat['verify'], presentation: string): Promise<void> {
  const result = await verify(presentation, EXPECTED, CONTEXT)
  if (result.ok || result.error.reason !== 'limit_exceeded') throw new Error('not refused by a limit')
}

const EXPECTED = {
  nonce: '0123456789abcdef0123456789abcdef',
  audience: 'x509_san_dns:verifier.example',
  holderBinding: true,
  requestedAt: 1_790_000_000,
  handover: { kind: 'redirect', responseUri: 'https://verifier.example/callback', encryptionKey: null },
} as const

const CONTEXT = {
  now: 1_790_000_000,
  anchors: [],
  typeOf: () => undefined,
  fetchResource: () => Promise.reject(new Error('nothing may be fetched')),
  trace: () => undefined,
}
