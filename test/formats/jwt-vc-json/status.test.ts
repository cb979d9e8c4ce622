// What a credential says of its status: by Bitstring Status List, by Token Status List, or by both.

import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/codec/bytes.ts'
import { err, ok } from '../../../src/result.ts'
import type { FetchResource } from '../../../src/trust/fetch-resource.ts'
import { signJose } from '../../support/jwt-vc.ts'
import { expectRejection } from '../contract.ts'
import { ISSUER, ISSUER_KEY, NOW, presentOf, verdictOn } from './good.ts'

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
  it('is valid where its entry is not set', async () => {
    const verdict = await verdictOn(await presentOf({ content: entry('0') }), { context: { fetchResource } })
    expect(verdict.result).toMatchObject({ ok: true, value: { status: 'valid', findings: [] } })
    expect(verdict.trace.at(-1)).toEqual(['status', 'pass'])
  })

  it('is revoked where it is', async () => {
    const verdict = await verdictOn(await presentOf({ content: entry('1') }), { context: { fetchResource } })
    expect(verdict.result).toMatchObject({
      ok: true,
      value: { status: 'revoked', findings: ['credential_revoked'] },
    })
  })

  it.each([
    ['unheard-of kind', { credentialStatus: { type: 'Unheard' } }],
    ['no kind', { credentialStatus: null }],
  ])('with a status of %s is unknown, not valid', async (_, content) => {
    const verdict = await verdictOn(await presentOf({ content }))
    expectRejection(verdict, { reason: 'status_unavailable' }, 'status')
  })

  it('and in a token status list needs both', async () => {
    const presentation = await presentOf({ content: entry('0'), claims: tokenStatus })
    const verdict = await verdictOn(presentation, { context: { fetchResource } })
    expectRejection(verdict, { reason: 'status_unavailable' }, 'status')
  })
})
