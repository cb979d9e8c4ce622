// Reasons of the family holder, and of the transaction data that holders confirm: what is wrong is the proof of possession.

import { type Cbor, mapOf } from '../../issuer/cbor.ts'
import { ISSUER } from '../../issuer/identities.ts'
import type { Flaw } from '../flaw.ts'

const HOUR = 3600
const JWTS = ['dc+sd-jwt', 'jwt_vc_json'] as const
const DOWN = `did:web:${new URL(ISSUER).host}:down`

export const HOLDER_FLAWS = {
  holder_binding_missing: { does: 'proves nothing about who presents the credential', unproven: true },
  holder_key_missing: {
    does: 'presents a credential that is bound to nobody',
    claims: ({ cnf: _, ...claims }) => ({ ...claims, ...('sub' in claims && { sub: 'urn:sandbox:nobody' }) }),
    mso: (mso) => new Map<string, Cbor>([...mso, ['deviceKeyInfo', mapOf({ deviceKey: new Map() })]]),
  },
  holder_key_unavailable: {
    does: 'presents a credential that is bound to a DID which cannot be resolved',
    formats: ['jwt_vc_json'],
    claims: (claims) => ({ ...claims, sub: DOWN }),
    proof: (proof) => ({ ...proof, iss: DOWN }),
  },
  malformed_holder_binding: {
    does: 'presents a proof that is none',
    proof: (proof) => ({ ...proof, iat: 'now' }),
    deviceAuth: () => new Map(),
  },
  invalid_holder_signature: { does: "signs with a key that is not the holder's", stolen: true },
  nonce_mismatch: {
    does: 'answers another request',
    formats: JWTS,
    proof: (proof) => ({ ...proof, nonce: 'another' }),
  },
  audience_mismatch: {
    does: 'answers another verifier',
    formats: JWTS,
    proof: (proof) => ({ ...proof, aud: 'https://another.invalid' }),
  },
  sd_hash_mismatch: {
    does: 'presents other claims than the proof is about',
    formats: ['dc+sd-jwt'],
    proof: (proof) => ({ ...proof, sd_hash: 'another' }),
  },
  holder_binding_not_current: {
    does: 'presents a proof of an hour ago',
    formats: JWTS,
    proof: (proof) => ({ ...proof, iat: Number(proof.iat) - HOUR }),
  },
  transaction_data_missing: {
    does: 'does not confirm the transaction data',
    formats: ['dc+sd-jwt'],
    needs: 'transaction_data',
    proof: ({ transaction_data_hashes: _, transaction_data_hashes_alg: __, ...proof }) => proof,
  },
  transaction_data_mismatch: {
    does: 'confirms other transaction data than was shown',
    formats: ['dc+sd-jwt'],
    needs: 'transaction_data',
    proof: (proof) => ({ ...proof, transaction_data_hashes: ['another'] }),
  },
} as const satisfies Readonly<Record<string, Flaw>>
