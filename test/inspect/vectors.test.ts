// Every vector of the repository that is a message of a wallet or of this service opens, and its signatures
// have the expected result.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type InspectInput, inspect, type Report } from '../../packages/inspect/src/inspect.ts'

const VECTORS = join(import.meta.dirname, '../vectors')
const read = new Set(['trusted-lists'])
const vector = (name: string) => {
  read.add(`${name}.json`)
  return JSON.parse(readFileSync(join(VECTORS, `${name}.json`), 'utf8'))
}
/** Vectors that are no messages, by the reason. */
const NOT_INSPECTED: Readonly<Record<string, string>> = {
  'asvs-5.0.json': 'numbers of requirements',
  'did-key.json': 'names of keys, and the same keys as JWK',
  'exclusive-c14n.json': 'XML documents that are no trusted lists',
}
const gzipped = (name: string) => gunzipSync(readFileSync(join(VECTORS, 'trusted-lists', name)))

const annexB = vector('iso18013-7-annexB')
const annexC = vector('annex-c')
const bitstring = vector('bitstring-status-list')
const { receipts, claims } = vector('clients')
const crl = vector('crl-openssl')
const evidence = vector('evidence-containers').containers as Readonly<Record<string, string>>
const annexD = vector('iso18013-5-annexD')
const openid4vp = vector('oid4vp-1.0')
const issuers = vector('real-issuers')
const rfc9901 = vector('sd-jwt-rfc9901')
const sdJwtVc = vector('sd-jwt-vc')
const statusList = vector('token-status-list')
const lists = vector('trusted-lists')
const responses = vector('wallet-responses').responses

/** A vector: its name, the input, the kind, the checks that hold, and the checks that fail. */
type Case = [name: string, input: InspectInput, kind: Report['kind'], holds: string[], fails?: string[]]

const jwk = (key: object) => JSON.stringify(key)
/** A time at which the certificate or document of a vector is valid. */
const at = (time: string) => ({ now: new Date(time) })
type Named = { readonly name: string }
/** A case of the clients: changed members of the good message, and the error of a client. */
type ClientCase = Named & { readonly error?: string }
const signedOnly = ({ error }: ClientCase) => error === undefined || error === 'wrong_signature'
const signatureOf = ({ error }: ClientCase) =>
  error === undefined ? [['signature'], []] : [[], ['signature']]

