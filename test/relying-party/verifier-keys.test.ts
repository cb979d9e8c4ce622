// Keys of a relying party's DID document: the signing key, and those with which sessions may still sign.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { VERIFIER_KEY_OVERLAP } from '../../src/relying-party/document/document.ts'
import { creationSchema } from '../../src/relying-party/settings/settings-schema.ts'
import { TEST_ENVIRONMENT, VERIFIER_CERTIFICATE_PEM } from '../support/service/environment.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const RULES = { now: NOW, baseUrl: 'https://verifier.example', allowLoopback: false, trustLists: [] }
const signing_jwk = JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK)
const VERIFIER = { signing_jwk, certificate_chain_pem: VERIFIER_CERTIFICATE_PEM }
const { d: _, ...KEY } = signing_jwk

type Stored = Readonly<Record<string, unknown>> & { readonly former_verifier_keys: readonly unknown[] }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

async function create(change: object = {}) {
  const stub = env.RELYING_PARTY.get(env.RELYING_PARTY.newUniqueId())
  await stub.create(await creationSchema(RULES).parseAsync({ name: 'Shop', ...change }), NOW)
  return stub
}

describe('the verifier keys of a relying party', () => {
  it('are "not_found" before the relying party is created, and empty if it has no own key', async () => {
    const unknown = env.RELYING_PARTY.get(env.RELYING_PARTY.newUniqueId())
    expect(await unknown.verifierKeys()).toEqual({ ok: false, error: 'not_found' })
    expect(await (await create()).verifierKeys()).toEqual({ ok: true, value: [] })
  })

  it('still include a signing key that was removed from the settings, until `VERIFIER_KEY_OVERLAP` has passed', async () => {
    const stub = await create({ verifier: VERIFIER })
    expect(await stub.verifierKeys()).toEqual({ ok: true, value: [KEY] })
    await stub.update({ verifier: null })
    vi.setSystemTime(NOW + VERIFIER_KEY_OVERLAP - 1)
    expect(await stub.verifierKeys()).toEqual({ ok: true, value: [KEY] })
    vi.setSystemTime(NOW + VERIFIER_KEY_OVERLAP)
    expect(await stub.verifierKeys()).toEqual({ ok: true, value: [] })
  })

  it('that were replaced are kept for more than 24 hours (the longest session) plus 60 s (the greatest age of its settings)', () => {
    expect(VERIFIER_KEY_OVERLAP).toBeGreaterThan((86_400 + 60) * 1000)
  })

  it('that were replaced are neither in the settings nor in the view', async () => {
    const stub = await create({ verifier: VERIFIER })
    await stub.update({ verifier: null })
    expect(await stub.settings()).not.toHaveProperty('value.former_verifier_keys')
    expect(await stub.view()).not.toHaveProperty('value.former_verifier_keys')
  })

  it('include at most 16 replaced keys, and a replaced key is removed after `VERIFIER_KEY_OVERLAP`', async () => {
    const stub = await create({ verifier: VERIFIER })
    const kept = async () => {
      await stub.update({ verifier: VERIFIER })
      const document = await runInDurableObject(stub, (_, state) => state.storage.kv.get<Stored>('document'))
      return document?.former_verifier_keys.length
    }
    for (let i = 1; i < 16; i++) await kept()
    expect([await kept(), await kept()]).toEqual([16, 16])
    vi.setSystemTime(NOW + VERIFIER_KEY_OVERLAP)
    expect(await kept()).toBe(1)
  })
})
