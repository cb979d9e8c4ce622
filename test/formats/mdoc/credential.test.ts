// The issuer-signed part with one change: structure, type, trust, signature, elements.

import type { PresentationRefusal } from '../../../src/formats/verification/format.ts'
import { badAlgorithm, type Case, critical, describeRefusals, flipLast, set } from './changes.ts'
import { MAKING, MDL, NAME_SPACE } from './good.ts'
import { type Changes, embedded, encode, type Fields, raw, tagged, type Value } from './maker.ts'

const malformed: PresentationRefusal = { reason: 'malformed_credential' }
const malformedItem: PresentationRefusal = { reason: 'malformed_disclosure' }
const unreferenced: PresentationRefusal = { reason: 'unreferenced_disclosure' }
const badClaim = (claim: string): PresentationRefusal => ({ reason: 'invalid_claim', claim })

function inItem(digestID: number, change: (item: Fields) => void): Changes {
  return { item: (item) => (item.digestID === digestID ? change(item) : undefined) }
}

function inValidity(name: string, value: Value): Changes {
  return { mso: (mso) => set(name, value)(mso.validityInfo as Fields) }
}

const tdate = (text: string) => tagged(0, text)

const STRUCTURE: readonly Case[] = [
  ['version 2.0', { response: set('version', '2.0') }, malformed],
  ...['1', '1.', '1.x', '01.0', '1.0.0', 'x1.0', 1].map(
    (version): Case => [
      `version ${JSON.stringify(version)}`,
      { response: set('version', version) },
      malformed,
    ],
  ),
  ['no version', { response: set('version', undefined) }, malformed],
  ['status 10', { response: set('status', 10) }, malformed],
  ['no status', { response: set('status', undefined) }, malformed],
  [
    'no documents, and an error code for each document',
    {
      response: (response) => {
        set('documents', undefined)(response)
        set('documentErrors', [{ [MDL]: 0 }, { 'org.example.other': -3, x: 'text' }, 'junk'])(response)
      },
    },
    { reason: 'document_not_returned', documentErrors: { [MDL]: 0, 'org.example.other': -3 } },
  ],
  [
    'no documents, and status 10',
    {
      response: (response) => {
        set('documents', undefined)(response)
        set('status', 10)(response)
      },
    },
    { reason: 'document_not_returned', documentErrors: {} },
  ],
  ['an empty list of documents', { response: set('documents', []) }, malformed],
  [
    'the same document twice',
    {
      response: (response) =>
        set('documents', [...(response.documents as Value[]), ...(response.documents as Value[])])(response),
    },
    malformed,
  ],
  ['documents that are no list', { response: set('documents', {}) }, malformed],
  ['document errors that are no list', { response: set('documentErrors', { other: 0 }) }, malformed],
  ['an unknown member in issuerSigned', { issuerSigned: set('extra', 1) }, malformed],
  ['no docType', { document: set('docType', undefined) }, malformed],
  ['no issuerSigned', { document: set('issuerSigned', undefined) }, malformed],
  ['errors that are no map', { document: set('errors', 1) }, malformed],
  ['no issuerAuth', { issuerSigned: set('issuerAuth', undefined) }, malformed],
  ['nameSpaces that are no map', { issuerSigned: set('nameSpaces', []) }, malformed],
  ['an empty namespace', { nameSpaces: set(NAME_SPACE, []) }, malformed],
  ['a namespace twice', { issuerSigned: set('nameSpaces', raw('a2616181006161' + '8100')) }, malformed],
  ['an indefinite length', { response: set('documents', raw('9fff')) }, malformed],
  ['513 data elements', { nameSpaces: set('x', Array<Value>(513).fill(0)) }, { reason: 'limit_exceeded' }],
  [
    'nesting of 13 levels',
    { document: set('errors', raw(`${'81'.repeat(13)}00`)) },
    { reason: 'limit_exceeded' },
  ],
  [
    'an issuer header of 300 entries',
    { issuerHeaders: (h) => Array.from({ length: 300 }, (_, label) => h.protected.set(1000 + label, 0)) },
    { reason: 'limit_exceeded' },
  ],
  ['issuerAuth of five members', { issuerAuth: (message) => message.push(0) }, malformed],
  [
    'issuerAuth with tag 18',
    { issuerSigned: (signed) => set('issuerAuth', tagged(18, signed.issuerAuth))(signed) },
    malformed,
  ],
  ['a detached issuer payload', { issuerAuth: (message) => message.fill(null, 2, 3) }, malformed],
  [
    'an issuer payload that is no embedded CBOR',
    { issuerAuth: (message) => message.fill(encode({}), 2, 3) },
    malformed,
  ],
  ['an unknown issuer algorithm', { issuerHeaders: (h) => h.protected.set(1, -257) }, badAlgorithm],
  ['an issuer algorithm that is a text', { issuerHeaders: (h) => h.protected.set(1, 'ES256') }, badAlgorithm],
  ['no issuer algorithm', { issuerHeaders: (h) => h.protected.delete(1) }, badAlgorithm],
  [
    'its issuer algorithm in the unprotected header',
    {
      issuerHeaders: (h) => {
        h.protected.delete(1)
        h.unprotected.set(1, -7)
      },
    },
    badAlgorithm,
  ],
  ['its issuer algorithm in both headers', { issuerHeaders: (h) => h.unprotected.set(1, -7) }, malformed],
  ['a critical issuer header', { issuerHeaders: (h) => h.protected.set(2, [33]) }, critical],
]

