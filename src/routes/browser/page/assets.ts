// The scripts of our pages, each a file of its own under an address that names its content.

import { encodeBase64url } from '../../../codec/base64url.ts'
import { utf8 } from '../../../codec/bytes.ts'
import { sha256 } from '../../../crypto/digest.ts'
import type { AppContext } from '../../context.ts'
import { problem } from '../../edge/problems.ts'
import { DC_API_SCRIPT } from './dc-api-script.ts'
import { LINK_SCRIPT } from './link-script.ts'
import { RETURN_SCRIPT } from './return-script.ts'
import { SCRIPT } from './script.ts'

const SCRIPTS = {
  'session-page.js': SCRIPT,
  'link.js': LINK_SCRIPT,
  'dc-api.js': DC_API_SCRIPT,
  'return-page.js': RETURN_SCRIPT,
} as const
export type ScriptName = keyof typeof SCRIPTS

/** A script never changes under its address with `v`, which is a hash of it. */
export async function scriptAddress(name: ScriptName): Promise<string> {
  return `/assets/${name}?v=${await hashOf(name)}`
}

/** Answers `GET /assets/:name`. */
export async function sendScript(c: AppContext): Promise<Response> {
  const name = c.req.param('name') ?? ''
  if (!isScript(name)) return problem(c, 'not_found')
  const current = c.req.query('v') === (await hashOf(name))
  return c.body(SCRIPTS[name], 200, {
    'Content-Type': 'text/javascript; charset=utf-8',
    'Cache-Control': current ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  })
}

function isScript(name: string): name is ScriptName {
  return Object.hasOwn(SCRIPTS, name)
}

const hashes = new Map<ScriptName, string>()

async function hashOf(name: ScriptName): Promise<string> {
  const hash = hashes.get(name) ?? encodeBase64url(await sha256(utf8(SCRIPTS[name]))).slice(0, 16)
  hashes.set(name, hash)
  return hash
}
