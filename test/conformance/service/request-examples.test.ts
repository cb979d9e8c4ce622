// Every request example of the API description, sent to the service that it describes. Only what one run
// alone can know is replaced: codes, credentials of a client, and responses of a wallet.

import { describe, expect, it } from 'vitest'
import { openBrowser } from '../../support/browser/browser.ts'
import type { DigitalRequest } from '../../support/linters/dc-api-linter.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { ageOf } from '../../support/people/person.ts'
import { createWallet, type ReceivedRequest } from '../../support/people/wallet.ts'
import { DESCRIPTION, findSchema } from '../../support/reading/described.ts'
import { schemaErrors } from '../../support/reading/json-schema.ts'
import { type CreatedSession, expectStatus, OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const SHOP = 'https://shop.example'
const RETURN_URL = `${SHOP}/checkout`

const EXAMPLES = Object.entries(DESCRIPTION.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { operationId, requestBody }]) =>
    Object.entries(requestBody?.content ?? {}).flatMap(([type, { examples = {} }]) =>
      Object.keys(examples).map((example) => ({
        operationId,
        method: method.toUpperCase(),
        path,
        type,
        example,
      })),
    ),
  ),
)

/** Members that a call needs beside the example. */
type Call = {
  readonly token?: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Members of the example that one run alone can know. */
  readonly replaced?: Readonly<Record<string, unknown>>
}

const newShop = () => relyingPartyOf(stage, { origins: [SHOP], return_urls: [RETURN_URL] })
const rpCall = async (): Promise<Call> => ({ token: (await newShop()).api_key })
const operatorCall = async (): Promise<Call> => ({ token: stage.service.server.adminToken })
const partyOfOperator = async (): Promise<Call> => ({
  ...(await operatorCall()),
  parameters: { rp: (await newShop()).relying_party_id },
})

async function sessionCall(request: object = OVER_18): Promise<Call & { readonly session: CreatedSession }> {
  const rp = await newShop()
  const session = await rp.create(request)
  return { token: rp.api_key, parameters: { id: session.verification_id }, session }
}

/** The wallet responded on the device of a browser that did not return yet. */
async function walletResponded() {
  const call = await sessionCall({ ...OVER_18, return_url: RETURN_URL })
  const browser = openBrowser(stage.service)
  const received = await stage.service.wallet.receive(await browser.link(call.session))
  const responded = await stage.service.wallet.present(received, await ageOf(stage.person, received))
  const { redirect_uri } = (await expectStatus(responded, 200)) as { redirect_uri: string }
  return { call, browser, redirect_uri }
}

async function redeemCall(): Promise<Call> {
  const { call, browser, redirect_uri } = await walletResponded()
  const back = (await expectStatus(await browser.completeReturn(redirect_uri), 200)) as { return_url: string }
  return { ...call, replaced: { return_code: new URL(back.return_url).searchParams.get('return_code') } }
}

async function browserReturnCall(): Promise<Call> {
  const { call, browser, redirect_uri } = await walletResponded()
  const response_code = new URLSearchParams(new URL(redirect_uri).hash.slice(1)).get('response_code')
  const { parameters = {} } = call
  return { parameters, replaced: { response_code }, headers: browser.headers() }
}

/** The call of our page in a browser. */
async function linkCall(): Promise<Call> {
  const { session, parameters = {} } = await sessionCall()
  return { parameters, token: session.client_token, headers: openBrowser(stage.service).headers() }
}

