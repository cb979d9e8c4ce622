// Transaction data that a wallet signs, created and checked by foreign code: `node:crypto` hashes,
// `@openid4vc/openid4vp` checks.

import { createHash } from 'node:crypto'
import { Openid4vpVerifier, parseTransactionData } from '@openid4vc/openid4vp'
import type { ReceivedRequest } from '../people/wallet.ts'

/** A payment of EUDI TS12 §4.3.1, as a shop sends it. */
export const PAYMENT = {
  type: 'urn:eudi:sca:payment:1',
  payload: {
    transaction_id: '8D8AC610-566D-4EF0-9C22-186B2A5ED793',
    payee: { name: 'Shöp & Söhne', id: 'DE-1' },
    currency: 'EUR',
    amount: 12.5,
  },
} as const

/** Another type of transaction data. */
export const LOGIN = {
  type: 'urn:eudi:sca:login_risk_transaction:1',
  payload: { transaction_id: 'T2', action: 'Raise the limit to 10,000 EUR' },
} as const

/** Returns the base64url of a text's digest, as B.3.3.1 specifies. */
export function hashOf(text: string, algorithm = 'sha-256'): string {
  return createHash(algorithm.replace('-', '')).update(text).digest('base64url')
}

/** Returns the claims with which a holder confirms transaction data: all texts, or those at these places. */
export function confirming(
  { payload }: Pick<ReceivedRequest, 'payload'>,
  places?: readonly number[],
  algorithm = 'sha-256',
) {
  const texts = (payload.transaction_data ?? []).filter((_, i) => places?.includes(i) ?? true)
  return {
    transaction_data_hashes: texts.map((text) => hashOf(text, algorithm)),
    transaction_data_hashes_alg: algorithm,
  }
}

/** Returns the objects in a request, parsed by the library. */
export function objectsIn({ payload }: Pick<ReceivedRequest, 'payload'>) {
  const parsed = parseTransactionData({ transactionData: [...(payload.transaction_data ?? [])] })
  return parsed.map(({ transactionData }) => transactionData)
}

/**
 * Returns the credential query that confirmed each text, according to the library. Throws if a text has no
 * confirmation.
 */
export async function confirmedBy(
  { payload }: Pick<ReceivedRequest, 'payload'>,
  keyBindings: Readonly<Record<string, ReturnType<typeof confirming>>>,
): Promise<readonly string[]> {
  const hash = (data: Uint8Array, algorithm: string) =>
    createHash(algorithm.replace('-', '')).update(data).digest()
  const verifier = new Openid4vpVerifier({ callbacks: { hash } as never }) // no other callback is called
  const credentials = Object.entries(keyBindings).map(([id, claims]) => [id, [claims]])
  const verified = await verifier.verifyTransactionData({
    transactionData: [...(payload.transaction_data ?? [])],
    credentials: Object.fromEntries(credentials),
  })
  return verified.map(({ credentialId }) => credentialId)
}