const CASES: readonly Case[] = [
  ...['waltId', 'euAgeVerification', 'webPlatformTests'].flatMap((name): Case[] => [
    [`${name}, DeviceRequest`, { input: annexC[name].deviceRequestB64 }, 'annex_c', []],
    [`${name}, EncryptionInfo`, { input: annexC[name].encryptionInfoB64 }, 'annex_c', []],
  ]),
  [
    'waltId, request',
    {
      input: JSON.stringify({
        deviceRequest: annexC.waltId.deviceRequestB64,
        encryptionInfo: annexC.waltId.encryptionInfoB64,
      }),
    },
    'annex_c',
    [],
  ],
  ['ISO/IEC TS 18013-7 Annex B, SessionTranscript', { input: annexB.sessionTranscriptHex }, 'cbor', []],
  ['waltId, response', { input: annexC.waltId.encryptedResponseB64 }, 'annex_c', []],
  ...receipts.cases.filter(signedOnly).map((each: ClientCase): Case => {
    const { receipt, jwks } = { ...receipts.good, ...each }
    const [holds = [], fails = []] = signatureOf(each)
    return [`receipts, ${each.name}`, { input: receipt, keys: jwk(jwks) }, 'receipt', holds, fails]
  }),
  ...claims.cases.filter(signedOnly).map((each: ClientCase): Case => {
    const { encrypted_claims, private_jwk, jwks } = { ...claims.good, ...each }
    const [holds = [], fails = []] = signatureOf(each)
    const input = { input: encrypted_claims, keys: jwk({ keys: [private_jwk, ...jwks.keys] }) }
    return [`encrypted claims, ${each.name}`, input, 'jwe', ['decryption', ...holds], fails]
  }),
  ...Object.entries<string>(crl.certificates).map(
    ([name, input]): Case => [`OpenSSL, ${name}`, { input }, 'certificates', ['validity period']],
  ),
  [
    'Google Wallet, certificate',
    { input: vector('google-wallet').certificate_pem, ...at('2025-10-01T00:00:00Z') },
    'certificates',
    ['signature of the issuer'],
    ['validity period'],
  ],
  [
    'ISO/IEC 18013-5 Annex D, DeviceResponse',
    { input: annexD.ISO_18013_5_ANNEX_D_DEVICE_RESPONSE, ...at('2021-09-25T00:00:00Z') },
    'device_response',
    ['signature', 'digests', 'validity period'],
  ],
  ...['DS_CERT', 'READER_CERT'].map(
    (name): Case => [
      `ISO/IEC 18013-5 Annex D, ${name}`,
      { input: annexD[`ISO_18013_5_ANNEX_D_${name}`], ...at('2020-12-01T00:00:00Z') },
      'certificates',
      ['validity period'],
    ],
  ),
  [
    'ISO/IEC 18013-5 Annex D, DeviceRequest',
    { input: annexD.ISO_18013_5_ANNEX_D_DEVICE_REQUEST, ...at('2020-12-01T00:00:00Z') },
    'annex_c',
    ['validity period'],
  ],
  ...['DEVICE_ENGAGEMENT', 'SESSION_TRANSCRIPT_BYTES', 'ITEMS_REQUEST', 'SESSION_DATA'].map(
    (name): Case => [`Annex D, ${name}`, { input: annexD[`ISO_18013_5_ANNEX_D_${name}`] }, 'cbor', []],
  ),
  [
    'German sandbox, list of trusted entities',
    { input: vector('lote-german-sandbox').jwt, ...at('2025-12-01T00:00:00Z') },
    'trust_list',
    ['signature', 'next update'],
  ],
  [
    'OpenID4VP 1.0, encrypted response',
    { input: openid4vp.jwe.compact, keys: jwk(openid4vp.jwe.privateJwk) },
    'jwe',
    ['decryption'],
  ],
  [
    'OpenID4VP 1.0, SD-JWT VC',
    { input: openid4vp.sdJwtVcld.presentation, keys: jwk(openid4vp.sdJwtVcld.issuerJwk) },
    'sd_jwt_vc',
    ['signature', 'disclosures', 'key binding'],
  ],
  ...Object.entries(openid4vp.dcql).map(
    ([name, query]): Case => [
      `OpenID4VP 1.0, ${name}`,
      { input: JSON.stringify(query) },
      'dcql_query',
      ['form'],
    ],
  ),
  ...issuers.authorities.map(
    ({ name, certificate }: Named & { certificate: string }): Case => [
      name,
      { input: certificate, ...at('2026-08-01T00:00:00Z') },
      'certificates',
      ['validity period'],
    ],
  ),
  ...issuers.credentials.map(
    ({ name, issuer_jwt }: Named & { issuer_jwt: string }): Case => [
      name,
      { input: issuer_jwt },
      'sd_jwt_vc',
      ['signature', 'disclosures'],
    ],
  ),
  [issuers.licence.name, { input: issuers.licence.issuer_signed }, 'mdoc', ['signature', 'digests']],
  [
    issuers.wallet_answer.name,
    { input: issuers.wallet_answer.device_response },
    'device_response',
    ['signature', 'digests'],
  ],
  ...[rfc9901, sdJwtVc].flatMap(({ provenance, tokens, issuerJwk }) =>
    tokens.map(
      ({ line, token }: { line: number; token: string }): Case => [
        `${provenance.slice(0, 50)}, line ${line}`,
        { input: token, keys: jwk(issuerJwk) },
        'sd_jwt_vc',
        ['signature', 'disclosures'],
      ],
    ),
  ),
  [
    'Token Status List, JWT',
    { input: statusList.jwt, keys: jwk(statusList.key), ...at('2023-01-01T00:00:00Z') },
    'status_list',
    ['signature', 'expiry'],
  ],
  [
    'Token Status List, CWT',
    { input: statusList.cwtHex, keys: jwk(statusList.key), ...at('2023-01-01T00:00:00Z') },
    'status_list',
    ['signature', 'expiry'],
  ],
  ...statusList.lists.map(
    ({ bits, cborHex }: { bits: number; cborHex: string }): Case => [
      `Token Status List, ${bits} bits`,
      { input: cborHex },
      'status_list',
      [],
    ],
  ),
  ...readdirSync(join(VECTORS, 'trusted-lists')).map((name): Case => {
    const isChanged = name === lists.reindented.file
    const holds = isChanged ? [] : ['signature']
    return [
      `trusted list ${name}`,
      { input: gzipped(name) },
      'trust_list',
      holds,
      isChanged ? ['signature'] : [],
    ]
  }),
  ...Object.entries(evidence).map(
    ([name, container]): Case => [
      `evidence, ${name}`,
      { input: Buffer.from(container, 'base64') },
      'evidence',
      [],
    ],
  ),
  ['AAMVA, VICAL', { input: vector('vical-aamva').vical }, 'trust_list', ['signature']],
  ['Austroads, VICAL', { input: vector('vical-austroads').vical }, 'trust_list', ['signature']],
  ['Austroads, root', { input: vector('vical-austroads').root_certificate_pem }, 'certificates', []],
  ...responses.map(
    ({ name, deviceResponse, now }: Named & { deviceResponse: string; now: string }): Case => [
      name,
      { input: deviceResponse, ...at(now) },
      'device_response',
      ['signature', 'digests', 'validity period'],
    ],
  ),
]

