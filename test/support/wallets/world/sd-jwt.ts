// SD-JWT VCs of wallets that choose the disclosures themselves. `jose` signs the key binding.

import { importJWK, type JWK, SignJWT } from 'jose'
import { claimsIn, type Presentation, type SdJwtHolding, sha256 } from '../holdings.ts'
import type { Payload } from '../request-object.ts'

export type Disclosure = {
  readonly text: string
  /** Undefined for an element of an array. */
  readonly name: string | undefined
  readonly value: unknown
}

/** All disclosures of a credential. */
export function disclosuresOf({ sdJwt }: SdJwtHolding): readonly Disclosure[] {
  return sdJwt
    .split('~')
    .slice(1)
    .filter((text) => text !== '')
    .map((text) => {
      const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[]
      return { text, name: parts.length === 3 ? String(parts[1]) : undefined, value: parts.at(-1) }
    })
}

/** Presents a credential with some of its disclosures. */
export function presentDisclosures(
  holding: SdJwtHolding,
  disclosures: readonly Disclosure[],
  payload: Payload,
): Promise<Presentation> {
  const [jwt = ''] = holding.sdJwt.split('~')
  return bindKey([jwt, ...disclosures.map(({ text }) => text), ''].join('~'), holding, payload)
}

/** Adds the key binding. `text`: the SD-JWT with its last tilde. */
export async function bindKey(
  text: string,
  holding: SdJwtHolding,
  { nonce, client_id: aud }: Payload,
  claims: object = {},
): Promise<Presentation> {
  const keyBinding = await new SignJWT({ nonce, aud, sd_hash: sha256(text), ...claims })
    .setIssuedAt()
    .setProtectedHeader({ typ: 'kb+jwt', alg: holding.key.alg })
    .sign(await importJWK(holding.key.privateJwk as JWK, holding.key.alg))
  const presentation = `${text}${keyBinding}`
  return { presentation, disclosed: claimsIn(presentation, holding) }
}
