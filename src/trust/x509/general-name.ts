// General names (RFC 5280 §4.2.1.6), used in subject alternative names and name constraints.

import { type DerElement, readAscii } from '../../codec/der.ts'
import { type DistinguishedName, decodeDistinguishedName } from './distinguished-name.ts'

/**
 * One name, in the forms that are compared. `unprocessed` covers all other forms (otherName, x400Address, …).
 */
export type GeneralName =
  | { readonly form: 'email' | 'dns' | 'uri'; readonly value: string }
  | { readonly form: 'directory'; readonly name: DistinguishedName }
  /** An IP address. In a constraint, an IP address and its mask. */
  | { readonly form: 'ip'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly form: 'unprocessed' }

/** Decodes one GeneralName; `undefined` for any other element. */
export function decodeGeneralName(element: DerElement | undefined): GeneralName | undefined {
  if (element === undefined) return undefined
  const textForm = TEXT_FORMS.get(element.tag)
  if (textForm !== undefined) {
    const value = readAscii(element.content)
    return value === undefined ? undefined : { form: textForm, value }
  }
  if (element.tag === IP_ADDRESS) return { form: 'ip', bytes: element.content }
  if (element.tag !== DIRECTORY_NAME)
    return UNPROCESSED.has(element.tag) ? { form: 'unprocessed' } : undefined
  const name = element.children.length === 1 ? decodeDistinguishedName(element.children[0]) : undefined
  return name && { form: 'directory', name }
}

const TEXT_FORMS: ReadonlyMap<number, 'email' | 'dns' | 'uri'> = new Map([
  [0x81, 'email'],
  [0x82, 'dns'],
  [0x86, 'uri'],
])
const DIRECTORY_NAME = 0xa4
const IP_ADDRESS = 0x87
/** otherName, x400Address, ediPartyName, registeredID. */
const UNPROCESSED: ReadonlySet<number> = new Set([0xa0, 0xa3, 0xa5, 0x88])
