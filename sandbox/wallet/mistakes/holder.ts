// Mistakes in the proof of possession: reasons of the family holder, and of transaction data.

import { type Cbor, mapOf } from '../../issuer/cbor.ts'
import { ISSUER } from '../../issuer/identities.ts'
import type { Mistake } from '../mistake.ts'

const HOUR = 3600
const JWTS = ['dc+sd-jwt', 'jwt_vc_json'] as const
const DOWN = `did:web:${new URL(ISSUER).host}:down`

export const HOLDER_MISTAKES = {
  holder_binding_missing: { description: 'sends no holder binding', withoutProof: true },
  holder_key_missing: {
    description: 'presents a credential without a holder key',
    claims: ({ cnf: _, ...claims }) => ({ ...claims, ...('sub' in claims && { sub: 'urn:sandbox:nobody' }) }),
    mso: (mso) => new Map<string, Cbor>([...mso, ['deviceKeyInfo', mapOf({ deviceKey: new Map() })]]),
  },
  holder_key_unavailable: {
    description: 'presents a credential bound to a DID that cannot be resolved',
    formats: ['jwt_vc_json'],
    claims: (claims) => ({ ...claims, sub: DOWN }),
    proof: (proof) => ({ ...proof, iss: DOWN }),
  },
  malformed_holder_binding: {
    description: 'sends a malformed holder binding',
    proof: (proof) => ({ ...proof, iat: 'now' }),
    deviceAuth: () => new Map(),
  },
  invalid_holder_signature: { description: 'signs with a key of another holder', foreignKey: true },
  holder_key_mismatch: {
    description: 'presents credentials with a holder key for each',
    keyPerCredential: true,
  },
  nonce_mismatch: {
    description: 'signs the nonce of another request',
    formats: JWTS,
    proof: (proof) => ({ ...proof, nonce: 'another' }),
  },
  audience_mismatch: {
    description: 'signs for another verifier',
    formats: JWTS,
    proof: (proof) => ({ ...proof, aud: 'https://another.invalid' }),
  },
  sd_hash_mismatch: {
    description: 'signs a hash of other claims',
    formats: ['dc+sd-jwt'],
    proof: (proof) => ({ ...proof, sd_hash: 'another' }),
  },
  holder_binding_not_current: {
    description: 'sends a holder binding that is an hour old',
    formats: JWTS,
    proof: (proof) => ({ ...proof, iat: Number(proof.iat) - HOUR }),
  },
  transaction_data_missing: {
    description: 'does not sign the transaction data',
    formats: ['dc+sd-jwt'],
    requires: 'transaction_data',
    proof: ({ transaction_data_hashes: _, transaction_data_hashes_alg: __, ...proof }) => proof,
  },
  transaction_data_mismatch: {
    description: 'signs other transaction data',
    formats: ['dc+sd-jwt'],
    requires: 'transaction_data',
    proof: (proof) => ({ ...proof, transaction_data_hashes: ['another'] }),
  },
} as const satisfies Readonly<Record<string, Mistake>>
