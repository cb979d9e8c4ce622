// The cookie between the start and the end of a person's sign-in, while the person is at their provider. The
// cookie binds the response of the provider to this browser, to one relying party and to one client of one
// provider.

import { encodeBase64url } from '../../codec/base64url.ts'
import { loadConfig } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { deriveKey, type Sealing, seal, unseal } from '../../crypto/seal.ts'
import type { ConsoleSignIn } from '../../relying-party/document/settings.ts'
import type { AppContext } from '../edge/context.ts'
import { readCookie, writeCookie } from '../edge/cookies.ts'

/** Seconds that a person has for the sign-in at the provider. */
const FLOW_SECONDS = 600

const NAME = 'wv_console_flow'
const PLACE = 'console-flow'
const SECRET_BYTES = 32

/** A started sign-in. `started_at`: Unix milliseconds. */
export type Flow = Pick<ConsoleSignIn, 'issuer' | 'client_id'> & {
  readonly relying_party_id: string
  readonly state: string
  readonly nonce: string
  /** RFC 7636 §4.1. */
  readonly code_verifier: string
  /** True if the person must authenticate at the provider again. */
  readonly is_fresh: boolean
  readonly started_at: number
}

/** Starts a sign-in and sets its cookie, which replaces the cookie of an earlier start. */
export async function startFlow(
  c: AppContext,
  client: Pick<Flow, 'relying_party_id' | 'issuer' | 'client_id' | 'is_fresh'>,
): Promise<Flow> {
  const [state, nonce, code_verifier] = [newSecret(), newSecret(), newSecret()]
  const flow: Flow = { ...client, state, nonce, code_verifier, started_at: Date.now() }
  const sealed = await seal(await sealing(c), JSON.stringify(flow), randomBytes(12))
  writeCookie(c, NAME, sealed, { sameSite: 'Strict', maxAge: FLOW_SECONDS })
  return flow
}

/** Returns the started sign-in of this browser, and removes its cookie. `undefined`: none, or expired. */
export async function takeFlow(c: AppContext): Promise<Flow | undefined> {
  const sealed = readCookie(c, NAME)
  if (sealed === undefined) return undefined
  writeCookie(c, NAME, '', { sameSite: 'Strict', maxAge: 0 })
  const text = await unseal(await sealing(c), sealed)
  if (text === undefined) return undefined
  const flow = JSON.parse(text) as Flow // sealed by us
  return Date.now() - flow.started_at < FLOW_SECONDS * 1000 ? flow : undefined
}

async function sealing(c: AppContext): Promise<Sealing> {
  return { key: await deriveKey(loadConfig(c.env).serverSecret, PLACE), aad: PLACE }
}

function newSecret(): string {
  return encodeBase64url(randomBytes(SECRET_BYTES))
}
