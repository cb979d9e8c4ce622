import { describe, expect, it } from 'vitest'
import { readPemBundle } from '../../../src/trust/lists/pem-bundle.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'

describe('a bundle of certificates', () => {
  it('lists each certificate in order, with any text between the certificates', async () => {
    const { root, leaf } = await mintIssuerPki()
    expect(readPemBundle(`# a root\n${root.pem}\nsubject=CN=leaf\n${leaf.pem}`)).toEqual({
      ok: true,
      value: {
        type: null,
        sequence: null,
        issuedAt: null,
        nextUpdate: null,
        certificates: [
          { service: 'certificate', certificate: root.der },
          { service: 'certificate', certificate: leaf.der },
        ],
      },
    })
  })

  it.each([
    ['no certificate', ''],
    ['a key beside a certificate', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
    ['a certificate without an end', '-----BEGIN CERTIFICATE-----\nAAAA\n'],
  ])('is malformed if it contains %s', async (_, text) => {
    const { root } = await mintIssuerPki()
    expect(readPemBundle(text === '' ? text : root.pem + text)).toEqual({ ok: false, error: 'malformed' })
  })
})
