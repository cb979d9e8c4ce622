// Wallets fetch requests, and make responses of any kind.

import { digestOfBody, present } from '../credentials.ts'
import {
  ask,
  type MadeResponse,
  type ResponseKind,
  type Session,
  type WalletRequest,
  type World,
} from '../world.ts'

/** Fetches a request by the address that a page has shown. */
export async function fetchRequest(
  world: World,
  session: Session,
  uri: string,
): Promise<WalletRequest | undefined> {
  const address = new URL(uri).searchParams.get('request_uri') ?? ''
  const handle = address.slice(address.indexOf('/r/') + 3 + session.verificationId.length - 2)
  const answer = await ask(world, session, 'fetchRequest', handle, { nonce: null, metadata: null })
  if (!answer?.ok) return undefined
  const claims = claimsOf(String(answer.value))
  const request = {
    session,
    number: numberOf(claims.state),
    nonce: claims.nonce,
    state: claims.state,
    clientId: claims.client_id,
    key: claims.client_metadata?.jwks?.keys[0],
  }
  session.requests.push(request)
  return request
}

/** Decodes a Request Object. */
export function claimsOf(jws: string): RequestClaims {
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as RequestClaims
}

type RequestClaims = {
  readonly nonce: string
  readonly state: string
  readonly client_id: string
  readonly client_metadata?: {
    readonly jwks?: { readonly keys: readonly Readonly<Record<string, string>>[] }
  }
}

/** Returns the generation of a `state`: its first three bytes. */
export function numberOf(state: string): number {
  return Buffer.from(state, 'base64url').readUIntBE(0, 3)
}

/** Makes a response. `state` and `nonce` may belong to another request. */
export async function makeResponse(
  world: World,
  request: WalletRequest,
  kind: ResponseKind,
  other: Partial<Pick<WalletRequest, 'state' | 'nonce'>> = {},
): Promise<MadeResponse> {
  const { state, nonce } = { ...request, ...other }
  const plain = parametersOf(world, { ...request, state, nonce }, kind)
  const isError = kind === 'denied' || kind === 'wallet_error'
  const parameters =
    request.key === undefined || (isError && world.random.chance(0.5))
      ? plain.map(
          ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
        )
      : ([['response', await encrypt(world, request.key, Object.fromEntries(plain))]] as const)
  const body = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString()
  const made = { request, kind, parameters, digest: digestOfBody(body) }
  request.session.responses.push(made)
  return made
}

/** Makes a response for the Digital Credentials API. It has no `state`. */
export async function makeDcApiResponse(world: World, request: WalletRequest, kind: ResponseKind) {
  const plain = Object.fromEntries(parametersOf(world, request, kind).filter(([name]) => name !== 'state'))
  const response = request.key === undefined ? plain : { response: await encrypt(world, request.key, plain) }
  const data = JSON.stringify(response)
  const made = { request, kind, parameters: [], digest: digestOfBody(data) }
  request.session.responses.push(made)
  return { ...made, data }
}

function parametersOf(
  { credentials, random, scheduler }: World,
  { state, nonce, clientId }: WalletRequest,
  kind: ResponseKind,
): readonly (readonly [string, unknown])[] {
  if (kind === 'denied' || kind === 'wallet_error') {
    return [
      ['error', kind === 'denied' ? 'access_denied' : 'server_error'],
      ['state', state],
    ]
  }
  const credential = kind === 'minor' ? credentials.minor : credentials.adult
  const bound = {
    nonce: kind === 'junk' && random.chance(0.5) ? 'another' : nonce,
    audience: kind === 'junk' && random.chance(0.5) ? 'x509_hash:another' : clientId,
    iat: Math.floor(scheduler.wall() / 1000),
    jti: String(random.next()),
  }
  const presentation = present(credentials, credential, bound)
  const token = { age_attestation: [kind === 'junk' ? `${presentation}A` : presentation] }
  return [
    ['vp_token', token],
    ['state', state],
  ]
}

async function encrypt(world: World, key: Readonly<Record<string, string>>, payload: object) {
  const { CompactEncrypt, importJWK } = world.code
  return new CompactEncrypt(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: key.kid ?? '' })
    .encrypt(await importJWK(key, 'ECDH-ES'))
}

/** Posts a response, and keeps the address that the wallet is sent to. */
export async function postResponse(world: World, session: Session, made: MadeResponse) {
  const { parameters, digest } = made
  const answer = await ask(world, session, 'processResponse', { parameters, digest })
  if (answer?.ok) {
    const code = /#response_code=(.+)$/.exec(String(answer.value))?.[1]
    if (code !== undefined) world.redirects.set(digest, code)
  }
  return answer
}
