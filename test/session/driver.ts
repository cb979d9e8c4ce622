// Drives the whole app inside workerd. There are a relying party with one trusted issuer, its sessions, and
// the responses of a wallet.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { decodeJwt, type JWK } from 'jose'
import { expect, vi } from 'vitest'
import { sessionStub } from '../../src/relying-party/document/session-stub.ts'
import { createApp } from '../../src/routes/app.ts'
import type { VerificationSession } from '../../src/session/verification-session.ts'
import { call, createRelyingParty, json } from '../routes/edge/edge-app.ts'
import { lintWalletResponse, NEVER_A_FAULT } from '../support/linters/wallet-response-linter.ts'
import { issueSdJwtVc, type KeyPair, makeKey, presentSdJwtVc } from '../support/people/issuer.ts'
import { WAIT } from '../support/wait.ts'

const app = createApp()
const BASE = 'https://verifier.example'
export const ISSUER = 'https://issuer.example'
const VCT = 'urn:eu.europa.ec.av:1'

/** A relying party whose anchor is `issuer`. */
export type Setting = {
  readonly headers: Readonly<Record<string, string>>
  readonly issuer: KeyPair
  readonly holder: KeyPair
  readonly relyingPartyId: string
  readonly webhookSecret: string | undefined
}

export async function setUp(
  settings: Record<string, unknown> = {},
  moreAnchors: readonly object[] = [],
  credential_types: readonly string[] = ['age_attestation'],
): Promise<Setting> {
  const [issuer, holder] = await Promise.all([makeKey(), makeKey()])
  const anchor = {
    name: 'Test issuer',
    credential_types,
    assurance_level: 'substantial',
    issuer: ISSUER,
    jwks: { keys: [issuer.publicJwk] },
  }
  const { api_key, relying_party_id, webhook_secret } = await createRelyingParty({
    trust_anchors: [anchor, ...moreAnchors],
    ...settings,
  })
  return {
    headers: { Authorization: `Bearer ${api_key}` },
    issuer,
    holder,
    relyingPartyId: relying_party_id,
    webhookSecret: webhook_secret,
  }
}

/** Creates a session with plain responses in one format, so that a test can write the response by hand. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export async function createSession(setting: Setting, body: object = {}, headers: object = {}): Promise<any> {
  const request = {
    credential_types: ['age_attestation'],
    scope: ['age_over_18'],
    formats: ['dc+sd-jwt'],
    request_options: { response_mode: 'direct_post' },
    ...body,
  }
  const response = await call(app, 'POST', '/v1/verify', {
    headers: { ...setting.headers, ...headers },
    body: request,
  })
  if (response.status !== 201) throw new Error(await response.text())
  return response.json()
}

/** Creates a session, whose request a wallet fetches. */
export async function fetchedSession(setting: Setting, body: object = {}) {
  const { verification_id, wallet_request } = await createSession(setting, body)
  return { id: verification_id as string, request: await fetchRequest(wallet_request.request_uri) }
}

/** Sends a request of the relying party about a session. */
export function ask(setting: Setting, method: string, id: string, path = ''): Promise<Response> {
  return call(app, method, `/v1/verify/${id}${path}`, { headers: setting.headers })
}

/** Returns the session for its relying party. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export function poll(setting: Setting, id: string): Promise<any> {
  return json(ask(setting, 'GET', id))
}

/** Members of a Request Object that tests use. */
export type WalletRequest = {
  readonly nonce: string
  readonly state: string
  readonly client_id: string
  readonly client_metadata: { readonly jwks?: { readonly keys: readonly JWK[] } }
}

/** Returns the key for a `direct_post.jwt` response. */
export function encryptionKeyOf(request: WalletRequest): JWK {
  const key = request.client_metadata.jwks?.keys[0]
  if (key === undefined) throw new Error('the request asks for no encryption')
  return key
}

/** Fetches a Request Object by its address. */
export async function fetchRequest(requestUri: string): Promise<WalletRequest> {
  const response = await fetchRequestRaw(requestUri)
  return decodeJwt<WalletRequest>(await response.text())
}

export function fetchRequestRaw(requestUri: string): Promise<Response> {
  return call(app, 'GET', requestUri.slice(BASE.length))
}

/** Returns a presentation of an age attestation for this request. */
export async function presentation(
  { issuer, holder }: Setting,
  request: WalletRequest,
  claims: object = { age_over_18: true },
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const credential = await issueSdJwtVc({
    issuer,
    holder,
    claims: { iss: ISSUER, vct: VCT, iat, ...claims },
    disclosable: { _sd: ['age_over_18'] },
  })
  return presentSdJwtVc(credential, { holder, nonce: request.nonce, audience: request.client_id, iat })
}

/** Posts the parameters of a response. */
export function post(id: string, parameters: Record<string, string>): Promise<Response> {
  return call(app, 'POST', `/v1/verify/${id}/callback`, formOf(parameters))
}

/**
 * Posts them where the test has planted an error of the platform. Only that one rule of the linter may be
 * broken.
 */
export async function postIntoFault(id: string, parameters: Record<string, string>): Promise<Response> {
  const path = `/v1/verify/${id}/callback`
  const answer = await app.request(path, { method: 'POST', ...formOf(parameters) }, env)
  const { status, headers } = answer
  const body = await answer.clone().text()
  expect(lintWalletResponse({ method: 'POST', path, status, headers, body })).toEqual([NEVER_A_FAULT])
  return answer
}

function formOf(parameters: Record<string, string>) {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return { headers, body: `${new URLSearchParams(parameters)}` }
}

/** Returns the parameters of a good response. */
export async function goodResponse(
  setting: Setting,
  request: WalletRequest,
  claims?: object,
): Promise<{ vp_token: string; state: string }> {
  const token = { age_attestation: [await presentation(setting, request, claims)] }
  return { vp_token: JSON.stringify(token), state: request.state }
}

/** Returns the object of the session. */
export function stubOf(id: string): DurableObjectStub<VerificationSession> {
  const stub = sessionStub(env, id)
  if (stub === undefined) throw new Error('not a session id')
  return stub as DurableObjectStub<VerificationSession>
}

/** Waits until the log has confirmed the end. It does so after the response to the wallet. */
export function isPublished(id: string): Promise<unknown> {
  return vi.waitFor(
    () =>
      runInDurableObject(stubOf(id), (_, state) =>
        expect(state.storage.kv.get('session')).toHaveProperty('pending_log_entry', null),
      ),
    WAIT,
  )
}
