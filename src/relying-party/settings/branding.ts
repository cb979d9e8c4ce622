// How a relying party looks on our pages (CONTRACT 8): one colour and a small picture. The picture comes as data, so that no page
// loads from elsewhere, and in formats that can hold no script.

import * as z from 'zod/mini'
import { decodeBase64 } from '../../codec/base64url.ts'
import { encodeHex } from '../../codec/bytes.ts'
import { LOGO } from '../../limits.ts'

export type Branding = {
  /** `#rrggbb`. */
  readonly color: string | null
  /** A `data:` URL of a PNG, JPEG or WebP picture. */
  readonly logo: string | null
}

const color = z.string().check(z.regex(/^#[0-9a-f]{6}$/i, 'must be a colour as #1a2b3c'))

const logo = z
  .string()
  .check(
    z.maxLength(LOGO.characters),
    z.refine(isPicture, 'must be a data: URL, in base64, of a PNG, JPEG or WebP picture'),
  )

/** `branding` as it is sent. What is not said is null. */
export const branding = z.strictObject({
  color: z._default(z.nullable(color), null),
  logo: z._default(z.nullable(logo), null),
})

/** How the content of each begins, in hexadecimal. WebP has a length in between. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/webp': /^52494646.{8}57454250/,
}

/** Browsers go by the content, so it must be what it is called. */
function isPicture(address: string): boolean {
  const [, type = '', base64 = ''] = /^data:(image\/(?:png|jpeg|webp));base64,(.+)$/.exec(address) ?? []
  const beginning = decodeBase64(base64)?.subarray(0, 12)
  return beginning !== undefined && BEGINNINGS[type]?.test(encodeHex(beginning)) === true
}
