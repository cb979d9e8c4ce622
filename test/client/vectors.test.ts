// The typed client decides the shared vectors of all clients. `npm run proof -- clients` gives the same file
// to the clients of the other languages, each of which has another library for JOSE.

import { decryptClaims } from '@wallet-verifier/client/claims'
import { verifyReceipt } from '@wallet-verifier/client/receipt'
import { verifyWebhook } from '@wallet-verifier/client/webhook'
import { describe, expect, it } from 'vitest'
import VECTORS from '../vectors/clients.json' with { type: 'json' }

const { webhooks, receipts, claims } = VECTORS

type Expected = { readonly accepts?: string; readonly error?: string }

/** The member of a result that the vectors name, or the code of the error. */
function outcome(
  result: { readonly ok: true; readonly value: object } | { readonly ok: false; readonly error: string },
  member: string,
): Expected {
  if (!result.ok) return { error: result.error }
  return { accepts: String(Object.entries(result.value).find(([name]) => name === member)?.[1]) }
}

const expected = ({ accepts, error }: Expected): Expected =>
  accepts === undefined ? { error: error ?? '' } : { accepts }

describe('the typed client gives the expected result for each shared vector', () => {
  it.each(webhooks.cases)('of webhooks: $name', async (each) => {
    const { body, signature, secrets, now } = { ...webhooks.good, ...each }
    const result = await verifyWebhook(body, signature, { secrets, now: now * 1000 })
    expect(outcome(result, 'event_type')).toEqual(expected(each))
  })

  it.each(receipts.cases)('of receipts: $name', async (each) => {
    const { receipt, jwks, issuer, verification_id } = { ...receipts.good, ...each }
    const subject = verification_id === null ? {} : { verificationId: verification_id }
    const result = await verifyReceipt(receipt, { jwks, issuer, ...subject })
    expect(outcome(result, 'verification_id')).toEqual(expected(each))
  })

  it.each(claims.cases)('of claims: $name', async (each) => {
    const all = { ...claims.good, ...each }
    const { encrypted_claims, private_jwk, jwks, issuer, audience, verification_id } = all
    const checks = { privateJwk: private_jwk, jwks, issuer, audience, verificationId: verification_id }
    expect(outcome(await decryptClaims(encrypted_claims, checks), 'verification_id')).toEqual(expected(each))
  })
})

it('the shared vectors reach every error of verifyWebhook, verifyReceipt and decryptClaims', () => {
  const errors = Object.entries(VECTORS).map(([kind, { cases }]) => {
    const named: readonly Expected[] = cases
    return [kind, new Set(named.flatMap(errorOf))]
  })
  expect(Object.fromEntries(errors)).toEqual({
    webhooks: new Set(['malformed_signature', 'outside_tolerance', 'wrong_signature', 'malformed_body']),
    receipts: new Set(['malformed', 'unknown_key', 'wrong_signature', 'not_a_receipt', 'wrong_verification']),
    claims: new Set([
      ...['malformed', 'unknown_key', 'wrong_signature', 'unsupported_encryption', 'decryption_failed'],
      ...['not_claims', 'wrong_audience'],
    ]),
  })
})

function errorOf(each: Expected): readonly string[] {
  return each.error === undefined ? [] : [each.error]
}
