import { describe, expect, it, vi } from 'vitest'
import { verifierOf } from '../../sandbox/verifier.ts'

const BASE_URL = 'https://verifier.example'

describe('the connection to the verifier', () => {
  it('uses the service binding if there is one', async () => {
    const bound = vi.fn(async () => new Response('bound'))
    const call = verifierOf({ BASE_URL, VERIFIER: { fetch: bound } as never })
    expect(await (await call?.(`${BASE_URL}/healthz`, { method: 'HEAD' }))?.text()).toBe('bound')
    expect(bound).toHaveBeenCalledWith(`${BASE_URL}/healthz`, { method: 'HEAD', redirect: 'manual' })
  })

  it('uses the public address of the verifier if there is no binding', async () => {
    const over = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('public'))
    const call = verifierOf({ BASE_URL })
    expect(await (await call?.(`${BASE_URL}/healthz`))?.text()).toBe('public')
    expect(over).toHaveBeenCalledWith(`${BASE_URL}/healthz`, { redirect: 'manual' })
    over.mockRestore()
  })

  it.each([
    'https://verifier.example.attacker.example/',
    'http://verifier.example/',
    'https://other.example/',
  ])('is refused for an address that does not have the origin of BASE_URL: %s', async (address) => {
    const bound = vi.fn()
    await expect(verifierOf({ BASE_URL, VERIFIER: { fetch: bound } as never })?.(address)).rejects.toThrow(
      'not an address of the verifier',
    )
    expect(bound).not.toHaveBeenCalled()
  })

  it('does not exist if BASE_URL is not set', () => {
    expect(verifierOf({})).toBeUndefined()
  })
})
