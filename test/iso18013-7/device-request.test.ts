// DeviceRequest and reader authentication, read by another CBOR decoder and verified by node:crypto.

import { createHash } from 'node:crypto'
import { DeviceRequest } from '@owf/mdoc'
import { decode, encode, Tagged } from 'cborg'
import { describe, expect, it } from 'vitest'
import { buildDcApiTranscript } from '../../src/formats/mdoc/session-transcript.ts'
import { buildDeviceRequest, deviceRequestHash } from '../../src/iso18013-7/device-request.ts'
import type { Reader } from '../../src/iso18013-7/reader-auth.ts'
import type { DocumentQuery, RequestedDocument } from '../../src/openid4vp/dcql/document-query.ts'
import { type Minted, mintIntermediate, mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { receiveAnnexC, transcriptOf } from '../support/people/annex-c-wallet.ts'
import annexC from '../vectors/annex-c.json' with { type: 'json' }

const { waltId, euAgeVerification } = annexC
const ORIGIN = 'https://shop.example'
const encryptionInfo = waltId.encryptionInfoB64
const transcript = await buildDcApiTranscript({ encryptionInfo, origin: ORIGIN })

const element = (nameSpace: string, name: string, intentToRetain = false) => ({
  nameSpace,
  element: name,
  intentToRetain,
})
const MDL: RequestedDocument = {
  queryId: 'mdl',
  docType: 'org.iso.18013.5.1.mDL',
  elements: [
    element('org.iso.18013.5.1', 'portrait', true),
    element('org.iso.18013.5.1.aamva', 'DHS_compliance'),
    element('org.iso.18013.5.1', 'age_over_18'),
  ],
}
const AGE: RequestedDocument = {
  queryId: 'age',
  docType: 'eu.europa.ec.av.1',
  elements: [element('eu.europa.ec.av.1', 'age_over_18')],
}
const both: DocumentQuery = { documents: [MDL, AGE], useCases: null }
const choice: DocumentQuery = {
  documents: [MDL, AGE],
  useCases: [{ mandatory: true, documentSets: [[0], [1]] }],
}

const root = await mintRoot()
const intermediate = await mintIntermediate(root)
const readerOf = (leaf: Minted, ...authorities: readonly Minted[]): Reader => ({
  signingJwk: leaf.privateJwk as Reader['signingJwk'],
  chain: [leaf.der, ...authorities.map(({ der }) => der)],
})
const alice = readerOf(await mintLeaf(root, { subject: 'CN=alice' }))
const bob = readerOf(await mintLeaf(intermediate, { subject: 'CN=bob' }), intermediate)

async function received(
  query: DocumentQuery,
  readers: readonly Reader[] = [],
  origin = ORIGIN,
  registration?: Uint8Array<ArrayBuffer>,
) {
  const deviceRequest = await buildDeviceRequest(query, transcript, {
    readers,
    ...(registration && { registration }),
  })
  return receiveAnnexC({ protocol: 'org-iso-mdoc', data: { deviceRequest, encryptionInfo } }, origin)
}

describe('our device request is byte for byte the published request of', () => {
  it.each([
    ['walt.id', waltId.deviceRequestB64, { ...AGE, docType: waltId.docType }, 'org.iso.18013.5.1'],
    ['the EU age verification profile', euAgeVerification.deviceRequestB64, AGE, AGE.docType],
  ])('%s', async (_, published, document, nameSpace) => {
    const query = {
      documents: [{ ...document, elements: [element(nameSpace, 'age_over_18')] as const }],
      useCases: null,
    }
    expect(await buildDeviceRequest(query, transcript, { readers: [] })).toBe(published)
  })
})

it('a device request groups elements by namespace, each with its intent to retain', async () => {
  expect(await received(both)).toMatchObject({
    version: '1.0',
    documents: [
      {
        docType: MDL.docType,
        nameSpaces: {
          'org.iso.18013.5.1': { portrait: true, age_over_18: false },
          'org.iso.18013.5.1.aamva': { DHS_compliance: false },
        },
      },
      { docType: AGE.docType, nameSpaces: { [AGE.docType]: { age_over_18: false } } },
    ],
    useCases: null,
    readers: [],
    allReaders: [],
  })
})

it('a device request with use cases has the version 1.1', async () => {
  expect(await received(choice)).toMatchObject({
    version: '1.1',
    useCases: [{ mandatory: true, documentSets: [[0], [1]] }],
  })
})

it('another library can decode a device request', async () => {
  const text = await buildDeviceRequest(both, transcript, { readers: [alice] })
  const request = DeviceRequest.decode(Buffer.from(text, 'base64url'))
  expect(request.docRequests.map(({ itemsRequest }) => itemsRequest.docType)).toEqual([
    MDL.docType,
    AGE.docType,
  ])
})

describe('reader authentication', () => {
  it('reader authentication by one reader signs each document request, and the version is 1.0', async () => {
    expect(await received(both, [alice])).toMatchObject({
      version: '1.0',
      readers: ['CN=alice'],
      allReaders: [],
    })
  })

  it('reader authentication by several readers signs all document requests together, and the first reader also signs each one', async () => {
    for (const query of [both, choice]) {
      expect(await received(query, [alice, bob])).toMatchObject({
        version: '1.1',
        readers: ['CN=alice'],
        allReaders: ['CN=alice', 'CN=bob'],
      })
    }
  })

  it('sends a single certificate as a byte string, or several certificates as an array with the leaf first', async () => {
    const chainOf = async (reader: Reader) => {
      const text = await buildDeviceRequest(both, transcript, { readers: [reader] })
      const request = decode(Buffer.from(text, 'base64url'), { useMaps: true, tags: Tagged.preserve(24) })
      return request.get('docRequests')[0].get('readerAuth')[1].get(33)
    }
    expect(await chainOf(alice)).toEqual(alice.chain[0])
    expect(await chainOf(bob)).toEqual(bob.chain)
  })

  it('does not verify for another origin', async () => {
    await expect(received(both, [alice], 'https://evil.example')).rejects.toThrow('does not verify')
    await expect(received(both, [alice, bob], `${ORIGIN}/`)).rejects.toThrow('does not verify')
  })
})

describe('the hash of a request', () => {
  it('is the SHA-256 of the ReaderAuthenticationAllBytes that another encoder writes', async () => {
    const text = await buildDeviceRequest(choice, transcript, { readers: [] })
    const request = decode(Buffer.from(text, 'base64url'), { useMaps: true, tags: Tagged.preserve(24) })
    const items = request.get('docRequests').map((one: Map<string, Tagged>) => one.get('itemsRequest'))
    const all = encode([
      'ReaderAuthenticationAll',
      transcriptOf(encryptionInfo, ORIGIN),
      items,
      request.get('deviceRequestInfo'),
    ])
    const digest = createHash('sha256')
      .update(encode(new Tagged(24, all)))
      .digest('base64url')
    expect(await deviceRequestHash(choice, transcript)).toBe(digest)
  })

  it('is different for each request and for each origin', async () => {
    const hashes = [
      await deviceRequestHash(both, transcript),
      await deviceRequestHash(choice, transcript),
      await deviceRequestHash({ ...both, documents: [AGE] }, transcript),
      await deviceRequestHash(
        both,
        await buildDcApiTranscript({ encryptionInfo, origin: 'https://a.example' }),
      ),
    ]
    expect(new Set(hashes).size).toBe(4)
  })
})

describe('the registration certificate in a device request', () => {
  const registration = Uint8Array.from(Buffer.from('a.b.c'))

  it('has the same bytes in every document request, and the request verifies with readerAuth', async () => {
    const { registrations, readers, version } = await received(both, [alice], ORIGIN, registration)
    expect([version, readers]).toEqual(['1.0', ['CN=alice']])
    expect(registrations.map((one) => Buffer.from(one).toString())).toEqual(['a.b.c', 'a.b.c'])
  })

  it('is also in every document request if several readers sign, and their readerAuthAll verifies', async () => {
    const request = await received(choice, [alice, bob], ORIGIN, registration)
    expect(request.allReaders).toEqual(['CN=alice', 'CN=bob'])
    expect(request.registrations).toHaveLength(2)
  })

  it('is absent if the caller passes no certificate', async () => {
    expect((await received(both, [alice])).registrations).toEqual([])
  })

  it('changes the hash of the request', async () => {
    const plain = await deviceRequestHash(both, transcript)
    expect(await deviceRequestHash(both, transcript, registration)).not.toBe(plain)
  })
})
