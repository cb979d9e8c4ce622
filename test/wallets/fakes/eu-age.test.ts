// The fakes of the age verification app refuse what their sources refuse: each case changes one thing of a
// good request.

import { describe, expect, it } from 'vitest'
import { euAgeAndroid } from '../../support/wallets/eu/eu-age-android.ts'
import { euAgeIos } from '../../support/wallets/eu/eu-age-ios.ts'
import {
  AGE_MDOC,
  type Change,
  changed,
  makeStage,
  makeVerifier,
  NAME_MDOC,
  offerLink,
  offerValue,
} from '../../support/wallets/good-request.ts'

const stage = await makeStage()
const DISCLOSED = { disclosed: [{ format: 'mso_mdoc', type: 'eu.europa.ec.av.1', claim: 'age_over_18' }] }

describe.each([
  ['Android', euAgeAndroid],
  ['iOS', euAgeIos],
])('the age verification app on %s', (platform, wallet) => {
  const isAndroid = platform === 'Android'

  it('answers an unsigned request for an age element with only this element', async () => {
    const { answer, posted } = await offerValue(wallet, stage, { queries: [AGE_MDOC] })
    expect(answer).toMatchObject(DISCLOSED)
    expect(posted).toEqual([{ vp_token: expect.stringContaining('age'), state: 'state-of-a-test' }])
  })

  it.each([
    ['another scheme', { scheme: 'haip-vp' }, 'the scheme is not supported'],
    ['another response type', changed('payload.response_type', 'code'), 'response_type is not vp_token'],
    ['no nonce', changed('payload.nonce'), 'nonce is missing'],
    [
      'a document that it does not hold',
      changed('payload.dcql_query.credentials', [NAME_MDOC]),
      'no document of the type',
      'no credential satisfies a query',
    ],
    [
      'another format',
      changed('query.format', 'dc+sd-jwt'),
      'meta names no type',
      'intent_to_retain is for mdocs only',
    ],
  ] satisfies readonly (readonly [string, Change, string, string?])[])(
    'refuses a request with %s',
    async (_, change, android, ios = android) => {
      const { answer, posted } = await offerValue(wallet, stage, { queries: [AGE_MDOC], change })
      expect([answer, posted]).toEqual([{ refused: isAndroid ? android : ios }, []])
    },
  )
})

describe('the age verification app', () => {
  const bySigned = { queries: [AGE_MDOC], change: { scheme: 'av' } }
  const otherUri = { queries: [AGE_MDOC], change: changed('payload.response_uri', 'https://a.example/') }

  it('refuses, on Android, signed requests and requests whose response_uri differs from the Client Identifier', async () => {
    expect((await offerLink(euAgeAndroid, stage, bySigned)).answer).toEqual({
      refused: 'the Client Identifier prefix x509_hash is not supported',
    })
    expect((await offerValue(euAgeAndroid, stage, otherUri)).answer).toEqual({
      refused: 'response_uri is not that of the Client Identifier',
    })
  })

  it('ignores, on iOS, the signature of a request, and accepts a response_uri that differs from the Client Identifier', async () => {
    const unsigned = { signer: (await makeVerifier()).leaf.privateJwk as never, scheme: 'av' }
    for (const change of [bySigned.change, unsigned]) {
      const { answer } = await offerLink(euAgeIos, stage, { queries: [AGE_MDOC], change })
      expect(answer).toMatchObject(DISCLOSED)
    }
    expect((await offerValue(euAgeIos, stage, otherUri)).answer).toMatchObject(DISCLOSED)
  })

  it('evaluates claim_sets on iOS, and refuses a query whose member values contains other types than strings', async () => {
    const ask = async (change: Change) =>
      (await offerValue(euAgeIos, stage, { queries: [AGE_MDOC], change })).answer
    expect(await ask(changed('query.claim_sets', [['a']]))).toEqual({
      refused: 'no credential satisfies a query',
    })
    expect(await ask(changed('query.claims.0.values', [true]))).toEqual({
      refused: 'values other than strings',
    })
  })
})
