// What a sign-out of the console ends: this sign-in on the server, and no other one.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { deriveKey, unseal } from '../../../src/crypto/seal.ts'
import type { Env } from '../../../src/env.ts'
import { directoryStub } from '../../../src/relying-party/directory.ts'
import { relyingPartyStub } from '../../../src/relying-party/document/identifier.ts'
import type { SignOuts } from '../../../src/relying-party/document/sign-outs.ts'
import { parseApiKey } from '../../../src/relying-party/keys/api-key.ts'
import { createApp } from '../../../src/routes/app.ts'
import { at, NOON, startAtNoon } from '../../workerd/clock.ts'
import { statusAndCode } from '../edge/access-world.ts'
import { ADMIN, call, createRelyingParty } from '../edge/edge-app.ts'

const app = createApp()
const OWN = { Origin: 'https://verifier.example' }
const ADMIN_TOKEN = ADMIN.Authorization.slice('Bearer '.length)
const HOUR = 3_600_000
const MAXIMUM_SIGN_OUTS = 1_000
const SIGNED_OUT = '401 missing_token'

startAtNoon()

type Console = { readonly path: string; readonly headers: Record<string, string> }

/** Signs in. `cookie`: that of the browser. */
async function signIn(token: string, cookie = ''): Promise<Console> {
  const headers = { ...OWN, Cookie: cookie }
  const response = await call(app, 'POST', '/console/session', { headers, body: { token } })
  expect(response.status).toBe(201)
  const { change_token } = (await response.json()) as { change_token: string }
  const [set = ''] = (response.headers.get('Set-Cookie') ?? '').split(';')
  const path = token === ADMIN_TOKEN ? '/v1/admin/relying_parties' : '/v1/verify'
  return { path, headers: { ...OWN, Cookie: set, 'Console-Token': change_token } }
}

async function read({ path, headers }: Console, world: Env = env): Promise<string> {
  return statusAndCode(await call(app, 'GET', `/console/api${path}`, { headers, env: world }))
}

const signOut = ({ headers }: Console, world: Env = env) =>
  call(app, 'DELETE', '/console/session', { headers, env: world })

/** Returns the id in a cookie. */
async function idOf({ headers }: Console): Promise<string> {
  const key = await deriveKey(loadConfig(env).serverSecret, 'console')
  const text = await unseal({ key, aad: 'console-sign-in' }, headers.Cookie?.split('=')[1] ?? '')
  return (JSON.parse(text ?? '{}') as { id: string }).id
}

/** Returns the object that stores the sign-outs of a token's owner. */
function ownerOf(token: string) {
  const rp = parseApiKey(token)?.relyingPartyId ?? ''
  return relyingPartyStub(env, rp) ?? directoryStub(env)
}

async function storedOf(owner: ReturnType<typeof ownerOf>): Promise<SignOuts> {
  const stored = await owner.signOuts()
  return stored.ok ? stored.value : expect.unreachable()
}

const signInOf = (id: string, at: number) => ({ id, signed_in_at: at, expires_at: at + 12 * HOUR })

const OWNERS = [
  ['a relying party', async () => (await createRelyingParty()).api_key as string],
  ['the operator', async () => ADMIN_TOKEN],
] as const

/** An environment in which the sign-outs of no owner can be read or written. */
function withoutSignOuts(): Env {
  const unreachable = () => Promise.reject(new Error('internal error; reference = x'))
  const { RELYING_PARTY } = env
  const party = (id: DurableObjectId) => {
    const stub = RELYING_PARTY.get(id)
    return { settings: () => stub.settings(), signOuts: unreachable, endSignIn: unreachable }
  }
  const parties = { get: party, idFromString: (id: string) => RELYING_PARTY.idFromString(id) }
  const directory = { getByName: () => ({ signOuts: unreachable, endSignIn: unreachable }) }
  return { ...env, RELYING_PARTY: parties, DIRECTORY: directory } as unknown as Env
}

