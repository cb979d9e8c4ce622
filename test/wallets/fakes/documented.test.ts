// The fakes of closed wallets: they answer what the documentation describes, refuse what it excludes, and say
// where it is silent.

import { describe, expect, it } from 'vitest'
import { franceIdentite } from '../../support/wallets/eu/france-identite.ts'
import { germanEudiWallet } from '../../support/wallets/eu/german-eudi-wallet.ts'
import {
  type Change,
  changed,
  makeStages,
  NAME_MDOC,
  NAME_SD_JWT,
  offerLink,
} from '../../support/wallets/good-request.ts'
import { lissi } from '../../support/wallets/world/lissi.ts'

const [stage, other] = await makeStages()
const SETS = [{ options: [['pid_mdoc']] }]
const WITH_ROOT = changed('header.x5c', [stage.verifier.leaf.x5c, stage.verifier.root.x5c])

it('France Identité answers a query for the name in a PID in the format mso_mdoc', async () => {
  const { answer } = await offerLink(franceIdentite, stage, { queries: [NAME_MDOC] })
  expect(answer).toMatchObject({ disclosed: [{ claim: 'given_name' }, { claim: 'family_name' }] })
})

it.each([
  ['dc+sd-jwt', NAME_SD_JWT],
  ['mso_mdoc', NAME_MDOC],
])(
  'the Lissi ID-Wallet answers a query for the name in the format %s only with the scheme haip-vp',
  async (format, query) => {
    const ask = (scheme: string) => offerLink(lissi, stage, { queries: [query], change: { scheme } })
    expect((await ask('haip-vp')).answer).toMatchObject({ disclosed: [{ format }, { format }] })
    for (const scheme of ['openid4vp', 'eudi-openid4vp']) {
      expect((await ask(scheme)).answer).toEqual({
        refused: 'the documentation is silent about requests outside HAIP',
      })
    }
  },
)

it('the Lissi ID-Wallet refuses the format jwt_vc_json and the undocumented member credential_sets', async () => {
  const ask = async (change: Change) =>
    (await offerLink(lissi, stage, { queries: [NAME_MDOC], change: { scheme: 'haip-vp', ...change } })).answer
  expect(await ask(changed('query.format', 'jwt_vc_json'))).toEqual({
    refused: 'only dc+sd-jwt and mso_mdoc is presented',
  })
  expect(await ask(changed('payload.dcql_query.credential_sets', SETS))).toEqual({
    refused: 'the documentation is silent about credential_sets',
  })
})

describe('the German EUDI wallet', () => {
  it('answers if x5c contains the root certificate', async () => {
    const { answer } = await offerLink(germanEudiWallet, stage, { queries: [NAME_MDOC], change: WITH_ROOT })
    expect(answer).toMatchObject({ disclosed: [{ claim: 'given_name' }, { claim: 'family_name' }] })
  })

  it('refuses a request whose x5c lacks the root certificate', async () => {
    const { answer } = await offerLink(germanEudiWallet, stage, { queries: [NAME_MDOC] })
    expect(answer).toEqual({ refused: 'the root is missing in x5c' })
  })
})

const CASES: readonly (readonly [string, Change, string])[] = [
  ['another scheme', { scheme: 'av' }, 'the scheme is not registered'],
  ['a request in the link', changed('link.request_uri'), 'requests are passed by reference'],
  ['another client_id', changed('link.client_id', 'x509_hash:AA'), 'client_id differs from the link'],
  ['no x5c', changed('header.x5c'), 'no x5c in the request object'],
  ['a certificate of another authority', { verifier: other }, 'the certificate is not trusted'],
  [
    'another signer',
    { signer: other.leaf.privateJwk as never },
    'the signature of the request object does not verify',
  ],
  [
    'a response in the clear',
    changed('payload.response_mode', 'direct_post'),
    'the response is not encrypted',
  ],
  ['another format', changed('payload.dcql_query.credentials', [NAME_SD_JWT]), 'only mso_mdoc is presented'],
  [
    'another document',
    changed('query.meta.doctype_value', 'org.iso.18013.5.1.mDL'),
    'no document with the requested elements',
  ],
  [
    'transaction data',
    changed('payload.transaction_data', ['e30']),
    'the documentation is silent about transaction_data',
  ],
  [
    'credential_sets',
    changed('payload.dcql_query.credential_sets', SETS),
    'the documentation is silent about credential_sets',
  ],
  [
    'several queries',
    changed('payload.dcql_query.credentials', [NAME_MDOC, NAME_MDOC]),
    'the documentation is silent about several queries',
  ],
  ['no claims', changed('query.claims'), 'the documentation is silent about queries without claims'],
  ['claim_sets', changed('query.claim_sets', [['a']]), 'the documentation is silent about claim_sets'],
  ['values', changed('query.claims.0.values', ['Erika']), 'the documentation is silent about values'],
]

it.each(CASES)('France Identité refuses a request with %s', async (_, change, refused) => {
  const { answer, posted } = await offerLink(franceIdentite, stage, { queries: [NAME_MDOC], change })
  expect([answer, posted]).toEqual([{ refused }, []])
})
