// `verifier.root_certificate_pem`: validated when it is set, and sent only to a wallet that expects it.

import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { creationSchema } from '../../src/relying-party/settings/settings-schema.ts'
import { verifierIdentity } from '../../src/relying-party/verifier/verifier-identity.ts'
import { mintIntermediate, mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { TEST_ENVIRONMENT } from '../support/service/environment.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const RULES = { now: NOW, baseUrl: 'https://verifier.example', allowLoopback: false, trustLists: [] }

const root = await mintRoot()
const authority = await mintIntermediate(root)
const leaf = await mintLeaf(authority)
const { kty, crv, x, y, d } = leaf.privateJwk
const CHAIN = { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: leaf.pem + authority.pem }

async function parse(root_certificate_pem: string) {
  const verifier = { ...CHAIN, root_certificate_pem }
  const parsed = await creationSchema(RULES).safeParseAsync({ name: 'Shop', verifier })
  const errors = parsed.error?.issues.map(({ path, message }) => `/${path.join('/')} ${message}`) ?? []
  return { errors, verifier: parsed.data?.verifier ?? null }
}

describe('the root of a verifier certificate', () => {
  it('is accepted if it issued the last certificate of the chain', async () => {
    expect(await parse(root.pem)).toMatchObject({ errors: [], verifier: { root_certificate_pem: root.pem } })
  })

  it.each([
    ['an unrelated root', async () => (await mintRoot()).pem, 'must be the self-signed authority'],
    ['an authority that is not self-signed', async () => authority.pem, 'must be the self-signed authority'],
    ['two certificates', async () => root.pem + authority.pem, 'must be one PEM certificate'],
    ['a text', async () => 'root', 'must be one PEM certificate'],
  ])('is refused if it is %s', async (_, pem, message) => {
    const { errors } = await parse(await pem())
    expect(errors).toEqual([expect.stringContaining(`/verifier/root_certificate_pem ${message}`)])
  })

  it('is refused when it has expired', async () => {
    const old = await mintRoot({ notAfter: new Date(NOW - 1000) })
    const below = await mintLeaf(old)
    const { kty, crv, x, y, d } = below.privateJwk
    const verifier = {
      signing_jwk: { kty, crv, x, y, d },
      certificate_chain_pem: below.pem,
      root_certificate_pem: old.pem,
    }
    const { error } = await creationSchema(RULES).safeParseAsync({ name: 'Shop', verifier })
    expect(error?.issues.map(({ message }) => message)).toEqual(['must be valid now'])
  })

  it('is in x5c only if `includeRoot` is true', async () => {
    const { verifier } = await parse(root.pem)
    const settings = { verifier } as Parameters<typeof verifierIdentity>[1]
    const chainOf = async (includeRoot?: boolean) => {
      const request = { prefix: 'x509_hash', now: NOW / 1000, expiresAt: NOW / 1000 + 600 } as const
      const asked = includeRoot === undefined ? request : { ...request, includeRoot }
      const identity = await verifierIdentity(loadConfig(TEST_ENVIRONMENT as never), settings, asked)
      return identity.ok && identity.value && 'x5c' in identity.value.proof
        ? identity.value.proof.x5c.length
        : 0
    }
    expect([await chainOf(), await chainOf(false), await chainOf(true)]).toEqual([2, 2, 3])
  })
})
