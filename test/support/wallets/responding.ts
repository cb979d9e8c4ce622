// Functions with which a wallet answers: encryption with jose, the post to `response_uri`, and the session
// transcripts of the mdoc library.

import { randomBytes } from 'node:crypto'
import { CompactEncrypt, importJWK, type JWK } from 'jose'
import { dcApiTranscriptOf, transcriptOf } from '../people/mdoc.ts'
import type { Surroundings } from './fake-wallet.ts'
import {
  type DisclosedClaim,
  elementsOf,
  type Holding,
  type Path,
  type Presentation,
  presentElements,
  presentSdJwt,
} from './holdings.ts'
import type { Payload } from './request-object.ts'

/** How the wallet encrypts. */
export type Encryption = {
  readonly key: JWK
  readonly enc: string
  readonly apu?: Uint8Array
  readonly apv?: Uint8Array
}

/** Encrypts response parameters as a compact JWE. */
export async function encryptFor({ key, enc, apu, apv }: Encryption, parameters: object): Promise<string> {
  const jwe = new CompactEncrypt(Buffer.from(JSON.stringify(parameters))).setProtectedHeader({
    alg: 'ECDH-ES',
    enc,
    ...(key.kid === undefined ? {} : { kid: key.kid }),
  })
  if (apu !== undefined || apv !== undefined) {
    jwe.setKeyManagementParameters({ ...(apu && { apu }), ...(apv && { apv }) })
  }
  return jwe.encrypt(await importJWK({ ...key, alg: 'ECDH-ES' }, 'ECDH-ES'))
}

/** Posts a form to `response_uri`. */
export function postForm(
  { fetch }: Surroundings,
  url: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Response> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return fetch(url, { method: 'POST', headers, body: `${new URLSearchParams(parameters)}` })
}

/** Binding of a presentation. `origin`: behind the Digital Credentials API. */
export type Binding = {
  readonly payload: Payload
  /** Key of the encryption, part of an mdoc's session transcript; undefined in the clear. */
  readonly key: JWK | undefined
  readonly origin?: string
  /** Nonce of the handover of ISO/IEC TS 18013-7 Annex B, in place of the handover of OpenID4VP 1.0. */
  readonly mdocGeneratedNonce?: string
}

/** Presents one credential with the claims at these paths. */
export async function presentHolding(
  holding: Holding,
  paths: readonly Path[] | 'all',
  { payload, key, origin, mdocGeneratedNonce }: Binding,
): Promise<Presentation> {
  if (holding.format === 'dc+sd-jwt') {
    // OpenID4VP 1.0 A.4: the audience is the origin, also of a signed request.
    const audience = origin === undefined ? payload.client_id : `origin:${origin}`
    return presentSdJwt(holding, paths, { nonce: payload.nonce, audience })
  }
  const isAnnexB = mdocGeneratedNonce !== undefined
  const session = {
    client_id: payload.client_id,
    nonce: payload.nonce,
    response_uri: payload.response_uri,
    client_metadata: {
      ...(key && { jwks: { keys: [key] } }),
      ...(isAnnexB && { vp_formats: {} }),
    },
  }
  const transcript = await (origin === undefined
    ? transcriptOf(session, mdocGeneratedNonce)
    : dcApiTranscriptOf(session, origin))
  return presentElements(holding, paths === 'all' ? 'all' : elementsOf(paths), transcript)
}

/** The choice for one query: a credential, and the paths that it discloses. */
export type Choice = {
  readonly id: string
  readonly holding: Holding
  readonly paths: readonly Path[] | 'all'
}

/** `vp_token` for the chosen credentials, and all that they disclose. */
export async function presentAll(
  choices: readonly Choice[],
  binding: Binding,
): Promise<{ readonly vp_token: object; readonly disclosed: readonly DisclosedClaim[] }> {
  const presented = await Promise.all(
    choices.map(
      async ({ id, holding, paths }) => [id, await presentHolding(holding, paths, binding)] as const,
    ),
  )
  return {
    vp_token: Object.fromEntries(presented.map(([id, { presentation }]) => [id, [presentation]])),
    disclosed: presented.flatMap(([, { disclosed }]) => disclosed),
  }
}

/** A random value of a wallet. */
export function randomText(bytes = 32): string {
  return randomBytes(bytes).toString('base64url')
}
