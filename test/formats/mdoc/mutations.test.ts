// Each case is the good presentation with one thing changed, and the reason it is refused for.

import { describe, expect, it } from 'vitest'
import type { CheckId, Rejection } from '../../../src/formats/format.ts'
import { expectRejection } from '../contract.ts'
import { EXPECTED, HANDOVER, MAC_MAKING, MAKING, make, NAME_SPACE, THUMBPRINT, verdictOn } from './good.ts'
import {
  type Changes,
  coseKey,
  embedded,
  encode,
  type Fields,
  type Making,
  makePrivateKey,
  makeTranscript,
  raw,
  tagged,
  type Value,
} from './maker.ts'

type Case = readonly [name: string, changes: Changes, rejection: Rejection, making?: Partial<Making>]

const malformed: Rejection = { reason: 'malformed_credential' }
const malformedItem: Rejection = { reason: 'malformed_disclosure' }
const malformedProof: Rejection = { reason: 'malformed_holder_binding' }
const unreferenced: Rejection = { reason: 'unreferenced_disclosure' }
const forgedProof: Rejection = { reason: 'invalid_holder_signature' }
const badAlgorithm: Rejection = { reason: 'unsupported_algorithm' }
const critical: Rejection = { reason: 'unsupported_critical_header' }
const badClaim = (claim: string): Rejection => ({ reason: 'invalid_claim', claim })

const STRANGER = makePrivateKey('P-256')

/** Sets a member; `undefined` takes it away. */
function set(name: string, value: Value) {
  return (fields: Fields) => {
    if (value === undefined) delete fields[name]
    else fields[name] = value
  }
}

/** Changes the item of one digest identifier before it is signed. */
function inItem(digestID: number, change: (item: Fields) => void): Changes {
  return { item: (item) => (item.digestID === digestID ? change(item) : undefined) }
}

function inValidity(name: string, value: Value): Changes {
  return { mso: (mso) => set(name, value)(mso.validityInfo as Fields) }
}

const tdate = (text: string) => tagged(0, text)
const flipLast = (bytes: Value) => {
  const flipped = Uint8Array.from(bytes as Uint8Array)
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1
  return flipped
}

const STRUCTURE: readonly Case[] = [
  ['version 1.1', { response: set('version', '1.1') }, malformed],
  ['no version', { response: set('version', undefined) }, malformed],
  ['status 10', { response: set('status', 10) }, malformed],
  ['no status', { response: set('status', undefined) }, malformed],
  ['no documents', { response: set('documents', undefined) }, malformed],
  ['an empty list of documents', { response: set('documents', []) }, malformed],
  [
    'its document twice',
    {
      response: (response) =>
        set('documents', [...(response.documents as Value[]), ...(response.documents as Value[])])(response),
    },
    malformed,
  ],
  ['documents that are no list', { response: set('documents', {}) }, malformed],
  ['document errors', { response: set('documentErrors', [{ other: 0 }]) }, malformed],
  ['an unknown member', { response: set('zkDocuments', []) }, malformed],
  ['an unknown member in the document', { document: set('extra', 1) }, malformed],
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
  ['an issuer algorithm we do not know', { issuerHeaders: (h) => h.protected.set(1, -257) }, badAlgorithm],
  ['an issuer algorithm in letters', { issuerHeaders: (h) => h.protected.set(1, 'ES256') }, badAlgorithm],
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
  ['MSO version 2.0', { mso: set('version', '2.0') }, badClaim('version')],
  ['no MSO docType', { mso: set('docType', undefined) }, badClaim('docType')],
  ['SHA-1', { mso: set('digestAlgorithm', 'SHA-1') }, { reason: 'unsupported_hash_algorithm' }],
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
  ['a validUntil on no day', inValidity('validUntil', tdate('2027-02-30T00:00:00Z')), badClaim('validUntil')],
  [
    'a validUntil of another zone',
    inValidity('validUntil', tdate('2027-09-01T00:00:00+01:00')),
    badClaim('validUntil'),
  ],
]

const TYPE: readonly Case[] = [
  ['a docType that is not the MSO’s', { document: set('docType', 'org.example.other') }, badClaim('docType')],
  ['an MSO for another docType', { mso: set('docType', 'org.example.other') }, badClaim('docType')],
  ['a type nobody knows', {}, { reason: 'unknown_credential_type' }, { docType: 'org.example.other' }],
]

