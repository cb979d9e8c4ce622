// The stand-in for a browser that checks `org-iso-mdoc`, after the Web Platform Tests. Their own request
// passes, and each of their changes is refused. The linter asks it about each request of the service.

import { encode, Tagged } from 'cborg'
import { describe, expect, it } from 'vitest'
import { refusalOfBrowser } from '../support/browser/mdoc-request-validation.ts'
import { lintAnnexCRequest } from '../support/linters/annex-c-linter.ts'
import annexC from '../vectors/annex-c.json' with { type: 'json' }

const { deviceRequestB64: deviceRequest, encryptionInfoB64: encryptionInfo } = annexC.webPlatformTests
const MDL = 'org.iso.18013.5.1'
const ELEMENTS = { family_name: false, document_number: false }

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const items = (nameSpaces: unknown) => encode({ docType: `${MDL}.mDL`, nameSpaces })
const documentWith = (itemsRequest: unknown) => ({ itemsRequest })
const documentOf = (nameSpaces: unknown) => documentWith(new Tagged(24, items(nameSpaces)))
const requestOf = (...docRequests: unknown[]) => ({ version: '1.0', docRequests })
const asking = (nameSpaces: unknown) => text(encode(requestOf(documentOf(nameSpaces))))
const GOOD = requestOf(documentOf({ [MDL]: ELEMENTS }))
/** A map with one key twice. */
const twice = (map: object) => {
  const [head = 0, ...entry] = encode(map)
  return Uint8Array.of(head + 1, ...entry, ...entry)
}

const ALLOWED: readonly (readonly [string, unknown])[] = [
  ['the canonical request of these tests', deviceRequest],
  ['the same request, encoded by this file', text(encode(GOOD))],
  ['names refused only in the mDL namespace', asking({ other: { oidc_info: false, webapi_info: false } })],
  ['a name as bytes', asking(new Map([[MDL, new Map([[Buffer.from('oidc_info'), false]])]]))],
  ['an unknown member', text(encode({ ...GOOD, unknown_entry: 'some_value' }))],
]

const standardAlphabet = Buffer.from(encode({ ...GOOD, x: Uint8Array.of(0xfb, 0xff, 0xbf) })).toString(
  'base64',
)

const REFUSED: readonly (readonly [string, unknown])[] = [
  ['oidc_info', asking({ [MDL]: { oidc_info: false } })],
  ['oidc_info to be kept', asking({ [MDL]: { oidc_info: true } })],
  ['webapi_info', asking({ [MDL]: { webapi_info: false } })],
  ['oidc_info beside others', asking({ [MDL]: { ...ELEMENTS, oidc_info: false } })],
  [
    'webapi_info in the second document',
    text(encode(requestOf(documentOf({ [MDL]: ELEMENTS }), documentOf({ [MDL]: { webapi_info: false } })))),
  ],
  ['padding', `${deviceRequest}==`],
  ['a length that base64url does not have', 'A'],
  ['whitespace', `${deviceRequest} \n`],
  ['the standard alphabet', standardAlphabet.replaceAll('=', '')],
  ['an object', {}],
  ['undefined', undefined],
  ['bytes that are not CBOR', text(Uint8Array.of(0xff))],
  ['a text that is not UTF-8', text(Uint8Array.of(0xa1, 0x61, 0x61, 0x62, 0xc3, 0x28))],
  ['a trailing byte', text(Uint8Array.of(...encode(GOOD), 0))],
  ['an array', text(encode(['version', '1.0']))],
  ['a member twice', text(twice({ docRequests: GOOD.docRequests }))],
  [
    'a namespace twice',
    text(
      encode(
        requestOf(
          documentWith(
            new Tagged(24, Uint8Array.of(0xa1, ...encode('nameSpaces'), ...twice({ [MDL]: ELEMENTS }))),
          ),
        ),
      ),
    ),
  ],
  ['missing docRequests', text(encode({ version: '1.0' }))],
  ['docRequests that is a text', text(encode({ version: '1.0', docRequests: 'not an array' }))],
  ['a document that is a text', text(encode(requestOf('not a map')))],
  ['items without tag 24', text(encode(requestOf(documentWith(items({ [MDL]: ELEMENTS })))))],
  [
    'two tags',
    text(encode(requestOf(documentWith(new Tagged(400, new Tagged(24, items({ [MDL]: ELEMENTS }))))))),
  ],
  ['items that are not CBOR', text(encode(requestOf(documentWith(new Tagged(24, Uint8Array.of(0xff))))))],
  ['items that are an array', text(encode(requestOf(documentWith(new Tagged(24, encode(['not a map']))))))],
  ['namespaces that are a text', asking('not a map')],
  ['elements that are a text', asking({ [MDL]: 'not a map' })],
]

describe('a browser that follows the Web Platform Tests', () => {
  it.each(ALLOWED)('passes on %s', (_, request) => {
    expect(refusalOfBrowser({ deviceRequest: request, encryptionInfo })).toBeUndefined()
  })

  it.each(REFUSED)('refuses %s', (_, request) => {
    expect(refusalOfBrowser({ deviceRequest: request, encryptionInfo })).toBeTypeOf('string')
  })

  it.each([undefined, 123])('refuses the encryptionInfo %s', (info) => {
    expect(refusalOfBrowser({ deviceRequest, encryptionInfo: info })).toBeTypeOf('string')
  })

  it('is part of the linter, so the linter reports a request for oidc_info', () => {
    const data = {
      deviceRequest: asking({ [MDL]: { oidc_info: false } }),
      encryptionInfo: annexC.waltId.encryptionInfoB64,
    }
    const [fault] = lintAnnexCRequest({ protocol: 'org-iso-mdoc', data })
    expect(fault).toBe('Annex C: a browser passes it on: Error: oidc_info is refused')
  })
})