describe.each(OWNERS)('a sign-out of %s', (_, tokenOf) => {
  it('makes each copy of the cookie invalid at once, for /console/api and for /console/session', async () => {
    const open = await signIn(await tokenOf())
    expect(await read(open)).toMatch(/^200/)
    expect((await signOut(open)).status).toBe(204)
    expect(await read(open)).toBe(SIGNED_OUT)
    const session = await call(app, 'GET', '/console/session', { headers: open.headers })
    expect(await statusAndCode(session)).toBe(SIGNED_OUT)
    at(NOON + HOUR)
    expect(await read(open)).toBe(SIGNED_OUT)
  })

  it('leaves other sign-ins with the same key open', async () => {
    const token = await tokenOf()
    const [open, other] = [await signIn(token), await signIn(token)]
    await signOut(open)
    expect([await read(open), await read(other)]).toEqual([SIGNED_OUT, expect.stringMatching(/^200/)])
  })

  it('takes effect within 60 s in another isolate', async () => {
    at(NOON + HOUR)
    const token = await tokenOf()
    const open = await signIn(token)
    expect(await read(open)).toMatch(/^200/)
    await ownerOf(token).endSignIn(signInOf(await idOf(open), NOON + HOUR), NOON + HOUR)
    at(NOON + HOUR + 59_999)
    expect(await read(open)).toMatch(/^200/)
    at(NOON + HOUR + 60_000)
    expect(await read(open)).toBe(SIGNED_OUT)
  })

  it('gets 503 if it cannot be stored, and the browser keeps the cookie for another try', async () => {
    at(NOON + 2 * HOUR)
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const open = await signIn(await tokenOf())
    const response = await signOut(open, withoutSignOuts())
    expect(await statusAndCode(response)).toBe('503 temporarily_unavailable')
    expect(response.headers.get('Set-Cookie')).toBeNull()
    expect((await signOut(open)).status).toBe(204)
    expect(await read(open)).toBe(SIGNED_OUT)
  })

  it('is never ignored: if the sign-outs cannot be read, the console responds with 503', async () => {
    at(NOON + 3 * HOUR)
    const open = await signIn(await tokenOf())
    expect(await read(open, withoutSignOuts())).toBe('503 temporarily_unavailable')
    expect(await read(open)).toMatch(/^200/)
  })

  it('also happens when the same browser signs in again, so the old cookie stops working', async () => {
    const token = await tokenOf()
    const first = await signIn(token)
    const second = await signIn(token, first.headers.Cookie)
    expect([await read(first), await read(second)]).toEqual([SIGNED_OUT, expect.stringMatching(/^200/)])
  })

  it('is removed from storage after the time at which the sign-in would have expired', async () => {
    at(NOON + 5 * HOUR)
    const token = await tokenOf()
    const first = await signIn(token)
    await signOut(first)
    at(NOON + 17 * HOUR)
    const second = await signIn(token)
    await signOut(second)
    expect(Object.keys((await storedOf(ownerOf(token))).ended)).toEqual([await idOf(second)])
  })

  it('ends all open sign-ins of the owner if the limit of stored sign-outs is reached; a later sign-in works', async () => {
    const now = NOON + 48 * HOUR
    at(now)
    const token = await tokenOf()
    const [open, other] = [await signIn(token), await signIn(token)]
    const owner = ownerOf(token)
    const others = Array.from({ length: MAXIMUM_SIGN_OUTS - 1 }, (_, i) => [`other-${i}`, now + HOUR])
    const row = { all_until: 0, ended: Object.fromEntries(others) }
    await runInDurableObject(owner, (_, { storage }) => storage.kv.put('console_sign_outs', row))
    await owner.endSignIn(signInOf('last', now), now)
    await owner.endSignIn(signInOf('last', now), now)
    expect(await read(other)).toMatch(/^200/)
    await signOut(open)
    expect([await read(open), await read(other)]).toEqual([SIGNED_OUT, SIGNED_OUT])
    expect(await storedOf(owner)).toEqual({ all_until: now, ended: {} })
    at(now + 1)
    expect(await read(await signIn(token))).toMatch(/^200/)
  })
})

it('a sign-out after the erasure of its relying party stores nothing', async () => {
  const { api_key, relying_party_id } = await createRelyingParty()
  const open = await signIn(api_key)
  await call(app, 'DELETE', `/v1/admin/relying_parties/${relying_party_id}`, { headers: ADMIN })
  expect((await signOut(open)).status).toBe(204)
  expect(await storedOf(ownerOf(api_key))).toEqual({ all_until: 0, ended: {} })
})