const MSO: readonly Case[] = [
  ...['2.0', '1', '1.', '1.x', 1].map(
    (version): Case => [
      `MSO version ${JSON.stringify(version)}`,
      { mso: set('version', version) },
      badClaim('version'),
    ],
  ),
  ['no MSO docType', { mso: set('docType', undefined) }, badClaim('docType')],
  ['SHA-1 digests', { mso: set('digestAlgorithm', 'SHA-1') }, { reason: 'unsupported_hash_algorithm' }],
  ['no digests', { mso: set('valueDigests', undefined) }, badClaim('valueDigests')],
  [
    'a digest that is no byte string',
    { mso: set('valueDigests', { x: new Map([[0, 'x']]) }) },
    badClaim('valueDigests'),
  ],
  ['no validityInfo', { mso: set('validityInfo', undefined) }, badClaim('signed')],
  ['no validFrom', inValidity('validFrom', undefined), badClaim('validFrom')],
  ['a validUntil without tag 0', inValidity('validUntil', '2027-09-01T00:00:00Z'), badClaim('validUntil')],
  ['a validUntil in Unix time', inValidity('validUntil', tagged(1, 1_800_000_000)), badClaim('validUntil')],
  [
    'a validUntil with fractions of a second',
    inValidity('validUntil', tdate('2027-09-01T00:00:00.5Z')),
    badClaim('validUntil'),
  ],
  [
    'a validUntil with an offset and a Z',
    inValidity('validUntil', tdate('2027-09-01T00:00:00+00:00Z')),
    badClaim('validUntil'),
  ],
  [
    'a validUntil on a day that does not exist',
    inValidity('validUntil', tdate('2027-02-30T00:00:00Z')),
    badClaim('validUntil'),
  ],
  [
    'a validUntil of another zone',
    inValidity('validUntil', tdate('2027-09-01T00:00:00+01:00')),
    badClaim('validUntil'),
  ],
]

const TYPE: readonly Case[] = [
  ['a docType that is not the MSO’s', { document: set('docType', 'org.example.other') }, badClaim('docType')],
  ['an MSO for another docType', { mso: set('docType', 'org.example.other') }, badClaim('docType')],
  ['an unknown docType', {}, { reason: 'unknown_credential_type' }, { docType: 'org.example.other' }],
]

const untrusted: PresentationRefusal = { reason: 'malformed_certificate_chain' }
const TRUST: readonly Case[] = [
  ['no x5chain', { issuerHeaders: (h) => h.unprotected.delete(33) }, untrusted],
  ['an empty x5chain', { issuerHeaders: (h) => h.unprotected.set(33, []) }, untrusted],
  ['an x5chain of text', { issuerHeaders: (h) => h.unprotected.set(33, 'MII') }, untrusted],
  ['an x5chain of junk', { issuerHeaders: (h) => h.unprotected.set(33, Uint8Array.of(1, 2)) }, untrusted],
  [
    'its x5chain in the protected header',
    {
      issuerHeaders: (h) => {
        h.protected.set(33, h.unprotected.get(33))
        h.unprotected.delete(33)
      },
    },
    untrusted,
  ],
  [
    'the anchor in its x5chain',
    { issuerHeaders: (h) => h.unprotected.set(33, [...MAKING.pki.chain, MAKING.pki.root.der]) },
    { reason: 'trust_anchor_in_chain' },
  ],
  [
    'only the leaf in its x5chain',
    { issuerHeaders: (h) => h.unprotected.set(33, MAKING.pki.leaf.der) },
    { reason: 'untrusted_issuer' },
  ],
  [
    'an algorithm that does not fit the curve of its certificate',
    { issuerHeaders: (h) => h.protected.set(1, -35) },
    { reason: 'issuer_key_not_found' },
  ],
]

