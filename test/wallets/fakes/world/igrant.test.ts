// The fake wallet of iGrant.io does what its SDK does: each case changes one thing of a good request.

import { describe, expect, it } from 'vitest'
import {
  type Change,
  changed,
  makeStages,
  NAME_MDOC,
  NAME_SD_JWT,
  offerTo,
  offerValue,
} from '../../../support/wallets/good-request.ts'
import { igrant } from '../../../support/wallets/world/igrant.ts'

const [stage, other] = await makeStages()
const offer = offerTo(igrant, stage)
const names = (format: string) => ['given_name', 'family_name'].map((claim) => ({ format, claim }))
const METADATA = 'payload.client_metadata'

describe('a good request to the iGrant wallet', () => {
  it.each([
    ['dc+sd-jwt', NAME_SD_JWT],
    ['mso_mdoc', NAME_MDOC],
  ])('is answered with the two requested claims of %s', async (format, good) => {
    const { answer, posted } = await offer({}, [good])
    expect(answer).toMatchObject({ disclosed: names(format) })
    expect(posted).toEqual([{ response: expect.stringMatching(/^[\w-]+\.\./) }])
  })

  it('may have a certificate of any authority, an invalid signature or a wrong x509_hash', async () => {
    for (const change of [
      { verifier: other },
      { signer: other.leaf.privateJwk as never },
      changed('payload.client_id', 'x509_hash:AA'),
    ]) {
      expect((await offer(change)).answer).toMatchObject({ disclosed: names('dc+sd-jwt') })
    }
  })

  it('may be in a link, and is then answered without encryption', async () => {
    const change = { scheme: 'openid4vp' }
    const { answer, posted } = await offerValue(igrant, stage, { queries: [NAME_SD_JWT], change })
    expect(answer).toMatchObject({ disclosed: names('dc+sd-jwt') })
    expect(posted).toEqual([{ vp_token: expect.stringContaining('pid'), state: 'state-of-a-test' }])
  })

  it('a good request to the iGrant wallet with credential_sets is answered with the first option', async () => {
    const change = changed('payload.dcql_query', {
      credentials: [{ ...NAME_SD_JWT, id: 'a', meta: { vct_values: ['a'] } }, NAME_MDOC],
      credential_sets: [{ options: [['a'], ['pid_mdoc']] }],
    })
    expect((await offer(change)).answer).toMatchObject({ disclosed: names('mso_mdoc') })
  })

  it('a good request to the iGrant wallet for an object is answered with all members of the object', async () => {
    const { answer } = await offer(changed('query.claims', [{ path: ['address'] }]))
    expect(answer).toMatchObject({ disclosed: [{ claim: 'address.locality' }, { claim: 'address.country' }] })
  })

  it('a good request to the iGrant wallet without claims is answered with nothing of an SD-JWT VC and with all elements of an mdoc', async () => {
    const change = changed('query.claims')
    expect((await offer(change)).answer).toMatchObject({ disclosed: [] })
    expect((await offer(change, [NAME_MDOC])).answer).toMatchObject({ disclosed: { length: 9 } })
  })

  it('a good request to the iGrant wallet with two queries for one mdoc is answered with the elements of both queries', async () => {
    const query = { ...NAME_MDOC, id: 'b', claims: [{ path: ['eu.europa.ec.eudi.pid.1', 'sex'] }] }
    const { answer } = await offer({}, [NAME_MDOC, query])
    expect(answer).toMatchObject({ disclosed: { length: 6 } })
  })

  it('a good request to the iGrant wallet with transaction data is answered with transaction_data_hashes only if the data name the credential', async () => {
    const data = (ids: readonly string[]) =>
      Buffer.from(JSON.stringify({ type: 'a', credential_ids: ids })).toString('base64url')
    for (const [ids, isHashed] of [
      [['pid'], true],
      [['a'], false],
    ] as const) {
      const also = { 'payload.response_mode': 'direct_post' }
      const { posted } = await offer({ ...changed('payload.transaction_data', [data(ids)]), also })
      const [presentation = ''] = JSON.parse(posted[0]?.vp_token ?? '').pid as string[]
      const [, claims = ''] = presentation.split('~').at(-1)?.split('.') ?? []
      const bound = JSON.parse(Buffer.from(claims, 'base64url').toString())
      expect(Object.hasOwn(bound, 'transaction_data_hashes')).toBe(isHashed)
    }
  })
})

const MISSING = 'no credential for every query'
const claims = ['height', 'sex'].map((id) => ({ id, path: [id] }))
const CASES: readonly (readonly [string, Change, string])[] = [
  ['another scheme', { scheme: 'av' }, 'no link of this wallet'],
  ['no request_uri', changed('link.request_uri'), 'invalid request'],
  ['status 500 at its request_uri', { status: 500 }, 'request_uri: HTTP 500'],
  ['no query', changed('payload.dcql_query'), 'no dcql_query'],
  ['another type', changed('query.meta.vct_values', ['a']), MISSING],
  ['a value that the credential lacks', changed('query.claims.0.values', ['Max']), MISSING],
  ['a claim that the credential lacks', changed('query.claims.0.path', ['height']), MISSING],
  [
    'a claim set with a claim that the credential lacks',
    changed('query', { ...NAME_SD_JWT, claims, claim_sets: [['sex'], ['height']] }),
    MISSING,
  ],
  ['every element of an array', changed('query.claims.0.path', ['nationalities', null]), MISSING],
  ['one element of an array', changed('query.claims.0.path', ['nationalities', 0]), MISSING],
  [
    'trusted_authorities that did not issue the credential',
    changed('query.trusted_authorities', [{ type: 'aki', values: ['AAAA'] }]),
    MISSING,
  ],
  [
    'another response mode',
    changed('payload.response_mode', 'fragment'),
    'the response mode is not supported',
  ],
  ['a key of another curve', changed(`${METADATA}.jwks.keys.0.crv`, 'P-384'), 'no supported key'],
  [
    'another content encryption',
    changed(`${METADATA}.encrypted_response_enc_values_supported`, ['A192GCM']),
    'no supported content encryption',
  ],
]

it.each(CASES)('the iGrant wallet refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offer(change)
  expect([answer, posted]).toEqual([{ refused }, []])
})
