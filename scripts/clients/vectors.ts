// `node scripts/run.mjs scripts/clients/vectors.ts`: writes test/vectors/clients.json, the cases that every
// client must decide in the same way. The service's own code signs and encrypts. Each bad case is a good one
// with one change. test/client/vectors.test.ts gives the cases to the typed client; the clients of the other
// languages get them by `npm run proof -- clients`.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompactEncrypt } from 'jose'
import type { Config } from '../../src/config.ts'
import { signJwt } from '../../src/crypto/sign-jwt.ts'
import type { Decision } from '../../src/policy/policy.ts'
import { terminalEvent } from '../../src/session/delivery/event.ts'
import { encryptClaims } from '../../src/session/response/encrypted-claims.ts'
import { signReceipt } from '../../src/session/views/receipt.ts'
import { buildTestEvent, serialiseEvent } from '../../src/webhook/event.ts'
import { signatureHeaders } from '../../src/webhook/signature.ts'
import { VERIFIED } from '../../test/session/recorded-sessions.ts'
import { ROOT } from '../service/paths.mjs'
import {
  badSignatures,
  claimsOf,
  encryptionKey,
  forged,
  publicKey,
  type Recipient,
  type SigningKey,
  signingKey,
  withZeros,
} from './vector-parts.ts'

/** A case: its arguments, and what a client returns: a member of the result, or the code of the error. */
type Case = { readonly name: string; readonly accepts?: string; readonly error?: string } & Readonly<
  Record<string, unknown>
>

const ISSUER = 'https://verifier.example'
const NOW = VERIFIED.ended_at ?? 0
const EVENT = 'evt_8IEBjHInkRDuCrNkYmm2OQ'
const DOCUMENT = { ...VERIFIED, request: { ...VERIFIED.request, metadata: { order: 'Å·17' } } }

const current = await signingKey('k2')
const retired = await signingKey('k1')
const recipient = await encryptionKey()
const stranger = await encryptionKey()
const KEYS = { keys: [publicKey(retired), publicKey(current)] }

const vectors = {
  webhooks: withChanges(await webhooks()),
  receipts: withChanges(await receipts()),
  claims: withChanges(await claims()),
}
const file = join(ROOT, 'test', 'vectors', 'clients.json')
writeFileSync(file, `${JSON.stringify(vectors, null, 1)}\n`)

/** Returns the arguments of the first case, which is good, and each case with the arguments that differ. */
function withChanges([first, ...others]: readonly Case[]) {
  if (first === undefined) throw new Error('there is no case')
  const { name, accepts, ...good } = first
  const changed = others.map((each) =>
    Object.fromEntries(Object.entries(each).filter(([member, value]) => good[member] !== value)),
  )
  return { good, cases: [{ name, accepts }, ...changed] }
}