const forged: PresentationRefusal = { reason: 'invalid_issuer_signature' }
const ISSUER: readonly Case[] = [
  ['a flipped issuer signature', { issuerAuth: (message) => message.fill(flipLast(message[3]), 3) }, forged],
  [
    'an issuer signature one byte longer',
    { issuerAuth: (message) => message.fill(Buffer.concat([message[3] as Uint8Array, Buffer.of(0)]), 3) },
    forged,
  ],
  ['an empty issuer signature', { issuerAuth: (message) => message.fill(new Uint8Array(), 3) }, forged],
  [
    'a fully specified algorithm in place of the signed algorithm',
    { issuerAuth: (message) => message.fill(encode(new Map([[1, -9]])), 0, 1) },
    forged,
  ],
]

const ITEMS: readonly Case[] = [
  [
    'an item the issuer did not sign',
    {
      disclosed: (items) =>
        items.push(
          embedded({ digestID: 99, random: new Uint8Array(16), elementIdentifier: 'x', elementValue: 1 }),
        ),
    },
    unreferenced,
  ],
  [
    'an item with another value',
    {
      disclosed: (items) =>
        items.fill(
          embedded({
            digestID: 0,
            random: Buffer.alloc(16, 0),
            elementIdentifier: 'given_name',
            elementValue: 'Eve',
          }),
          0,
          1,
        ),
    },
    unreferenced,
  ],
  [
    'an item under another namespace',
    { nameSpaces: (spaces) => set('org.example', [(spaces[NAME_SPACE] as Value[])[0]])(spaces) },
    unreferenced,
  ],
  ['an item with the digestID of another item', inItem(1, set('digestID', 0)), unreferenced],
  ['an item twice', { disclosed: (items) => items.push(items[0]) }, { reason: 'duplicate_digest' }],
  [
    'an element twice, both signed',
    inItem(1, set('elementIdentifier', 'given_name')),
    { reason: 'duplicate_digest' },
  ],
  ['an item without tag 24', { disclosed: (items) => items.fill(encode({}), 0, 1) }, malformedItem],
  [
    'an item that is no CBOR',
    { disclosed: (items) => items.fill(tagged(24, Uint8Array.of(0xff)), 0, 1) },
    malformedItem,
  ],
  [
    'a portrait of 5000 entries',
    inItem(0, set('elementValue', Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${i}`, 0])))),
    { reason: 'limit_exceeded' },
  ],
  ['an item without random', inItem(0, set('random', undefined)), malformedItem],
  ['an item without digestID', inItem(0, set('digestID', undefined)), malformedItem],
  ['an item without a name', inItem(0, set('elementIdentifier', undefined)), malformedItem],
  ['an item without a value', inItem(0, set('elementValue', undefined)), malformedItem],
  [
    'a number that is too large for JSON',
    inItem(0, set('elementValue', raw('1bffffffffffffffff'))),
    malformedItem,
  ],
  ['a float that is no number', inItem(0, set('elementValue', raw('f97e00'))), malformedItem],
  ['a map with a number for a key', inItem(0, set('elementValue', new Map([[1, 1]]))), malformedItem],
  ['a full-date that is a number', inItem(0, set('elementValue', tagged(1004, 1))), malformedItem],
  [
    'an issuing_country that differs from its signer’s country',
    inItem(4, set('elementValue', 'FR')),
    badClaim('issuing_country'),
  ],
]

describeRefusals('structure', [...STRUCTURE, ...MSO])
describeRefusals('type', TYPE)
describeRefusals('issuer_trust', TRUST)
describeRefusals('issuer_signature', ISSUER)
describeRefusals('disclosures', ITEMS)