async function dcApiCall(): Promise<Call> {
  const call = await sessionCall()
  const path = `/v1/verify/${call.session.verification_id}/dc-api/request`
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${call.token}` }
  const asked = await stage.service.fetch(path, { method: 'POST', headers, body: '{}' })
  const { digital } = (await expectStatus(asked, 200)) as { digital: { requests: readonly DigitalRequest[] } }
  const browser = { origin: SHOP, ...stage.service }
  const request = digital.requests.find(
    ({ protocol }) => protocol === 'openid4vp-v1-signed',
  ) as DigitalRequest
  const received = await receiveDigital(request, browser)
  const age = await ageOf(stage.person, received, { audience: `origin:${SHOP}` })
  const { data } = await respondDigital(received, age, browser)
  return { ...call, replaced: { data } }
}

async function walletCall(): Promise<Call> {
  const { session } = await sessionCall()
  return { parameters: { capability: session.wallet_request.request_uri.split('/r/')[1] ?? '' } }
}

async function responseCall(): Promise<Call> {
  const { session, parameters = {} } = await sessionCall()
  const sent: string[] = []
  const kept = async (url: string, init: RequestInit = {}) => {
    if (!url.endsWith('/callback')) return stage.service.fetch(url, init)
    sent.push(String(init.body))
    return Response.json({})
  }
  const { verifierCa } = stage.service
  const wallet = createWallet({ fetch: kept, verifierCa })
  const received: ReceivedRequest = await wallet.receive(session.wallet_request.uri)
  await wallet.present(received, await ageOf(stage.person, received))
  return { parameters, replaced: Object.fromEntries(new URLSearchParams(sent[0])) }
}

async function tokenCall(): Promise<Call> {
  const { relying_party_id, api_key } = await newShop()
  return { replaced: { client_id: relying_party_id, client_secret: api_key } }
}

/** A client of OpenID Connect, as the example creates it. */
async function oidcClient() {
  const rp = await newShop()
  const body = DESCRIPTION.components.examples.CreateOidcClient?.value as object
  const created = await expectStatus(await rp.call('POST', '/v1/oidc_clients', { body }), 201)
  return { rp, ...(created as { readonly client_id: string; readonly client_secret: string }) }
}

async function changeClientCall(): Promise<Call> {
  const { rp, client_id } = await oidcClient()
  return { token: rp.api_key, parameters: { client: client_id } }
}

async function changeClientOfOperator(): Promise<Call> {
  const { rp, client_id } = await oidcClient()
  return { ...(await operatorCall()), parameters: { rp: rp.relying_party_id, client: client_id } }
}

async function pushCall(): Promise<Call> {
  const { rp, client_id, client_secret } = await oidcClient()
  const secret = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  return { parameters: { rp: rp.relying_party_id }, headers: { Authorization: `Basic ${secret}` } }
}

/** By operation: the caller, and what the session went through before. */
const CALLS: Readonly<Record<string, () => Promise<Call>>> = {
  createVerification: rpCall,
  redeemReturnCode: redeemCall,
  makeLink: linkCall,
  requestByDcApi: sessionCall,
  presentByDcApi: dcApiCall,
  produceOutcome: sessionCall,
  redeliverRange: rpCall,
  createAccessToken: tokenCall,
  changeSettings: rpCall,
  createApiKey: rpCall,
  adminCreateTrustList: operatorCall,
  adminCreateRelyingParty: operatorCall,
  adminChangeRelyingParty: partyOfOperator,
  adminCreateApiKey: partyOfOperator,
  fetchRequestWithNonce: walletCall,
  postResponse: responseCall,
  completeReturn: browserReturnCall,
  createOidcClient: rpCall,
  changeOidcClient: changeClientCall,
  adminCreateOidcClient: partyOfOperator,
  adminChangeOidcClient: changeClientOfOperator,
  pushAuthorizationRequest: pushCall,
}

/**
 * A code needs a whole login: `conformance/oidc/openid-client.test.ts`. The console is off here:
 * `routes/console/console.test.ts`.
 */
const SENT_ELSEWHERE: readonly string[] = ['redeemCode', 'signIn', 'startPersonSignIn', 'createConsoleCode']

describe('a request example', () => {
  it('exists for every operation with a body, and is sent by this test or by another test', () => {
    const sent = [...Object.keys(CALLS), ...SENT_ELSEWHERE]
    expect(EXAMPLES.map(({ operationId }) => operationId).sort()).toEqual(sent.sort())
  })

  it.each(EXAMPLES.filter(({ operationId }) => !SENT_ELSEWHERE.includes(operationId)))(
    '$example is accepted by $operationId',
    async ({ operationId, method, path, type, example }) => {
      const call = (await CALLS[operationId]?.()) ?? {}
      const { token, parameters = {}, headers = {}, replaced = {} } = call
      const value = DESCRIPTION.components.examples[example]?.value as Record<string, string>
      // The new value has the members of the example, and matches its schema.
      expect(Object.keys(value)).toEqual(expect.arrayContaining(Object.keys(replaced)))
      const body = { ...value, ...replaced } as Record<string, string>
      expect(schemaErrors(body, findSchema(example), findSchema)).toEqual([])
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '')
      const response = await stage.service.fetch(address, {
        method,
        headers: {
          'Content-Type': type,
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...headers,
        },
        body: type === 'application/json' ? JSON.stringify(body) : new URLSearchParams(body).toString(),
      })
      // The transport has compared the response with its schema.
      expect([response.status, response.status < 300 ? '' : await response.text()]).toEqual([
        expect.toSatisfy((status: number) => status >= 200 && status < 300),
        '',
      ])
    },
  )
})