async function webhooks(): Promise<readonly Case[]> {
  const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
  const other = 'whsec_HhwaGBYUEhAODAoIBgQCAAEDBQcJCw0PERMVFxkbHR8='
  const body = serialiseEvent(terminalEvent(DOCUMENT, EVENT, ISSUER))
  const named = { eventId: EVENT, relyingPartyId: VERIFIED.relying_party_id, livemode: false, now: NOW }
  const test = JSON.stringify(buildTestEvent(named))
  const sign = async (text: string, secrets: readonly string[]) =>
    (await signatureHeaders({ body: text, secrets, eventId: 'evt_1', now: NOW }))['X-Service-Signature'] ?? ''
  const signature = await sign(body, [secret])
  const [t = '', mac = ''] = signature.split(',')
  const now = Math.floor(NOW / 1000)
  const good = { body, signature, secrets: [secret], now }
  const accepts = 'verification.verified'
  return [
    { ...good, name: 'an event', accepts },
    {
      ...good,
      name: 'a test event',
      body: test,
      signature: await sign(test, [secret]),
      accepts: 'webhook.test',
    },
    { ...good, name: 'signatures of two secrets', signature: await sign(body, [other, secret]), accepts },
    { ...good, name: 'two secrets of the receiver', secrets: [other, secret], accepts },
    { ...good, name: 'a signature of the future', now: now - 300, accepts },
    {
      ...good,
      name: 'capitals in the signature',
      signature: `${t},v1=${mac.slice(3).toUpperCase()}`,
      accepts,
    },
    { ...good, name: 'members of another scheme', signature: `v2=x, ${signature}`, accepts },
    { ...good, name: 'no header', signature: null, error: 'malformed_signature' },
    { ...good, name: 'an empty header', signature: '', error: 'malformed_signature' },
    { ...good, name: 'no time', signature: mac, error: 'malformed_signature' },
    { ...good, name: 'two times', signature: `${t},${signature}`, error: 'malformed_signature' },
    { ...good, name: 'a time of other digits', signature: `t=١٢,${mac}`, error: 'malformed_signature' },
    { ...good, name: 'a time with a sign', signature: `t=-1,${mac}`, error: 'malformed_signature' },
    {
      ...good,
      name: 'a time of 16 digits',
      signature: `t=1${'0'.repeat(15)},${mac}`,
      error: 'malformed_signature',
    },
    { ...good, name: 'no signature', signature: t, error: 'malformed_signature' },
    {
      ...good,
      name: 'a short signature',
      signature: `${t},${mac.slice(0, -2)}`,
      error: 'malformed_signature',
    },
    { ...good, name: 'an old signature', now: now + 301, error: 'outside_tolerance' },
    { ...good, name: 'a signature of the far future', now: now - 301, error: 'outside_tolerance' },
    { ...good, name: 'another time', signature: `t=${now + 1},${mac}`, error: 'wrong_signature' },
    { ...good, name: 'another secret', secrets: [other], error: 'wrong_signature' },
    { ...good, name: 'no secret', secrets: [], error: 'wrong_signature' },
    { ...good, name: 'another body', body: `${body} `, error: 'wrong_signature' },
    {
      ...good,
      name: 'a body that is no JSON',
      body: 'x',
      signature: await sign('x', [secret]),
      error: 'malformed_body',
    },
  ]
}

async function receipts(): Promise<readonly Case[]> {
  const receipt = await receiptBy(current)
  const { verification_id } = VERIFIED
  const good = { receipt, jwks: KEYS, issuer: ISSUER, verification_id }
  const accepts = verification_id
  const sign = (typ: string, change: object = {}) =>
    signJwt({ ...claimsOf(receipt), ...change }, typ, current)
  return [
    { ...good, name: 'a receipt', accepts },
    { ...good, name: 'a receipt of any verification', verification_id: null, accepts },
    { ...good, name: 'a receipt by a retired key', receipt: await receiptBy(retired), accepts },
    {
      ...good,
      name: 'keys for signatures only',
      jwks: { keys: KEYS.keys.map((key) => ({ ...key, use: 'enc', key_ops: [] })) },
      accepts,
    },
    ...badSignatures(receipt).map(([name, text, error]) => ({ ...good, name, receipt: text, error })),
    {
      ...good,
      name: 'a key that is not published',
      jwks: { keys: [publicKey(retired)] },
      error: 'unknown_key',
    },
    { ...good, name: 'no key', jwks: { keys: [] }, error: 'unknown_key' },
    {
      ...good,
      name: 'two keys of one name',
      jwks: { keys: [publicKey(current), publicKey(current)] },
      error: 'unknown_key',
    },
    {
      ...good,
      name: 'another key of this name',
      jwks: { keys: [{ ...publicKey(retired), kid: 'k2' }] },
      error: 'wrong_signature',
    },
    { ...good, name: 'an access token', receipt: await sign('at+jwt'), error: 'not_a_receipt' },
    { ...good, name: 'another service', issuer: 'https://other.example', error: 'wrong_verification' },
    { ...good, name: 'another verification', verification_id: 'v_2', error: 'wrong_verification' },
  ]
}

