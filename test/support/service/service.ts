// The whole service over HTTP, with its relying parties, an issuer, a person with credentials, and a wallet.
// The service's own address is https://verifier.example; the transport sends those calls to its loopback
// port.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodePng, readWithJsqr } from '../../qr/foreign-readers.ts'
import { lintExchange } from '../linters/linted-exchange.ts'
import { createWallet, type Wallet } from '../people/wallet.ts'
import { expectDescribed } from '../reading/described.ts'
import {
  type CreatedRelyingParty,
  createRelyingParty,
  type RunningServer,
  type Server,
  startServer,
} from './server.ts'

export const BASE_URL = 'https://verifier.example'

export type Service = {
  readonly server: RunningServer
  readonly wallet: Wallet
  /** The authority (PEM) of the verifier's certificate. */
  readonly verifierCa: string
  /** Sends a call to the service's port. Redirects are returned, not followed. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** Creates a relying party in test mode. */
  readonly relyingParty: (settings?: Readonly<Record<string, unknown>>) => Promise<RelyingParty>
  /** Calls a route of the operator below `/v1/admin/relying_parties`. */
  readonly admin: (method: string, path: string, body?: unknown) => Promise<Response>
}

/** A service that only this test file uses, and that it may stop and start again. */
export type OwnService = Service & {
  readonly server: Server
  readonly stop: () => Promise<unknown>
}

export type CallOptions = {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Bearer token instead of the API key; null for none. */
  readonly token?: string | null
}

/** A relying party's server. Paths are below the service's own address. */
export type RelyingParty = CreatedRelyingParty & {
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Response>
  /** `POST /v1/verify`. Throws with the response unless it is 201. */
  readonly create: (request?: object, headers?: Readonly<Record<string, string>>) => Promise<CreatedSession>
  /** `GET /v1/verify/{id}`. Throws with the response unless it is 200. */
  readonly poll: (verificationId: string) => Promise<Poll>
}

/** Members of a creation's response that tests use. */
export type CreatedSession = {
  readonly verification_id: string
  readonly status: string
  readonly session_url: string
  readonly qr_code: string
  readonly deep_link: string
  readonly expires_at: string
  readonly client_token: string
  readonly wallet_request: WalletRequest
  readonly livemode: boolean
  readonly version: number
}

export type WalletRequest = {
  readonly protocol: string
  readonly uri: string
  readonly client_id: string
  readonly request_uri: string
  readonly request_uri_method: string
  readonly response_uri: string
  readonly dcql_query: {
    readonly credentials: readonly { readonly id: string; readonly format: string }[]
    readonly credential_sets?: unknown
  }
  readonly wallet_links: Readonly<Record<string, string>>
  readonly expires_at: string
}

/** Members of a poll that tests use. */
export type Poll = {
  readonly status: string
  readonly version: number
  readonly stage: string
  readonly checks: Readonly<Record<string, boolean>> | null
  readonly reason: Reason | null
  readonly attempts: readonly {
    readonly at: string
    readonly channel: string | null
    readonly reason: Reason
  }[]
  readonly attempt_count: number
  readonly credentials: readonly Readonly<Record<string, unknown>>[]
  readonly trace: readonly { readonly id: string; readonly clause: string; readonly result: string }[]
  readonly encrypted_claims: string | null
  readonly [member: string]: unknown
}

type Reason = {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly type: string
}

/** The usual request of tests: over 18, by any credential. */
export const OVER_18 = { credential_types: ['age_attestation'], scope: ['age_over_18'] }

type ServiceOptions = {
  /** Launcher of another copy of the project. */
  readonly launcher?: string
  /** Hard limit of file descriptors. */
  readonly descriptors?: number
  /** False if another version responds, which has another API description. */
  readonly isChecked?: boolean
}

/** Variables of the launcher in every test that speaks to `https://verifier.example`. */
export const SERVICE_VARIABLES = { BASE_URL, ALLOW_LOOPBACK: '1' }

/** Starts the service with its own state directory. */
export async function startService(
  env: Readonly<Record<string, string>> = {},
  { isChecked = true, ...options }: ServiceOptions = {},
): Promise<OwnService> {
  const server = await startServer({ env: { ...SERVICE_VARIABLES, ...env }, ...options })
  return { ...openService(server, isChecked), server, stop: () => server.stop() }
}

/** Returns the calls of a running service. With `isChecked` each response must fit the API description. */
export function openService(server: RunningServer, isChecked = true): Service {
  const { baseUrl } = server
  const send: Service['fetch'] = async (url, init = {}) => {
    const path = url.startsWith(baseUrl) ? url.slice(baseUrl.length) : url.replace(server.origin, '')
    const answer = await fetch(server.origin + path, { redirect: 'manual', ...init })
    if (!isChecked) return answer
    const { method = 'GET', body } = init
    await expectDescribed(method, path, answer, sentJson(body))
    return lintExchange({ url: baseUrl + path, method, body, answer, fetch: send })
  }
  const verifierCa = readFileSync(join(server.stateDir, 'verifier-ca.pem'), 'utf8')
  return {
    server,
    verifierCa,
    wallet: createWallet({ fetch: send, verifierCa }),
    fetch: send,
    relyingParty: async (settings) => relyingPartyOf(await createRelyingParty(server, settings), send),
    admin: (method, path, body) =>
      send(`/v1/admin/relying_parties${path}`, jsonRequest(method, server.adminToken, body, {})),
  }
}

/** Returns the JSON of a body, or undefined. */
function sentJson(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : undefined
  } catch {
    return undefined
  }
}

/** Returns the text in a `qr_code` member or a PNG, read by jsQR. */
export function readQr(picture: string | Uint8Array<ArrayBuffer>): string {
  const png = typeof picture === 'string' ? decodeQrCode(picture) : picture
  const text = readWithJsqr(decodePng(png))
  if (text === undefined) throw new Error('no QR code in the picture')
  return text
}

/** Returns the bytes of a `qr_code` member. */
export function decodeQrCode(text: string): Uint8Array<ArrayBuffer> {
  const prefix = 'image/png;base64,'
  if (!text.startsWith(prefix)) throw new Error(`not a qr_code: ${text.slice(0, 40)}`)
  return new Uint8Array(Buffer.from(text.slice(prefix.length), 'base64'))
}

function relyingPartyOf(created: CreatedRelyingParty, send: Service['fetch']): RelyingParty {
  const call: RelyingParty['call'] = (method, path, { body, headers = {}, token = created.api_key } = {}) =>
    send(path, jsonRequest(method, token, body, headers))
  return {
    ...created,
    call,
    create: async (request = OVER_18, headers = {}) => {
      const response = await call('POST', '/v1/verify', { body: request, headers })
      return (await expectStatus(response, 201)) as CreatedSession
    },
    poll: async (id) => (await expectStatus(await call('GET', `/v1/verify/${id}`), 200)) as Poll,
  }
}

/** Returns the JSON of a response with this status. Throws with the response otherwise. */
export async function expectStatus(response: Response, status: number): Promise<unknown> {
  const text = await response.text()
  if (response.status !== status) throw new Error(`HTTP ${response.status} ${text}`)
  return JSON.parse(text)
}

function jsonRequest(
  method: string,
  token: string | null,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): RequestInit {
  return {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }
}
