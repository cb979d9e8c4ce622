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
  NAME_MDOC,
  offerLink,
  offerValue,
} from '../../support/wallets/good-request.ts'

const stage = await makeStage()
const DISCLOSED = { disclosed: [{ format: 'mso_mdoc', type: 'eu.europa.ec.av.1', claim: 'age_over_18' }] }

describe.each([
  ['Android', euAgeAndroid],
  ['iOS', euAgeIos],
])('on %s', (platform, wallet) => {
  const isAndroid = platform === 'Android'

  it('answers an unsigned request for the age with that element alone', async () => {
    const { answer, posted } = await offerValue(wallet, stage, { queries: [AGE_MDOC] })
    expect(answer).toMatchObject(DISCLOSED)
    expect(posted).toEqual([{ vp_token: expect.stringContaining('age'), state: 'state-of-a-test' }])
  })

  it('refuses a signed request by reference', async () => {
    const { answer } = await offerLink(wallet, stage, { queries: [AGE_MDOC], change: { scheme: 'av' } })
    const refused = isAndroid
      ? 'the Client Identifier prefix x509_hash is not supported'
      : 'the request is not in the link'
    expect(answer).toEqual({ refused })
  })

  it.each([
    ['another scheme', { scheme: 'haip-vp' }, 'the scheme is not supported', 'the scheme is not av'],
    [
      'another response type',
      changed('payload.response_type', 'code'),
      'response_type is not vp_token',
      'response_type is not vp_token',
    ],
    [
      'another response_uri',
      changed('payload.response_uri', 'https://a.example/'),
      'response_uri is not that of the Client Identifier',
      'client_id is not redirect_uri: and the response_uri',
    ],
    ['no nonce', changed('payload.nonce'), 'nonce is missing', 'nonce is missing'],
    [
      'a document that it does not hold',
      changed('payload.dcql_query.credentials', [NAME_MDOC]),
      'no document of the type',
      'no document with the requested elements',
    ],
    [
      'another format',
      changed('query.format', 'dc+sd-jwt'),
      'meta names no type',
      'the format is not mso_mdoc',
    ],
  ] satisfies readonly (readonly [string, Change, string, string])[])(
    'refuses %s',
    async (_, change, android, ios) => {
      const { answer, posted } = await offerValue(wallet, stage, { queries: [AGE_MDOC], change })
      expect([answer, posted]).toEqual([{ refused: isAndroid ? android : ios }, []])
    },
  )
})

it('on iOS, says where the specification is silent', async () => {
  const change = changed('query.claim_sets', [['a']])
  const { answer } = await offerValue(euAgeIos, stage, { queries: [AGE_MDOC], change })
  expect(answer).toEqual({ refused: 'the documentation is silent about credential_sets and claim_sets' })
})
