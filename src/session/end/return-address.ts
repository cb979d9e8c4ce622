// Addresses to which a browser goes after the end of a session (api/binding): `return_url`, or
// `failure_return_url`, with their placeholders filled. A browser gets only filled addresses.

import type { TerminalStatus } from '../../api/values.ts'
import { ID_LENGTH } from '../../relying-party/document/identifier.ts'
import type { SessionDocument } from '../document/document.ts'

/** Limit of a filled address in characters. A registered address has the same limit. */
const CHARACTERS = 2048

/**
 * Words in braces. Such words are placeholders only in an address that has `{status}` or `{verification_id}`.
 */
const WORD = /\{([\w-]+)\}/g

type Values = { readonly status: TerminalStatus; readonly verification_id: string }

/** The addresses for all ends of a session. */
export type ReturnAddresses = Readonly<Record<TerminalStatus, string>>

/** Returns the address for each end of a session. Returns `null` for a session without a `return_url`. */
export function returnAddresses(document: SessionDocument): ReturnAddresses | null {
  const { return_url, failure_return_url = return_url } = document.request
  if (return_url === null || failure_return_url === null) return null
  const { verification_id } = document
  const failed = (status: TerminalStatus) => fill(failure_return_url, { status, verification_id })
  return {
    verified: fill(return_url, { status: 'verified', verification_id }),
    rejected: failed('rejected'),
    declined: failed('declined'),
    expired: failed('expired'),
    canceled: failed('canceled'),
  }
}

/**
 * Returns the rule that an address with placeholders breaks, as an error message; `undefined` if the address
 * can be filled. Without a placeholder, braces are ordinary text. The address was checked as a URL at its
 * registration. The filled address must be a URL with the same scheme, host and port.
 */
export function placeholderError(address: string): string | undefined {
  if (!hasPlaceholder(address)) return undefined
  if (!wordsIn(address).every(isKnown)) {
    return 'must have no other word in braces beside `{status}` and `{verification_id}`'
  }
  const filled = fill(address, LONGEST)
  if (filled.length > CHARACTERS) {
    return `must have at most ${CHARACTERS} characters when its placeholders are filled`
  }
  const isKept = URL.canParse(filled) && new URL(filled).origin === new URL(address).origin
  return isKept ? undefined : 'must have its placeholders in the path or in the query'
}

/** Returns true if an address has `{status}` or `{verification_id}`. */
export function hasPlaceholder(address: string): boolean {
  return wordsIn(address).some(isKnown)
}

function wordsIn(address: string): readonly string[] {
  return [...address.matchAll(WORD)].map(([, name = '']) => name)
}

function isKnown(name: string): name is keyof Values {
  return Object.hasOwn(LONGEST, name)
}

/** The longest value of each placeholder. Every id has the same length. */
const LONGEST: Values = { status: 'verified', verification_id: `v_${'A'.repeat(ID_LENGTH)}` }

function fill(address: string, values: Values): string {
  return address.replace(WORD, (text, name) => (isKnown(name) ? encodeURIComponent(values[name]) : text))
}
