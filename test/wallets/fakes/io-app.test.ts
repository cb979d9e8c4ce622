// The fake IO app refuses what its source refuses. Each case changes one thing of a good request, which has
// the members that the Italian specification adds.

import { decodeProtectedHeader } from 'jose'
import { expect, it } from 'vitest'
import { ioApp } from '../../support/wallets/eu/io-app.ts'
import {
  goodPayload,
  makeStage,
  makeVerifier,
  NAME_MDOC,
  NAME_SD_JWT,
  ORGANIZATION,
  signRequest,
} from '../../support/wallets/good-request.ts'

const [stage, other] = await Promise.all([makeStage(), makeVerifier({ subject: ORGANIZATION })])
const ITALIAN = {
  application_type: 'web',
  client_id: 'https://shop.example',
  client_name: 'Shop',
  logo_uri: 'https://shop.example/logo.svg',
  request_uris: ['https://shop.example/request'],
  response_uris: ['https://shop.example/response'],
}

const LINK = 'https://continua.io.pagopa.it/itw/auth'

type Changes = {
  readonly header?: object
  readonly payload?: object
  readonly metadata?: object
  readonly method?: string
  readonly link?: string
}

async function offer(
  { header = {}, payload = {}, metadata = {}, method = 'get', link = LINK }: Changes,
  queries = [NAME_SD_JWT],
  signer = stage.verifier,
) {
  const good = goodPayload(stage.verifier, queries)
  const client_metadata = { ...good.client_metadata, ...ITALIAN, ...metadata }
  const text = await signRequest(
    { alg: 'ES256', typ: 'oauth-authz-req+jwt', kid: 'key', x5c: [stage.verifier.leaf.x5c], ...header },
    { ...good, iss: 'https://shop.example', client_metadata, ...payload },
    signer.leaf.privateJwk,
  )
  const posted: string[] = []
  const fetch = async (url: string, { body }: RequestInit = {}) => {
    if (url.endsWith('/request')) return new Response(text)
    posted.push(String(body))
    return Response.json({})
  }
  const parameters = {
    client_id: good.client_id,
    request_uri: 'https://shop.example/request',
    request_uri_method: method,
  }
  const surroundings = { fetch, holdings: stage.holdings, verifierCa: stage.verifier.root.pem }
  const answer = await ioApp.answer({ link: `${link}?${new URLSearchParams(parameters)}` }, surroundings)
  return { answer, posted }
}

it('the IO app answers a good request', async () => {
  const { answer, posted } = await offer({})
  expect(answer).toMatchObject({ disclosed: [{ claim: 'given_name' }, { claim: 'family_name' }] })
  expect(posted).toEqual([expect.stringMatching(/^response=/)])
})

it('the IO app encrypts its response without `kid`', async () => {
  const { posted } = await offer({})
  const response = new URLSearchParams(posted[0]).get('response') ?? ''
  expect(decodeProtectedHeader(response)).toEqual({
    alg: 'ECDH-ES',
    enc: 'A128GCM',
    epk: expect.any(Object),
  })
})

it('the IO app answers a request without the client_metadata members that Italian verifiers add', async () => {
  const metadata = Object.fromEntries(Object.keys(ITALIAN).map((name) => [name, undefined]))
  expect((await offer({ metadata })).posted).toHaveLength(1)
})

it('the IO app answers both options of credential_sets if it has credentials for both', async () => {
  const dcql_query = {
    credentials: [NAME_SD_JWT, NAME_MDOC],
    credential_sets: [{ options: [['pid'], ['pid_mdoc']] }],
  }
  const { answer } = await offer({ payload: { dcql_query } })
  expect(answer).toMatchObject({ disclosed: { length: 4 } })
})

it.each([
  ['no kid', { header: { kid: undefined } }, 'kid is missing in the header'],
  ['another typ', { header: { typ: 'JWT' } }, 'typ is not oauth-authz-req+jwt'],
  ['no x5c', { header: { x5c: undefined } }, 'no x5c in the request object'],
  ['no iss', { payload: { iss: undefined } }, 'iss is missing'],
  [
    'a response in the clear',
    { payload: { response_mode: 'direct_post' } },
    'response_mode is not direct_post.jwt',
  ],
  ['another response type', { payload: { response_type: 'code' } }, 'response_type is not vp_token'],
  ['no state', { payload: { state: undefined } }, 'state is missing'],
  ['a scheme of other wallets', { link: 'openid4vp://' }, 'the address does not open the app'],
  ['an unknown request_uri_method', { method: 'put' }, 'unknown request_uri_method'],
  [
    'a query that nothing satisfies',
    { payload: { dcql_query: { credentials: [{ ...NAME_SD_JWT, meta: { vct_values: ['urn:x'] } }] } } },
    'the wallet lacks a requested credential',
  ],
])('the IO app refuses a request with %s', async (_, changes, refused) => {
  expect(await offer(changes)).toEqual({ answer: { refused }, posted: [] })
})

it('the IO app refuses a request that another key signed', async () => {
  const { answer } = await offer({}, [NAME_SD_JWT], other)
  expect(answer).toEqual({ refused: 'the signature of the request object does not verify' })
})
