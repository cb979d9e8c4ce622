import { createHash } from 'node:crypto'
import { calculateX509HashClientIdPrefixValue } from '@openid4vc/openid4vp'
import { expect, it } from 'vitest'
import { decodeBase64 } from '../../../src/codec/base64url.ts'
import { x509HashClientId, x509SanDnsClientId } from '../../../src/openid4vp/request/client-identifier.ts'
import { createVerifier } from '../fixtures.ts'

it('the x509_hash is the hash of the leaf’s DER, as a foreign library computes it', async () => {
  const { leaf: x509Certificate } = await createVerifier()
  const hash = (data: Uint8Array) => createHash('sha256').update(data).digest()
  const expected = await calculateX509HashClientIdPrefixValue({ x509Certificate, hash })
  expect(await x509HashClientId(decodeBase64(x509Certificate)!)).toBe(`x509_hash:${expected}`)
})

it('the client identifier with the prefix x509_san_dns has the host name without scheme and port', () => {
  expect(x509SanDnsClientId('https://verifier.example:8443')).toBe('x509_san_dns:verifier.example')
  expect(x509SanDnsClientId('http://localhost:8787')).toBe('x509_san_dns:localhost')
})

it.each(['http://127.0.0.1:8787', 'http://[::1]:8787', 'https://192.0.2.1'])(
  'the client identifier with the prefix x509_san_dns does not exist for %s',
  (baseUrl) => {
    expect(x509SanDnsClientId(baseUrl)).toBeUndefined()
  },
)