const untrusted: Rejection = { reason: 'malformed_certificate_chain' }
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
    'its leaf alone, the intermediate left out',
    { issuerHeaders: (h) => h.unprotected.set(33, MAKING.pki.leaf.der) },
    { reason: 'untrusted_issuer' },
  ],
  [
    'an algorithm its certificate’s curve is not for',
    { issuerHeaders: (h) => h.protected.set(1, -35) },
    { reason: 'issuer_key_not_found' },
  ],
]

const forged: Rejection = { reason: 'invalid_issuer_signature' }
const ISSUER: readonly Case[] = [
  ['a flipped issuer signature', { issuerAuth: (message) => message.fill(flipLast(message[3]), 3) }, forged],
  [
    'an issuer signature one byte longer',
    { issuerAuth: (message) => message.fill(Buffer.concat([message[3] as Uint8Array, Buffer.of(0)]), 3) },
    forged,
  ],
  ['an empty issuer signature', { issuerAuth: (message) => message.fill(new Uint8Array(), 3) }, forged],
  [
    'a fully specified name put in place of the signed one',
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
  ['an item under the digest of another', inItem(1, set('digestID', 0)), unreferenced],
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
  ['an item without random', inItem(0, set('random', undefined)), malformedItem],
  ['an item without digestID', inItem(0, set('digestID', undefined)), malformedItem],
  ['an item without a name', inItem(0, set('elementIdentifier', undefined)), malformedItem],
  ['an item without a value', inItem(0, set('elementValue', undefined)), malformedItem],
  ['a number JSON cannot say', inItem(0, set('elementValue', raw('1bffffffffffffffff'))), malformedItem],
  ['a float that is no number', inItem(0, set('elementValue', raw('f97e00'))), malformedItem],
  ['a map with a number for a key', inItem(0, set('elementValue', new Map([[1, 1]]))), malformedItem],
  ['a full-date that is a number', inItem(0, set('elementValue', tagged(1004, 1))), malformedItem],
  ['another country than its signer’s', inItem(4, set('elementValue', 'FR')), badClaim('issuing_country')],
]

const HOLDER: readonly Case[] = [
  ['no deviceSigned', { document: set('deviceSigned', undefined) }, { reason: 'holder_binding_missing' }],
  ['a deviceSigned that is no map', { document: set('deviceSigned', []) }, malformedProof],
  ['an unknown member in deviceSigned', { deviceSigned: set('extra', 1) }, malformedProof],
  ['no deviceAuth', { deviceSigned: set('deviceAuth', undefined) }, malformedProof],
  ['no device namespaces', { deviceSigned: set('nameSpaces', undefined) }, malformedProof],
  ['device namespaces without tag 24', { deviceNameSpaces: encode({}) }, malformedProof],
  ['device namespaces that are no map', { deviceNameSpaces: embedded([]) }, malformedProof],
  [
    'elements of the device’s own',
    { deviceNameSpaces: embedded({ [NAME_SPACE]: { age_over_21: true } }) },
    { reason: 'forbidden_disclosure' },
  ],
  ['neither signature nor MAC', { deviceAuth: set('deviceSignature', undefined) }, malformedProof],
  [
    'both signature and MAC',
    { deviceAuth: (auth) => set('deviceMac', auth.deviceSignature)(auth) },
    malformedProof,
  ],
  ['a proof of an unknown kind', { deviceSigned: set('deviceAuth', { deviceProof: [] }) }, malformedProof],
  [
    'an attached device payload',
    { deviceMessage: (message) => message.fill(new Uint8Array(1), 2, 3) },
    malformedProof,
  ],
  [
    'a device signature with an algorithm we do not know',
    { deviceHeaders: (h) => h.protected.set(1, -257) },
    badAlgorithm,
  ],
  ['a critical device header', { deviceHeaders: (h) => h.protected.set(2, [1]) }, critical],
  [
    'a flipped device signature',
    { deviceMessage: (message) => message.fill(flipLast(message[3]), 3) },
    forgedProof,
  ],
  [
    'a device signature of another curve’s algorithm',
    { deviceHeaders: (h) => h.protected.set(1, -35) },
    forgedProof,
  ],
  ['a proof by another key', {}, forgedProof, { device: { key: STRANGER, alg: -7 } }],
  ['the issuer naming another key', {}, forgedProof, { deviceKey: STRANGER }],
  [
    'a proof for another docType',
    { deviceAuthentication: (values) => values.fill('org.example', 2, 3) },
    forgedProof,
  ],
  [
    'a proof of another kind of structure',
    { deviceAuthentication: (values) => values.fill('ReaderAuthentication', 0, 1) },
    forgedProof,
  ],
  ['no device key', { mso: set('deviceKeyInfo', undefined) }, { reason: 'holder_key_missing' }],
  [
    'a device key of an unknown curve',
    { mso: set('deviceKeyInfo', { deviceKey: coseKey(STRANGER).set(-1, 8) }) },
    { reason: 'holder_key_missing' },
  ],
  [
    'a compressed device key',
    { mso: set('deviceKeyInfo', { deviceKey: coseKey(STRANGER).set(-3, true) }) },
    { reason: 'holder_key_missing' },
  ],
  [
    'a device key that is on no curve',
    { mso: set('deviceKeyInfo', { deviceKey: coseKey(STRANGER).set(-3, new Uint8Array(32).fill(1)) }) },
    forgedProof,
  ],
]

const MAC: readonly Case[] = [
  ['a flipped MAC', { deviceMessage: (message) => message.fill(flipLast(message[3]), 3) }, forgedProof],
  [
    'a truncated MAC',
    { deviceMessage: (message) => message.fill((message[3] as Uint8Array).subarray(0, 8), 3) },
    forgedProof,
  ],
  ['HMAC 256/64', { deviceHeaders: (h) => h.protected.set(1, 4) }, badAlgorithm],
  [
    'a MAC called a signature',
    {
      deviceAuth: (auth) => {
        set('deviceSignature', auth.deviceMac)(auth)
        set('deviceMac', undefined)(auth)
      },
    },
    badAlgorithm,
  ],
  [
    'an attached payload',
    { deviceMessage: (message) => message.fill(new Uint8Array(1), 2, 3) },
    malformedProof,
  ],
  ['a MAC by another device key', {}, forgedProof, { device: { key: STRANGER, alg: -7 } }],
  ['a MAC agreed with another reader', {}, forgedProof, { readerKey: STRANGER }],
  [
    'a MAC where the device key is on P-384',
    { mso: set('deviceKeyInfo', { deviceKey: coseKey(makePrivateKey('P-384')) }) },
    badAlgorithm,
  ],
]

/** What the device was told of our request, one part of it another. */
const { audience, nonce } = EXPECTED
const { responseUri } = HANDOVER
const thumbprint = THUMBPRINT
const SESSION: readonly (readonly [string, Value])[] = [
  ['another nonce', makeTranscript([audience, 'another', thumbprint, responseUri])],
  [
    'another client identifier',
    makeTranscript(['x509_san_dns:evil.example', nonce, thumbprint, responseUri]),
  ],
  [
    'the client identifier without its prefix',
    makeTranscript(['verifier.example', nonce, thumbprint, responseUri]),
  ],
  ['another encryption key', makeTranscript([audience, nonce, new Uint8Array(32).fill(8), responseUri])],
  ['no encryption', makeTranscript([audience, nonce, null, responseUri])],
  ['an empty thumbprint', makeTranscript([audience, nonce, new Uint8Array(), responseUri])],
  ['another response URI', makeTranscript([audience, nonce, thumbprint, 'https://evil.example/'])],
  [
    'the handover of the Digital Credentials API',
    makeTranscript([audience, nonce, thumbprint, responseUri], 'OpenID4VPDCAPIHandover'),
  ],
]

const GROUPS: readonly (readonly [CheckId, readonly Case[], Partial<Making>])[] = [
  ['structure', [...STRUCTURE, ...MSO], {}],
  ['type', TYPE, {}],
  ['issuer_trust', TRUST, {}],
  ['issuer_signature', ISSUER, {}],
  ['disclosures', ITEMS, {}],
  ['holder_binding', HOLDER, {}],
  ['holder_binding', MAC, MAC_MAKING],
]

describe.each(GROUPS)('refused at the check %s', (check, cases, base) => {
  for (const [name, changes, rejection, making] of cases) {
    it(`with ${name}`, async () => {
      expectRejection(await verdictOn(make(changes, { ...base, ...making })), rejection, check)
    })
  }
})

describe('refused because the device authenticated', () => {
  it.each(SESSION)('%s', async (_, transcript) => {
    expectRejection(await verdictOn(make({ transcript })), forgedProof, 'holder_binding')
  })
})

it('at least 100 single changes are tried', () => {
  const count = GROUPS.reduce((sum, [, cases]) => sum + cases.length, SESSION.length)
  expect(count).toBeGreaterThanOrEqual(100)
})
