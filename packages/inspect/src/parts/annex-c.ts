// Messages of ISO/IEC TS 18013-7 Annex C: DeviceRequest, EncryptionInfo and the encrypted response.

import { type CborItem, findEntry, readBytes, readText } from '../../../../src/codec/cbor.ts'
import { isJsonObject, type JsonObject, member } from '../../../../src/codec/json.ts'
import { parseCoseKey, readX5chain } from '../../../../src/crypto/cose.ts'
import type { Context } from '../context.ts'
import { MDOC } from '../meanings.ts'
import { check, type Part, part, row } from '../report.ts'
import { cborRows } from '../rows.ts'
import { type Bytes, decodeText } from '../source.ts'
import { certificateParts } from './certificates.ts'
import { readCbor } from './status-list.ts'

/** Returns true for `data` of a request of `org-iso-mdoc`. */
export function isAnnexCRequest(data: unknown): data is JsonObject {
  return isJsonObject(data) && typeof member(data, 'deviceRequest') === 'string'
}

/** Returns the parts of `data` of a request: the DeviceRequest and the EncryptionInfo. */
export async function annexCParts(data: JsonObject, context: Context): Promise<readonly Part[]> {
  const items = ['deviceRequest', 'encryptionInfo'].map((name) => {
    const text = member(data, name)
    const bytes = typeof text === 'string' ? decodeText(text) : undefined
    return bytes && readCbor(bytes)
  })
  const [request, info] = items
  return [
    ...(request ? await deviceRequestParts(request, context) : []),
    ...(info ? [encryptionInfoPart(info)] : []),
  ]
}

/** Returns the parts of a DeviceRequest, with the certificates of its readers. */
export async function deviceRequestParts(request: CborItem, context: Context): Promise<readonly Part[]> {
  const docRequests = findEntry(request, 'docRequests')
  const items = docRequests?.type === 'array' ? docRequests.items.slice(0, 20) : []
  const clause = 'ISO/IEC 18013-5 8.3.2.1.2.1'
  const version = row('version', readText(findEntry(request, 'version')) ?? 'missing', MDOC.version)
  const parts = await Promise.all(
    items.map(async (item, i) => {
      const title = items.length > 1 ? `document request ${i + 1}` : 'document request'
      const auth = findEntry(item, 'readerAuth')
      const detail = auth
        ? 'it covers the session, so it is not checked here'
        : 'the request is not signed: any page can make it'
      const signature = check('reader authentication', 'not_checked', detail, 'ISO/IEC 18013-5 9.1.4')
      const chain = auth && chainOfCose(auth)
      const rows = cborRows(findEntry(item, 'itemsRequest') ?? item, MDOC)
      return [
        part(title, clause, rows, [signature]),
        ...(chain ? await certificateParts(chain, context, `${title}: reader`) : []),
      ]
    }),
  )
  return [part('DeviceRequest', clause, [version]), ...parts.flat()]
}

function chainOfCose(auth: CborItem): readonly Bytes[] | undefined {
  const unprotected = auth.type === 'array' ? auth.items[1] : undefined
  const chain = unprotected && readX5chain(unprotected)
  return chain?.ok ? chain.value : undefined
}

/** Returns the part of an EncryptionInfo. */
export function encryptionInfoPart(info: CborItem): Part {
  const content = info.type === 'array' ? info.items[1] : undefined
  const key = content && parseCoseKey(findEntry(content, 'recipientPublicKey'))
  const clause = 'ISO/IEC TS 18013-7 C.5'
  const rows = content ? cborRows(content) : cborRows(info)
  const usable = key
    ? [row('key as JWK', JSON.stringify(key), ['The response is encrypted to it.', clause])]
    : []
  return part('EncryptionInfo', clause, [...rows, ...usable])
}

/** Returns the part of an encrypted response. */
export function encryptedResponsePart(response: CborItem): Part {
  const content = response.type === 'array' ? response.items[1] : undefined
  const cipherText = content && readBytes(findEntry(content, 'cipherText'))
  const clause = 'ISO/IEC TS 18013-7 C.5'
  const detail = 'it is opened only together with the request, its origin and the private key'
  const rows = [
    row('ciphertext', `${cipherText?.length ?? 0} bytes`, ['The encrypted DeviceResponse.', clause]),
  ]
  return part('encrypted response', clause, rows, [check('content', 'not_checked', detail, clause)])
}
