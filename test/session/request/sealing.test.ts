// Values that a session seals. node:crypto computes the keys.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import { expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import type { SessionDocument } from '../../../src/session/document/document.ts'
import { openSecret } from '../../../src/session/request/generation-keys.ts'
import { encryptResponse } from '../../support/people/wallet.ts'
import {
  ask,
  createSession,
  encryptionKeyOf,
  fetchRequest,
  goodResponse,
  post,
  setUp,
  stubOf,
} from '../driver.ts'

const JWT = { request_options: { response_mode: 'direct_post.jwt' } }

it('secrets are encrypted with a key of their session, so no key encrypts the values of many sessions', async () => {
  const setting = await setUp()
  const ids = [(await createSession(setting)).verification_id, (await createSession(setting)).verification_id]
  for (const id of ids) {
    for (const [place, sealed] of sealedValues(await documentOf(id))) {
      expect(opens(`session/${id}`, `${id}/${place}`, sealed)).toBe(true)
      expect(opens('session', `${id}/${place}`, sealed)).toBe(false)
      for (const other of ids.filter((one) => one !== id)) {
        expect(opens(`session/${other}`, `${id}/${place}`, sealed)).toBe(false)
      }
    }
  }
})

it('the private key of org-iso-mdoc cannot be decrypted as the response key of OpenID4VP, and is erased when the session ends', async () => {
  const setting = await setUp()
  const { verification_id: id } = await createSession(setting, { formats: ['mso_mdoc'] })
  const page = { page: 'relying_party', origin: 'https://shop.example', wallet: null } as const
  const asked = await stubOf(id).createDcApiRequest({ relyingPartyId: setting.relyingPartyId }, page)
  expect(asked.ok).toBe(true)
  const pending = await documentOf(id)
  const generation = pending.generations.find(({ annex_c }) => annex_c !== undefined)!
  const { x, y, sealed_key } = generation.annex_c!
  const d = openUnder(`session/${id}`, `${id}/annex-c-key/${generation.number}`, sealed_key).toString()
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' })
  expect(createPublicKey(key).export({ format: 'jwk' })).toMatchObject({ x, y })
  expect(opens(`session/${id}`, `${id}/response-key/${generation.number}`, sealed_key)).toBe(false)
  expect(JSON.stringify(pending)).not.toContain(d)
  expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
  expect(JSON.stringify(await documentOf(id))).not.toContain(sealed_key)
})

it('the encrypted signing key and response key are stored until the session ends, and are then erased', async () => {
  const setting = await setUp()
  const { verification_id: id, wallet_request } = await createSession(setting, JWT)
  await fetchRequest(wallet_request.request_uri)
  const sealed = sealedValues(await documentOf(id))
  expect(sealed.map(([place]) => place)).toEqual(['signing-key', 'response-key/1'])
  expect((await ask(setting, 'POST', id, '/cancel')).status).toBe(200)
  const document = await documentOf(id)
  const ended = JSON.stringify(document)
  expect(document.generations).toEqual([])
  for (const [place, value] of sealed) expect([place, ended.includes(value)]).toEqual([place, false])
})

it('secrets of a session that were encrypted with the earlier shared key can be decrypted', async () => {
  const setting = await setUp()
  const { verification_id: id, wallet_request } = await createSession(setting, JWT)
  await runInDurableObject(stubOf(id), (_, state) => {
    const document = state.storage.kv.get<SessionDocument>('session')!
    const reseal = (place: string, sealed: string) =>
      sealUnder('session', `${id}/${place}`, openUnder(`session/${id}`, `${id}/${place}`, sealed))
    state.storage.kv.put('session', {
      ...document,
      verifier: {
        ...document.verifier,
        sealed_signing_jwk: reseal('signing-key', document.verifier.sealed_signing_jwk!),
      },
      generations: document.generations.map((one) => ({
        ...one,
        sealed_key: reseal(`response-key/${one.number}`, one.sealed_key),
      })),
    })
  })
  await evictDurableObject(stubOf(id))
  const request = await fetchRequest(wallet_request.request_uri)
  const { vp_token, state } = await goodResponse(setting, request)
  const opened = { vp_token: JSON.parse(vp_token), state }
  const response = await encryptResponse(opened, encryptionKeyOf(request))
  expect((await post(id, { response, state })).status).toBe(200)
})

it('secrets cannot be decrypted with another SERVER_SECRET or in another session, and the error names SERVER_SECRET', async () => {
  const setting = await setUp()
  const { verification_id: id } = await createSession(setting)
  const { verification_id: other } = await createSession(setting)
  const config = loadConfig(env)
  const changed = { ...config, serverSecret: new Uint8Array(32).fill(7) }
  for (const [place, sealed] of sealedValues(await documentOf(id))) {
    const error = `${place} does not open: SERVER_SECRET is not that of its creation`
    expect(await openSecret(config, { verificationId: id, place }, sealed)).not.toBe('')
    await expect(openSecret(changed, { verificationId: id, place }, sealed)).rejects.toThrow(error)
    await expect(openSecret(config, { verificationId: other, place }, sealed)).rejects.toThrow(error)
  }
})

function documentOf(id: string): Promise<SessionDocument> {
  return runInDurableObject(stubOf(id), (_, state) => state.storage.kv.get<SessionDocument>('session')!)
}

function sealedValues({ verifier, generations }: SessionDocument): readonly (readonly [string, string])[] {
  return [
    ['signing-key', verifier.sealed_signing_jwk ?? ''],
    ...generations.map((one) => [`response-key/${one.number}`, one.sealed_key] as const),
  ]
}

function keyOf(purpose: string): Buffer {
  const { serverSecret } = loadConfig(env)
  return Buffer.from(hkdfSync('sha256', serverSecret, new Uint8Array(32), `wallet-verifier/${purpose}`, 32))
}

function openUnder(purpose: string, aad: string, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(purpose), bytes.subarray(0, 12))
  decipher.setAAD(Buffer.from(aad)).setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
}

function opens(purpose: string, aad: string, sealed: string): boolean {
  try {
    return openUnder(purpose, aad, sealed).length > 0
  } catch {
    return false
  }
}

function sealUnder(purpose: string, aad: string, text: Buffer): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(purpose), iv).setAAD(Buffer.from(aad))
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}