const checksOf = ({ parts }: Report) => parts.flatMap(({ checks }) => checks)

describe('a test vector in test/vectors', () => {
  it('is read by this test file, or this file gives the reason why it is not read', () => {
    expect([...read, ...Object.keys(NOT_INSPECTED)].toSorted()).toEqual(readdirSync(VECTORS).toSorted())
  })

  it.each(CASES)(
    'is read, and each signature has the expected result: %s',
    async (_, input, kind, holds, fails = []) => {
      const report = await inspect(input)
      expect(report.kind).toBe(kind)
      const checks = checksOf(report)
      const named = (result: string) =>
        checks.filter((check) => check.result === result).map(({ name }) => name)
      expect(named('holds')).toEqual(expect.arrayContaining(holds))
      expect(named('fails')).toEqual(expect.arrayContaining(fails))
      const signatures = checks.filter(({ name }) =>
        ['signature', 'digests', 'disclosures', 'decryption'].includes(name),
      )
      const failed = signatures.filter(({ result }) => result === 'fails').map(({ name }) => name)
      expect(failed).toEqual(fails.filter((name) => name === 'signature'))
      expect(report.parts.some(({ rows }) => rows.length > 0)).toBe(true)
    },
  )

  it('with a Bitstring Status List is read as a credential, and the report shows the revoked entry', async () => {
    const credential = (encodedList: string) => ({
      vc: {
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiableCredential', 'BitstringStatusListCredential'],
        credentialSubject: { type: 'BitstringStatusList', statusPurpose: 'revocation', encodedList },
      },
    })
    for (const [name, revoked] of [
      ['unset', undefined],
      ['set_4000', '1'],
    ]) {
      const input = unsigned({ alg: 'ES256' }, credential(bitstring[name ?? '']))
      const { kind, parts } = await inspect({ input })
      const entries = parts.find(({ title }) => title === 'entries')
      expect(kind).toBe('status_list')
      expect(entries?.rows.find((row) => row.name === 'entry 4000')?.value).toBe(revoked)
    }
  })

  it('with a Token Status List gives the entries that the specification lists', async () => {
    for (const { cborHex, statuses } of statusList.lists) {
      const { parts } = await inspect({ input: cborHex })
      const rows = parts.flatMap((part) => part.rows).filter(({ name }) => name.startsWith('entry '))
      const expected = Object.entries(statuses)
      expect(rows.length).toBeGreaterThan(0)
      for (const { name, value } of rows)
        expect(expected.find(([index]) => `entry ${index}` === name)?.[1]).toBe(Number(value))
    }
  })
})

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (header: object, payload: object) => `${base64url(header)}.${base64url(payload)}.AAAA`
