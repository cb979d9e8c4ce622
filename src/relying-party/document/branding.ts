// Look of a relying party's pages (api/settings): one colour and a small picture. The picture is a `data:`
// URL, so that no page loads it from another host. None of the accepted formats can contain a script.

import * as z from 'zod/mini'
import { decodeBase64 } from '../../codec/base64url.ts'
import { encodeHex } from '../../codec/bytes.ts'
import { LOGO } from '../../limits.ts'

const color = z.string().check(z.regex(/^#[0-9A-Fa-f]{6}$/, 'must be a colour as #1a2b3c'))

const logo = z
  .string()
  .check(
    z.maxLength(LOGO.characters),
    z.refine(isPicture, 'must be a data: URL, in base64, of a PNG, JPEG or WebP picture'),
    z.meta({ pattern: '^data:image/(png|jpeg|webp);base64,' }),
  )

/**
 * `branding` of the settings: `#rrggbb`, and a `data:` URL of a PNG, JPEG or WebP picture. A missing member
 * is null.
 */
export const branding = z.strictObject({
  color: z._default(z.nullable(color), null),
  logo: z._default(z.nullable(logo), null),
})

export type Branding = z.infer<typeof branding>

/**
 * First bytes of each picture format, in hexadecimal. WebP has four bytes of length between two fixed parts.
 */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/webp': /^52494646.{8}57454250/,
}

/**
 * Returns true if the bytes of the picture have the format that its `data:` URL declares. Browsers detect the
 * format from the bytes.
 */
function isPicture(address: string): boolean {
  const [, type = '', base64 = ''] = /^data:(image\/(?:png|jpeg|webp));base64,(.+)$/.exec(address) ?? []
  const beginning = decodeBase64(base64)?.subarray(0, 12)
  return beginning !== undefined && BEGINNINGS[type]?.test(encodeHex(beginning)) === true
}
