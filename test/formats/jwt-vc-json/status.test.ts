// Status of a credential: by Bitstring Status List, by Token Status List, or by both.

import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/codec/bytes.ts'
import type { FetchResource } from '../../../src/net/guarded-fetch.ts'
import { err, ok } from '../../../src/result.ts'
import { signJose } from '../../support/people/jwt-vc.ts'
import { expectRefusal } from '../contract.ts'
import { ISSUER, ISSUER_KEY, NOW, presentOf, verifyGood } from './good.ts'

const URI = 'https://status.example/1'
const TOKEN_URI = 'https://status.example/2'
const bits = Buffer.alloc(16_384)
bits.writeUInt8(0b0100_0000, 0)
const credentialSubject = {
  type: 'BitstringStatusList',
  statusPurpose: 'revocation',
  encodedList: `u${gzipSync(bits).toString('base64url')}`,
}
const vc = { type: ['VerifiableCredential', 'BitstringStatusListCredential'], id: URI, credentialSubject }
const list = await signJose({ iss: ISSUER, nbf: NOW - 10, vc }, ISSUER_KEY)

const fetchResource: FetchResource = async ({ url }) =>
  url === URI ? ok({ body: utf8(list), contentType: 'application/vc+jwt' }) : err('unavailable')

/** List with two bits an entry: valid, suspended. */
const lst = deflateSync(Uint8Array.of(0b1000)).toString('base64url')
const tokenList = await signJose(
  { iss: ISSUER, sub: TOKEN_URI, iat: NOW - 10, status_list: { bits: 2, lst } },
  ISSUER_KEY,
  { typ: 'statuslist+jwt' },
)

const bothLists: FetchResource = async (request) =>
  request.url === TOKEN_URI
    ? ok({ body: utf8(tokenList), contentType: 'application/statuslist+jwt' })
    : fetchResource(request)

const entry = (statusListIndex: string) => ({
  credentialStatus: {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex,
    statusListCredential: URI,
  },
})
const tokenStatus = { status: { status_list: { idx: 0, uri: TOKEN_URI } } }

describe('a credential in a bitstring status list', () => {
  it('is valid if its entry is not set', async () => {
    const verification = await verifyGood(await presentOf({ content: entry('0') }), {
      context: { fetchResource },
    })
    expect(verification.result).toMatchObject({ ok: true, value: { status: 'valid', reasons: [] } })
    expect(verification.trace.at(-1)).toEqual(['status', 'pass'])
  })

  it('is revoked if its entry is set', async () => {
    const verification = await verifyGood(await presentOf({ content: entry('1') }), {
      context: { fetchResource },
    })
    expect(verification.result).toMatchObject({
      ok: true,
      value: { status: 'revoked', reasons: ['credential_revoked'] },
    })
  })

  it.each([
    ['an unknown type', { credentialStatus: { type: 'Unheard' } }],
    ['null', { credentialStatus: null }],
  ])('is refused with status_unavailable if credentialStatus is %s', async (_, content) => {
    const verification = await verifyGood(await presentOf({ content }))
    expectRefusal(verification, { reason: 'status_unavailable' }, 'status')
  })

  it('is refused with status_unavailable if it is also in a token status list that is unavailable', async () => {
    const presentation = await presentOf({ content: entry('0'), claims: tokenStatus })
    const verification = await verifyGood(presentation, { context: { fetchResource } })
    expectRefusal(verification, { reason: 'status_unavailable' }, 'status')
  })

  it.each([
    ['valid if both lists say so', '0', 0, 'valid'],
    ['revoked if only the bitstring status list says so', '1', 0, 'revoked'],
    ['suspended if only the token status list says so', '0', 1, 'suspended'],
    [
      'revoked if the bitstring status list says revoked and the token status list says suspended',
      '1',
      1,
      'revoked',
    ],
  ])('that is also in a token status list is %s', async (_, index, idx, status) => {
    const claims = { status: { status_list: { idx, uri: TOKEN_URI } } }
    const presentation = await presentOf({ content: entry(index), claims })
    const verification = await verifyGood(presentation, { context: { fetchResource: bothLists } })
    expect(verification.result).toMatchObject({ ok: true, value: { status } })
  })
})
