// A good mobile driving licence and the world in which it is good. Tests change one thing.

import { createPublicKey } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import type { Json } from '../../../src/codec/json.ts'
import type { PrivateJwk } from '../../../src/crypto/jwk.ts'
import { mdoc } from '../../../src/formats/mdoc/mdoc.ts'
import type { Context, RequestBinding } from '../../../src/formats/verification/format.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { type Verification, verifyTraced } from '../contract.ts'
import {
  type Changes,
  type Making,
  makeDeviceResponse,
  makePrivateKey,
  makeTranscript,
  tagged,
} from './maker.ts'

export const NOW = 1_790_000_000
export const MDL = 'org.iso.18013.5.1.mDL'
export const NAME_SPACE = 'org.iso.18013.5.1'
export const SIGNER_USAGE = '1.0.18013.5.1.2'

export const PKI = await mintIssuerPki({ leaf: { extendedKeyUsage: [SIGNER_USAGE] } })
export const DEVICE = makePrivateKey('P-256')
export const READER = makePrivateKey('P-256')

/** Our key as our own code has it; its thumbprint as another library calculates it. */
const ENCRYPTION_KEY = READER.export({ format: 'jwk' }) as unknown as PrivateJwk
export const THUMBPRINT = Buffer.from(await calculateJwkThumbprint(ENCRYPTION_KEY), 'base64url')

export const HANDOVER = {
  kind: 'redirect',
  responseUri: 'https://verifier.example/v1/verify/v_1/callback',
  encryptionKey: ENCRYPTION_KEY,
} as const

export const EXPECTED: RequestBinding = {
  nonce: '0123456789abcdef0123456789abcdef',
  audience: 'x509_san_dns:verifier.example',
  holderBinding: true,
  requestedAt: NOW - 20,
  handover: HANDOVER,
}

export const ANCHOR: TrustAnchor = {
  name: 'Test IACA',
  credential_types: ['mdl'],
  assurance_level: 'high',
  x509_ca_pem: PKI.root.pem,
}

/** Fetching is an error: nothing in these presentations may lead to the network. */
export const CONTEXT: Omit<Context, 'trace'> = {
  now: NOW,
  anchors: [ANCHOR],
  typeOf: (format, identifier) =>
    format === 'mso_mdoc' && identifier === MDL ? { name: 'mdl', builtIn: true } : undefined,
  fetchResource: () => Promise.reject(new Error('nothing may be fetched')),
}

export const MAKING: Making = {
  pki: PKI,
  issuerAlg: -7,
  deviceKey: DEVICE,
  device: { key: DEVICE, alg: -7 },
  docType: MDL,
  nameSpace: NAME_SPACE,
  elements: [
    ['given_name', 'Erika'],
    ['birth_date', tagged(1004, '1963-08-12')],
    ['portrait', new Uint8Array([0xff, 0xd8, 0xff])],
    ['age_over_18', true],
    ['issuing_country', 'DE'],
    ['driving_privileges', [{ vehicle_category_code: 'B', weight: 1.5 }]],
    ['__proto__', 1],
  ],
  transcript: makeTranscript([EXPECTED.audience, EXPECTED.nonce, THUMBPRINT, HANDOVER.responseUri]),
}

export const MAC_MAKING: Making = { ...MAKING, readerKey: createPublicKey(READER) }

/** A presentation that differs from the good one in `changes` only. */
export function make(changes: Changes = {}, making: Partial<Making> = {}): string {
  return makeDeviceResponse({ ...MAKING, ...making }, changes)
}

/** Verifies a presentation in the good context. */
export function verifyGood(
  presentation: Json,
  changes: {
    readonly expected?: Partial<RequestBinding>
    readonly context?: Partial<Context>
    readonly isJudged?: boolean
  } = {},
): Promise<Verification> {
  const context = { ...CONTEXT, ...changes.context }
  return verifyTraced(mdoc, presentation, { ...EXPECTED, ...changes.expected }, context, changes.isJudged)
}
