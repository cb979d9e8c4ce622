// What a wallet signs of transaction data, made and judged by others: hashes by `node:crypto`, the verdict by `@openid4vc/openid4vp`.

import { createHash } from 'node:crypto'
import { Openid4vpVerifier, parseTransactionData } from '@openid4vc/openid4vp'
import type { ReceivedRequest } from '../people/wallet.ts'

/** EUDI TS12 §4.3.1, and what a shop sends of it. */
export const PAYMENT = {
  type: 'urn:eudi:sca:payment:1',
  payload: {
    transaction_id: '8D8AC610-566D-4EF0-9C22-186B2A5ED793',
    payee: { name: 'Shöp & Söhne', id: 'DE-1' },
    currency: 'EUR',
    amount: 12.5,
  },
} as const

/** Another one. */
export const LOGIN = {
  type: 'urn:eudi:sca:login_risk_transaction:1',
  payload: { transaction_id: 'T2', action: 'Raise the limit to 10,000 EUR' },
} as const

/** base64url of a text's digest, as B.3.3.1 has it. */
export function hashOf(text: string, algorithm = 'sha-256'): string {
  return createHash(algorithm.replace('-', '')).update(text).digest('base64url')
}

/** What the holder signs to confirm what was sent: all of it, or the texts with these places. */
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

/** The objects in a request, as the library reads them. */
export function objectsIn({ payload }: Pick<ReceivedRequest, 'payload'>) {
  const parsed = parseTransactionData({ transactionData: [...(payload.transaction_data ?? [])] })
  return parsed.map(({ transactionData }) => transactionData)
}

/** Which credential query confirmed each text, as the library finds it. Throws where one is confirmed by none. */
export async function foreignVerdict(
  { payload }: Pick<ReceivedRequest, 'payload'>,
  keyBindings: Readonly<Record<string, ReturnType<typeof confirming>>>,
): Promise<readonly string[]> {
  const hash = (data: Uint8Array, algorithm: string) =>
    createHash(algorithm.replace('-', '')).update(data).digest()
  const verifier = new Openid4vpVerifier({ callbacks: { hash } as never }) // it calls no other
  const credentials = Object.entries(keyBindings).map(([id, claims]) => [id, [claims]])
  const verified = await verifier.verifyTransactionData({
    transactionData: [...(payload.transaction_data ?? [])],
    credentials: Object.fromEntries(credentials),
  })
  return verified.map(({ credentialId }) => credentialId)
}
