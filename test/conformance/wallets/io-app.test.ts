// api/wallets: requests for the IO app name the verifier in `iss` and the key in `kid`. Its responses have no
// `kid`, so only the key of the request finds it. The transport's linter checks each request.

import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, it } from 'vitest'
import { readQr } from '../../support/service/service.ts'
import { ioApp } from '../../support/wallets/eu/io-app.ts'
import type { ClientMetadata } from '../../support/wallets/request-object.ts'
import { encryptFor } from '../../support/wallets/responding.ts'
import { exchangeBy, type Session, useWalletStage } from './stage.ts'

const stage = useWalletStage()
const NAME = { credential_types: ['pid'], scope: ['given_name', 'family_name'] }

/** Opens a session for the IO app. */
async function open(): Promise<Session> {
  return (await stage.rp.create({ ...NAME, wallet: 'io-app' })) as Session
}

/** The link of a further request, for this wallet. */
async function drawn({ verification_id }: Session, wallet = 'io-app'): Promise<string> {
  const response = await stage.rp.call('GET', `/v1/verify/${verification_id}/qr?size=1024&wallet=${wallet}`)
  return readQr(new Uint8Array(await response.arrayBuffer()))
}

async function objectAt(uri: string): Promise<string> {
  const response = await stage.service.fetch(new URL(uri).searchParams.get('request_uri') ?? '')
  return response.text()
}

it('the response to a create request has the result lowered for the IO app, and names the reason', async () => {
  const { wallets } = (await stage.rp.create(NAME)) as Session
  expect(wallets.find(({ id }) => id === 'io-app')).toMatchObject({
    result: 'lowered',
    left_out: expect.arrayContaining([{ member: '/client_id', why: 'issuer_named' }]),
  })
})

it('a request for the IO app has `iss` and `kid`, and a request without a chosen wallet has neither', async () => {
  const session = await open()
  const text = await objectAt(session.wallet_request.uri)
  const { iss, client_id } = decodeJwt(text)
  expect([iss, client_id]).toEqual([session.wallet_request.client_id, session.wallet_request.client_id])
  expect(decodeProtectedHeader(text)).toMatchObject({
    kid: expect.stringMatching(/^[\w-]{43}$/),
    x5c: [expect.any(String)],
  })
  const any = (await stage.rp.create(NAME)) as Session
  const plain = await objectAt(any.wallet_request.uri)
  expect(decodeJwt(plain)).not.toHaveProperty('iss')
  expect(decodeProtectedHeader(plain)).not.toHaveProperty('kid')
})

it('the answer of the IO app to the older of two requests is verified', async () => {
  const session = await open()
  expect(await drawn(session)).not.toBe(session.wallet_request.uri)
  const end = await exchangeBy({ link: session.wallet_request.uri }, stage, ioApp, session)
  expect(end).toMatchObject({ status: 'verified', disclosed: { length: 2 } })
  expect(await stage.rp.poll(session.verification_id)).toMatchObject({ wallet: 'io-app' })
})

it('a response without `kid` is refused if it is encrypted for a request to another wallet than the IO app', async () => {
  const session = await open()
  const { verification_id: id, wallet_request } = session
  const { client_metadata } = decodeJwt(await objectAt(await drawn(session, 'nl-wallet'))) as {
    client_metadata: ClientMetadata
  }
  const { kid: _, ...key } = client_metadata.jwks!.keys[0]!
  const response = await encryptFor({ key, enc: 'A128GCM' }, { vp_token: { pid: ['x'] }, state: 'x' })
  const posted = await stage.service.fetch(wallet_request.response_uri, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ response }).toString(),
  })
  expect(posted.status).toBe(400)
  const { attempts } = await stage.rp.poll(id)
  expect(attempts.at(-1)?.reason.code).toBe('unknown_encryption_key')
  expect(await exchangeBy({ link: wallet_request.uri }, stage, ioApp, session)).toMatchObject({
    status: 'verified',
  })
})
