import { generateKeyPairSync } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import type { PrivateJwk } from '../../src/crypto/jwk.ts'
import { importSigningKey } from '../../src/crypto/sign-jwt.ts'

afterEach(() => vi.restoreAllMocks())

function makeJwk(): PrivateJwk {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'jwk' }) as PrivateJwk
}

it('a signing key is imported once, even if a second object with the same members is passed', async () => {
  const jwk = makeJwk()
  const imports = vi.spyOn(crypto.subtle, 'importKey')
  const key = await importSigningKey(jwk)
  expect(await importSigningKey({ ...jwk })).toBe(key)
  expect(imports).toHaveBeenCalledTimes(1)
  expect([key.extractable, key.usages]).toEqual([false, ['sign']])
})

it('a signing key is refused if it has the public members of a cached key but a different private member', async () => {
  const [own, foreign] = [makeJwk(), makeJwk()]
  await importSigningKey(foreign)
  await expect(importSigningKey({ ...foreign, d: own.d })).rejects.toThrow()
})
