// The fakes of wallets that answer `org-iso-mdoc`: each case changes one thing of a good request.

import { generateKeyPairSync, type JsonWebKey, randomBytes, sign } from 'node:crypto'
import { encode, Tagged } from 'cborg'
import { describe, expect, it } from 'vitest'
import { mintLeaf } from '../../support/certificates/certificates.ts'
import { transcriptOf } from '../../support/people/annex-c-wallet.ts'
import { euAgeAndroid } from '../../support/wallets/eu/eu-age-android.ts'
import { euAgeIos } from '../../support/wallets/eu/eu-age-ios.ts'
import type { FakeWallet } from '../../support/wallets/fake-wallet.ts'
import { makeStage } from '../../support/wallets/good-request.ts'
import { appleWallet } from '../../support/wallets/world/apple-wallet.ts'

const stage = await makeStage()
const reader = await mintLeaf(stage.verifier.root, {
  subject: 'CN=Shop',
  extendedKeyUsage: ['1.0.18013.5.1.6'],
})
const ORIGIN = 'https://shop.example'
const [MDL, AGE] = ['org.iso.18013.5.1.mDL', 'eu.europa.ec.av.1']

type Document = readonly [docType: string, nameSpace: string, element: string]
const LICENCE: Document = [MDL, 'org.iso.18013.5.1', 'age_over_18']
const ATTESTATION: Document = [AGE, AGE, 'age_over_18']

/** A request for one element of each document, with reader authentication unless `isSigned` is false. */
function requestOf(documents: readonly Document[], isSigned = true) {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'jwk',
  }) as JsonWebKey
  const point = (text = '') => Uint8Array.from(Buffer.from(text, 'base64url'))
  const recipientPublicKey = new Map<number, number | Uint8Array>([
    [1, 2],
    [-1, 1],
    [-2, point(x)],
    [-3, point(y)],
  ])
  const parameters = { nonce: Uint8Array.from(randomBytes(16)), recipientPublicKey }
  const encryptionInfo = base64url(encode(['dcapi', parameters]))
  const docRequests = documents.map(([docType, nameSpace, element]) => {
    const itemsRequest = new Tagged(
      24,
      encode({ docType, nameSpaces: { [nameSpace]: { [element]: false } } }),
    )
    return isSigned
      ? { itemsRequest, readerAuth: authenticate(itemsRequest, encryptionInfo) }
      : { itemsRequest }
  })
  const deviceRequest = base64url(encode({ version: '1.0', docRequests }))
  return { protocol: 'org-iso-mdoc', data: { deviceRequest, encryptionInfo } }
}

function authenticate(itemsRequest: Tagged, encryptionInfo: string) {
  const header = encode(new Map([[1, -7]]))
  const payload = encode(
    new Tagged(24, encode(['ReaderAuthentication', transcriptOf(encryptionInfo, ORIGIN), itemsRequest])),
  )
  const signed = encode(['Signature1', header, new Uint8Array(), payload])
  const key = { key: reader.privateJwk, format: 'jwk', dsaEncoding: 'ieee-p1363' } as never
  return [header, new Map([[33, reader.der]]), null, Uint8Array.from(sign('sha256', signed, key))]
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

function answerOf(wallet: FakeWallet, digital: ReturnType<typeof requestOf>, origin = ORIGIN) {
  const surroundings = { holdings: stage.holdings, verifierCa: '', fetch: () => Promise.reject() }
  return wallet.answer({ digital, origin }, surroundings)
}

describe('Apple Wallet', () => {
  it('answers a signed request for one element of the driving licence with only this element', async () => {
    const answer = await answerOf(appleWallet, requestOf([LICENCE]))
    expect(answer).toMatchObject({
      disclosed: [{ type: MDL, claim: 'age_over_18' }],
      credential: { protocol: 'org-iso-mdoc' },
    })
  })

  it.each([
    ['without reader authentication', requestOf([LICENCE], false), 'reader authentication is missing'],
    [
      'for a document that it does not hold',
      requestOf([ATTESTATION]),
      'no document with the requested elements',
    ],
    [
      'for an element that the document lacks',
      requestOf([[MDL, 'org.iso.18013.5.1', 'height']]),
      'no document with the requested elements',
    ],
    [
      'for two documents',
      requestOf([LICENCE, LICENCE]),
      'the documentation is silent about several documents',
    ],
    [
      'of another protocol',
      { ...requestOf([LICENCE]), protocol: 'openid4vp-v1-signed' },
      'the protocol openid4vp-v1-signed is not org-iso-mdoc',
    ],
    [
      'whose EncryptionInfo was exchanged after signing',
      {
        protocol: 'org-iso-mdoc',
        data: { ...requestOf([LICENCE]).data, encryptionInfo: requestOf([LICENCE]).data.encryptionInfo },
      },
      'malformed DeviceRequest or EncryptionInfo',
    ],
  ])('refuses a request %s', async (_, digital, refused) => {
    expect(await answerOf(appleWallet, digital)).toEqual({ refused })
  })

  it('refuses a request that was signed for another origin', async () => {
    const answer = await answerOf(appleWallet, requestOf([LICENCE]), 'https://other.example')
    expect(answer).toEqual({ refused: 'malformed DeviceRequest or EncryptionInfo' })
  })

  it('refuses a request that comes in a link', async () => {
    const surroundings = { holdings: stage.holdings, verifierCa: '', fetch: () => Promise.reject() }
    expect(await appleWallet.answer({ link: 'openid4vp://?' }, surroundings)).toEqual({ refused: 'no links' })
  })
})

it('the age verification app on iOS needs all requested documents to answer, and on Android only one of them', async () => {
  const digital = requestOf([ATTESTATION, LICENCE], false)
  const refused = 'no document with the requested elements'
  expect(await answerOf(euAgeIos, digital)).toEqual({ refused })
  expect(await answerOf(euAgeAndroid, digital)).toMatchObject({ disclosed: [{ type: AGE }] })
})

it.each([
  ['Android', euAgeAndroid],
  ['iOS', euAgeIos],
])('the age verification app on %s answers a request without reader authentication', async (_, wallet) => {
  const answer = await answerOf(wallet, requestOf([ATTESTATION], false))
  expect(answer).toMatchObject({ disclosed: [{ type: AGE, claim: 'age_over_18' }] })
  const refused = 'no document with the requested elements'
  expect(await answerOf(wallet, requestOf([LICENCE], false))).toEqual({ refused })
})
