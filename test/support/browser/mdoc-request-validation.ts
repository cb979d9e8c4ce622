// The checks of a browser on the data of `org-iso-mdoc`, before it shows anything: those of the Web Platform
// Tests (digital-credentials/get-mdoc-request-validation). A browser refuses the whole call with a TypeError.

import { decode, Tagged } from 'cborg'

const OPTIONS = { useMaps: true, rejectDuplicateMapKeys: true, tags: Tagged.preserve(24) }
const NAME_SPACE = 'org.iso.18013.5.1'
/** Elements of the mobile driving licence that would have a wallet ask a server. */
const REFUSED_ELEMENTS = ['oidc_info', 'webapi_info']

/** Returns why a browser refuses the data; undefined if it passes the data to wallets. */
export function refusalOfBrowser(data: Readonly<Record<string, unknown>>): string | undefined {
  try {
    readBytes(data.encryptionInfo)
    const documents = asMap(decode(readBytes(data.deviceRequest), OPTIONS)).get('docRequests')
    if (!Array.isArray(documents)) throw new Error('docRequests is not an array')
    for (const document of documents) checkDocument(asMap(document))
    return undefined
  } catch (error) {
    return String(error)
  }
}

function checkDocument(document: ReadonlyMap<unknown, unknown>): void {
  const items = document.get('itemsRequest')
  const bytes = items instanceof Tagged && items.tag === 24 ? items.value : undefined
  if (!(bytes instanceof Uint8Array)) throw new Error('itemsRequest is not encoded CBOR')
  for (const [nameSpace, elements] of asMap(asMap(decode(bytes, OPTIONS)).get('nameSpaces'))) {
    const names = [...asMap(elements).keys()]
    const refused =
      nameSpace === NAME_SPACE ? names.find((name) => REFUSED_ELEMENTS.includes(String(name))) : undefined
    if (typeof refused === 'string') throw new Error(`${refused} is refused`)
  }
}

function asMap(value: unknown): ReadonlyMap<unknown, unknown> {
  if (!(value instanceof Map)) throw new Error('not a map')
  return value
}

/** base64url without padding (RFC 4648 §5). */
function readBytes(value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^[\w-]+$/.test(value) || value.length % 4 === 1) {
    throw new Error('not base64url without padding')
  }
  return Buffer.from(value, 'base64url')
}
