// Keys of the shared vectors, and changes that make a signed or encrypted text bad.

import { exportJWK, generateKeyPair } from 'jose'
import type { Config } from '../../src/config.ts'

export type SigningKey = Config['accessTokenKeys']['keys'][0]

/** Creates a key of the service. */
export async function signingKey(kid: string): Promise<SigningKey> {
  return { ...(await newKey('ES256')), kid }
}

/** Creates a key of a relying party. */
export function encryptionKey() {
  return newKey('ECDH-ES')
}

export type Recipient = Awaited<ReturnType<typeof encryptionKey>>

async function newKey(algorithm: 'ES256' | 'ECDH-ES') {
  const { privateKey } = await generateKeyPair(algorithm, { crv: 'P-256', extractable: true })
  const { x = '', y = '', d = '' } = await exportJWK(privateKey)
  return { kty: 'EC', crv: 'P-256', x, y, d } as const
}

/** Returns a key as the service publishes it. */
export function publicKey({ kty, crv, x, y, kid }: SigningKey) {
  return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }
}

/** Returns bad forms of a JWS: a name, the text, and the error. */
export function badSignatures(jws: string): readonly (readonly [string, string, string])[] {
  const [header = '', payload = '', signature = ''] = jws.split('.')
  const withHeader = (change: object) => {
    const members: object = JSON.parse(Buffer.from(header, 'base64url').toString())
    return `${base64url(JSON.stringify({ ...members, ...change }))}.${payload}.${signature}`
  }
  const spareBits = `${jws.slice(0, -1)}${nextCharacter(jws.at(-1) ?? '')}`
  return [
    ['an empty text', '', 'malformed'],
    ['two parts', `${header}.${payload}`, 'malformed'],
    ['four parts', `${jws}.`, 'malformed'],
    ['padding', `${jws}==`, 'malformed'],
    ['spare bits in the last character', spareBits, 'malformed'],
    ['a space', `${header}.${payload}. ${signature}`, 'malformed'],
    ['a header that is no JSON', `${base64url('x')}.${payload}.${signature}`, 'malformed'],
    ['a header that is a list', `${base64url('[]')}.${payload}.${signature}`, 'malformed'],
    ['no algorithm', withHeader({ alg: 'none' }), 'malformed'],
    ['an algorithm with a shared key', withHeader({ alg: 'HS256' }), 'malformed'],
    ['an unknown critical member', withHeader({ crit: ['x'], x: 1 }), 'malformed'],
    ['a key without a name here', withHeader({ kid: 'k3' }), 'unknown_key'],
    ['another payload', forged(jws), 'wrong_signature'],
    ['a signature of zeros', `${header}.${payload}.${base64url('\0'.repeat(64))}`, 'wrong_signature'],
  ]
}

/** Returns a JWS with another payload and the same signature. */
export function forged(jws: string): string {
  const [header, , signature] = jws.split('.')
  return [header, base64url(JSON.stringify({ ...claimsOf(jws), iat: 2 })), signature].join('.')
}

/** Returns the payload of a JWS. */
export function claimsOf(jws: string): object {
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString())
}

/** Replaces the bytes of one part of a JWE by zeros. */
export function withZeros(jwe: string, part: number): string {
  return jwe
    .split('.')
    .map((text, index) =>
      index === part ? base64url('\0'.repeat(Buffer.from(text, 'base64url').length)) : text,
    )
    .join('.')
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Differs in the last bit. The last character of 64 bytes has four spare bits. */
function nextCharacter(character: string): string {
  return ALPHABET[ALPHABET.indexOf(character) ^ 1] ?? ''
}
