// The rules of ISO/IEC TS 18013-7 Annex C for a request, on the bytes that a page passes to its browser.

import { decode, Tagged } from 'cborg'
import { refusalOfBrowser } from '../browser/mdoc-request-validation.ts'
import type { DigitalRequest } from './dc-api-linter.ts'

/** Returns the rules that a request breaks. Signatures are left to wallets, which know the origin. */
export function lintAnnexCRequest({ data }: DigitalRequest): readonly string[] {
  const { deviceRequest, encryptionInfo, ...others } = data as Readonly<Record<string, string>>
  try {
    const info = read(encryptionInfo)
    const request = read(deviceRequest) as Map<string, unknown>
    const [name, parameters] = info as [string, Map<string, unknown>]
    const documents = request.get('docRequests') as Map<string, Tagged>[]
    const refusal = refusalOfBrowser(data)
    const is11 = request.has('deviceRequestInfo') || request.has('readerAuthAll')
    return [
      ...rule(`a browser passes it on: ${refusal}`, refusal === undefined),
      ...rule('no member beside deviceRequest and encryptionInfo', Object.keys(others).length === 0),
      ...rule('EncryptionInfo begins with dcapi', name === 'dcapi' && parameters.size === 2),
      ...rule('the nonce has 32 bytes', nonceOf(encryptionInfo).length === 64),
      ...rule('version 1.1 only for its members', request.get('version') === (is11 ? '1.1' : '1.0')),
      ...rule('there is a document', documents.length > 0),
      ...rule('several documents have use cases', documents.length === 1 || request.has('deviceRequestInfo')),
      ...rule('each document names elements', documents.every(hasElements)),
      ...rule('every document has the same registration, or none has one', haveSameRegistration(documents)),
      ...rule('a registration comes with reader authentication', documents.every(isRegistrationSigned)),
    ]
  } catch (error) {
    return [`Annex C: ${error}`]
  }
}

/** Returns the nonce of a request in hexadecimal. */
export function nonceOf(encryptionInfo: unknown): string {
  const [, parameters] = read(String(encryptionInfo)) as [string, Map<string, Uint8Array>]
  return Buffer.from(parameters.get('nonce') ?? []).toString('hex')
}

function rule(message: string, holds: boolean): readonly string[] {
  return holds ? [] : [`Annex C: ${message}`]
}

function hasElements(document: Map<string, Tagged>): boolean {
  const items = decode(document.get('itemsRequest')?.value as Uint8Array, OPTIONS) as Map<string, unknown>
  const nameSpaces = [...(items.get('nameSpaces') as Map<string, Map<string, unknown>>).values()]
  const flags = nameSpaces.flatMap((elements) => [...elements.values()])
  return flags.length > 0 && flags.every((flag) => typeof flag === 'boolean')
}

/** The registration certificate in one document request, in hexadecimal; undefined if it has none. */
function registrationIn(document: Map<string, Tagged>): string | undefined {
  const items = decode(document.get('itemsRequest')?.value as Uint8Array, OPTIONS) as Map<string, unknown>
  const info = items.get('requestInfo') as Map<string, Uint8Array> | undefined
  const certificate = info?.get('euWrprc')
  return certificate && Buffer.from(certificate).toString('hex')
}

function haveSameRegistration(documents: readonly Map<string, Tagged>[]): boolean {
  return new Set(documents.map(registrationIn)).size === 1
}

function isRegistrationSigned(document: Map<string, Tagged>): boolean {
  return registrationIn(document) === undefined || document.has('readerAuth')
}

const OPTIONS = { useMaps: true, tags: Tagged.preserve(24) }

function read(text: string | undefined): unknown {
  if (!/^[\w-]+$/.test(text ?? '')) throw new Error('not base64url without padding')
  return decode(Buffer.from(text ?? '', 'base64url'), OPTIONS)
}
