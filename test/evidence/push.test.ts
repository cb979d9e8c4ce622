// Requests to an object store (api/evidence). The strict store of the tests judges their signatures, and
// knows nothing of our signer.

import { describe, expect, it } from 'vitest'
import { utf8 } from '../../src/codec/bytes.ts'
import { sha256 } from '../../src/crypto/digest.ts'
import { materialUrl, objectUrl } from '../../src/evidence/push/object-store.ts'
import { signHead, signPut } from '../../src/evidence/push/signed-request.ts'
import { ACCESS, signatureFault } from '../support/service/object-store.ts'

const STORE = { ...ACCESS, endpoint: 'https://s3.example.com', prefix: 'bank/cases', retain_days: 1826 }
const URL_ = objectUrl(STORE, 'v_1', Date.UTC(2027, 0, 31, 12))
const BODY = utf8('{"object":"evidence"}')
const DIGEST = await sha256(BODY)
const NOW = Date.now()

type Signed = Awaited<ReturnType<typeof signPut>>

const faultOf = ({ url, method, headers }: Signed, body: Uint8Array, access = ACCESS) => {
  const { host, pathname } = new URL(url)
  return signatureFault(
    { method, path: pathname, headers: { host, ...headers }, body: Buffer.from(body) },
    access,
  )
}

describe('the address of an object', () => {
  it('has bucket, prefix, year, month and id', () => {
    expect(URL_).toBe('https://s3.example.com/case-files/bank/cases/2027/01/v_1.json')
    const plain = { ...STORE, endpoint: 'https://s3.example.com/', prefix: '' }
    expect(objectUrl(plain, 'v_1', Date.UTC(2027, 11, 1))).toBe(
      'https://s3.example.com/case-files/2027/12/v_1.json',
    )
  })

  it('has bucket, prefix and SHA-256 if the object is a material', () => {
    const expected = 'https://s3.example.com/case-files/bank/cases/materials/00ff'
    expect(materialUrl(STORE, '00ff')).toBe(expected)
  })
})

describe('a signed PUT', () => {
  it('is accepted by a strict store, with the checksum and the lock of the object', async () => {
    const put = await signPut(STORE, { url: URL_, digest: DIGEST, now: NOW })
    expect(faultOf(put, BODY)).toBe(undefined)
    expect(put.headers).toMatchObject({
      'if-none-match': '*',
      'x-amz-checksum-sha256': expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      'x-amz-object-lock-mode': 'COMPLIANCE',
      'x-amz-object-lock-retain-until-date': new Date(NOW + 1826 * 86_400_000).toISOString(),
    })
  })

  it('has no lock without `retain_days`', async () => {
    const put = await signPut({ ...STORE, retain_days: null }, { url: URL_, digest: DIGEST, now: NOW })
    expect(Object.keys(put.headers).filter((name) => name.includes('lock'))).toEqual([])
    expect(faultOf(put, BODY)).toBe(undefined)
  })

  it('never contains the secret', async () => {
    const put = await signPut(STORE, { url: URL_, digest: DIGEST, now: NOW })
    expect(JSON.stringify(put)).not.toContain(ACCESS.secret_access_key)
  })

  it.each<readonly [string, (put: Signed) => string | undefined]>([
    [
      'another body',
      (put) =>
        faultOf(
          put,
          BODY.map((byte) => byte ^ 1),
        ),
    ],
    ['another address', (put) => faultOf({ ...put, url: `${URL_}x` }, BODY)],
    ['another secret', (put) => faultOf(put, BODY, { ...ACCESS, secret_access_key: 'other' })],
    ['another region', (put) => faultOf(put, BODY, { ...ACCESS, region: 'us-east-1' })],
    [
      'a shorter lock',
      (put) => {
        const until = { 'x-amz-object-lock-retain-until-date': new Date(NOW + 1_000).toISOString() }
        return faultOf({ ...put, headers: { ...put.headers, ...until } }, BODY)
      },
    ],
  ])('is refused by a strict store if the request has %s', async (_, judge) => {
    expect(judge(await signPut(STORE, { url: URL_, digest: DIGEST, now: NOW }))).toMatch(/./)
  })
})

describe('a signed HEAD', () => {
  it('is accepted by a strict store, and asks for the checksum', async () => {
    const head = await signHead(STORE, URL_, NOW)
    expect(faultOf(head, new Uint8Array())).toBe(undefined)
    expect(head.headers).toMatchObject({ 'x-amz-checksum-mode': 'ENABLED' })
  })
})