async function claims(): Promise<readonly Case[]> {
  const { verification_id, relying_party_id } = VERIFIED
  const encrypted_claims = await claimsTo(recipient, current)
  const good = {
    encrypted_claims,
    private_jwk: recipient,
    jwks: KEYS,
    issuer: ISSUER,
    audience: relying_party_id,
    verification_id,
  }
  const inside = { iss: ISSUER, aud: relying_party_id, iat: 1, verification_id, credentials: [] }
  const seal = async (jws: string, header: object = {}) =>
    new CompactEncrypt(new TextEncoder().encode(jws))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', ...header })
      .encrypt(publicPart(recipient))
  const signed = await signJwt(inside, 'verification-claims+jwt', current)
  const wrap = async (typ: string, change: object = {}) =>
    seal(await signJwt({ ...inside, ...change }, typ, current))
  const accepts = verification_id
  return [
    { ...good, name: 'claims', accepts },
    {
      ...good,
      name: 'claims signed by a retired key',
      encrypted_claims: await claimsTo(recipient, retired),
      accepts,
    },
    { ...good, name: 'claims of a service before version 0.3', encrypted_claims: await wrap('JWT'), accepts },
    {
      ...good,
      name: 'a private key with use',
      private_jwk: { ...recipient, use: 'enc', key_ops: [] },
      accepts,
    },
    { ...good, name: 'an empty text', encrypted_claims: '', error: 'malformed' },
    { ...good, name: 'a JWS', encrypted_claims: signed, error: 'malformed' },
    { ...good, name: 'claims to another key', private_jwk: stranger, error: 'decryption_failed' },
    {
      ...good,
      name: 'a changed tag',
      encrypted_claims: withZeros(encrypted_claims, 4),
      error: 'decryption_failed',
    },
    {
      ...good,
      name: 'a changed text',
      encrypted_claims: withZeros(encrypted_claims, 3),
      error: 'decryption_failed',
    },
    {
      ...good,
      name: 'another encryption',
      encrypted_claims: await seal(signed, { enc: 'A128GCM' }),
      error: 'unsupported_encryption',
    },
    {
      ...good,
      name: 'another algorithm',
      encrypted_claims: await seal(signed, { alg: 'ECDH-ES+A256KW' }),
      error: 'unsupported_encryption',
    },
    {
      ...good,
      name: 'no JWS inside',
      encrypted_claims: await seal(JSON.stringify(inside)),
      error: 'malformed',
    },
    {
      ...good,
      name: 'a JWS of another payload inside',
      encrypted_claims: await seal(forged(signed)),
      error: 'wrong_signature',
    },
    {
      ...good,
      name: 'a key that is not published',
      jwks: { keys: [publicKey(retired)] },
      error: 'unknown_key',
    },
    {
      ...good,
      name: 'a receipt inside',
      encrypted_claims: await seal(await receiptBy(current)),
      error: 'not_claims',
    },
    { ...good, name: 'another service', issuer: 'https://other.example', error: 'wrong_audience' },
    { ...good, name: 'another relying party', audience: 'rp_2', error: 'wrong_audience' },
    {
      ...good,
      name: 'a list of relying parties',
      encrypted_claims: await wrap('JWT', { aud: [relying_party_id] }),
      error: 'wrong_audience',
    },
    { ...good, name: 'another verification', verification_id: 'v_2', error: 'wrong_audience' },
  ]
}

async function receiptBy(key: SigningKey): Promise<string> {
  const signed = await signReceipt(DOCUMENT, { baseUrl: ISSUER, accessTokenKeys: { keys: [key] } })
  if (!signed.ok) throw new Error(signed.error)
  return signed.value
}

function publicPart({ kty, crv, x, y }: Recipient) {
  return { kty, crv, x, y }
}

/** Claims of the recorded session, signed by a key and encrypted to another. */
async function claimsTo(to: Recipient, key: SigningKey): Promise<string> {
  const values = [{ id: 'age_attestation', claims: { age_over_18: true, family_name: 'Ångström' } }]
  const [decided] = DOCUMENT.outcome?.credentials ?? []
  const decision: Decision = {
    status: 'verified',
    reason: null,
    checks: { age_over_18: true },
    holder_bound: true,
    same_holder_key: true,
    assurance_level: 'substantial',
    credentials: decided ? [decided] : [],
    claims: values,
    subjectNamespaces: [],
    derivation: [],
  }
  const claims_encryption_jwk = publicPart(to)
  const document = { ...DOCUMENT, request: { ...DOCUMENT.request, claims_encryption_jwk } }
  const accessTokenKeys: Config['accessTokenKeys'] = { keys: [key] }
  const config = { baseUrl: ISSUER, accessTokenKeys }
  const context = { config, now: NOW }
  const encrypted = await encryptClaims(decision, document, context)
  if (encrypted === null) throw new Error('the claims were not encrypted')
  return encrypted
}
