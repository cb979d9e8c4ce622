// A good signed request of a verifier that shares no code with the service, for tests of the fake wallets.
// Each test changes one thing of it.

import { importJWK, type JWK, SignJWT } from 'jose'
import { type CertificateOptions, type Minted, mintLeaf, mintRoot } from '../certificates/certificates.ts'
import type { Answer, FakeWallet } from './fake-wallet.ts'
import { type Holding, makeHoldings, sha256 } from './holdings.ts'
import type { CredentialQuery, Payload } from './request-object.ts'

/** Subject of an access certificate of a legal person. */
export const ORGANIZATION = 'C=NL,O=Test Shop,2.5.4.97=NTRNL-12345678,CN=Test Shop'

export type Verifier = { readonly root: Minted; readonly leaf: Minted }

/** A root and a leaf for `shop.example`. */
export async function makeVerifier(leaf: CertificateOptions = {}): Promise<Verifier> {
  const root = await mintRoot({ subject: 'CN=Test access certificates' })
  const altNames = [{ type: 'dns', value: 'shop.example' }] as const
  return { root, leaf: await mintLeaf(root, { subject: ORGANIZATION, altNames, ...leaf }) }
}

/** Returns the members of a leaf in the settings of a relying party. */
export function identityOf({ privateJwk, pem }: Minted) {
  const { kty, crv, x, y, d } = privateJwk
  return { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: pem }
}

/** One changed thing. A member that becomes `undefined` is left out. */
export type Change = {
  /** Path of a member, from `link`, `header`, `payload` or `query` (the first of these). */
  readonly at?: string
  readonly value?: unknown
  /** Further members, by path, if one change needs several. */
  readonly also?: Readonly<Record<string, unknown>>
  readonly scheme?: string
  /** Start of the link, in place of the scheme's. */
  readonly base?: string
  /** Another verifier, whose authority is on no list. */
  readonly verifier?: Verifier
  /** Signs in place of the leaf. */
  readonly signer?: JWK
  /** HTTP status of `request_uri`. */
  readonly status?: number
}

/** Replaces the member at a path, or leaves it out. */
export const changed = (at: string, value?: unknown): Change => ({ at, value })

type Loose = Record<string, unknown>

/** Applies a change to the parts of a request. */
export function apply({ at, value, also = {} }: Change, parts: Loose): void {
  for (const [path, one] of Object.entries(also)) apply({ at: path, value: one }, parts)
  if (at === undefined) return
  const steps = at.replace(/^query\b/, 'payload.dcql_query.credentials.0').split('.')
  const last = steps.pop() ?? ''
  const parent = steps.reduce<Loose>((one, step) => one[step] as Loose, parts)
  if (value === undefined) delete parent[last]
  else parent[last] = value
}

export type Stage = {
  readonly holdings: readonly Holding[]
  readonly verifier: Verifier
}

/** Credentials and a verifier, made once for a test file. */
export async function makeStage(leaf?: CertificateOptions): Promise<Stage> {
  const [{ holdings }, verifier] = await Promise.all([makeHoldings(), makeVerifier(leaf)])
  return { holdings, verifier }
}

/** A stage, and another verifier whose authority is on no list. */
export function makeStages(): Promise<[stage: Stage, other: Verifier]> {
  return Promise.all([makeStage(), makeVerifier()])
}

export type Offer = {
  readonly queries: readonly CredentialQuery[]
  readonly change?: Change
  readonly method?: 'get' | 'post'
}

/**
 * Passes a good request with one change to a wallet by link. Returns the answer of the wallet and its posts.
 */
export async function offerLink(
  wallet: FakeWallet,
  { holdings, verifier: usual }: Stage,
  { queries, change = {}, method }: Offer,
): Promise<{ readonly answer: Answer; readonly posted: readonly Readonly<Record<string, string>>[] }> {
  const verifier = change.verifier ?? usual
  const payload: Loose = { ...goodPayload(verifier, queries) }
  const header: Loose = goodHeader(verifier)
  const link: Loose = {
    client_id: payload.client_id,
    request_uri: REQUEST_URI,
    ...(method === undefined ? {} : { request_uri_method: method }),
  }
  apply(change, { payload, header, link })
  const posted: Record<string, string>[] = []
  const fetch = async (url: string, { body }: RequestInit = {}): Promise<Response> => {
    const form = Object.fromEntries(new URLSearchParams(String(body ?? '')))
    if (url === payload.response_uri || url === RESPONSE_URI) {
      posted.push(form)
      return Response.json({ redirect_uri: 'https://shop.example/return' })
    }
    if (url !== REQUEST_URI) throw new Error(`nothing is at ${url}`)
    const nonce = form.wallet_nonce === undefined ? {} : { wallet_nonce: form.wallet_nonce }
    const text = await signRequest(
      header,
      { ...nonce, ...payload },
      change.signer ?? verifier.leaf.privateJwk,
    )
    const headers = { 'content-type': 'application/oauth-authz-req+jwt' }
    return new Response(text, { status: change.status ?? 200, headers })
  }
  const scanned = `${change.base ?? `${change.scheme ?? 'openid4vp'}://`}?${new URLSearchParams(link as Record<string, string>)}`
  const surroundings = { fetch, holdings, verifierCa: usual.root.pem }
  return { answer: await wallet.answer({ link: scanned }, surroundings), posted }
}

/** Returns a function that passes a good request with one change to this wallet. */
export function offerTo(wallet: FakeWallet, stage: Stage, usual: Change = {}) {
  return (change: Change, queries: readonly CredentialQuery[] = [NAME_SD_JWT]) =>
    offerLink(wallet, stage, { queries, change: { ...usual, ...change } })
}

/** Passes a good unsigned request with one change to a wallet. The link has the whole request. */
export async function offerValue(
  wallet: FakeWallet,
  { holdings, verifier }: Stage,
  { queries, change = {} }: Offer,
): Promise<{ readonly answer: Answer; readonly posted: readonly Readonly<Record<string, string>>[] }> {
  const { aud: _, iat: __, exp: ___, client_metadata, ...rest } = goodPayload(verifier, queries)
  const { jwks: ____, encrypted_response_enc_values_supported: _____, ...metadata } = client_metadata
  const payload: Loose = {
    ...rest,
    client_id: `redirect_uri:${RESPONSE_URI}`,
    response_mode: 'direct_post',
    client_metadata: metadata,
  }
  apply(change, { payload })
  const posted: Record<string, string>[] = []
  const fetch = async (_url: string, { body }: RequestInit = {}): Promise<Response> => {
    posted.push(Object.fromEntries(new URLSearchParams(String(body))))
    return Response.json({ redirect_uri: 'https://shop.example/return' })
  }
  const texts = Object.entries(payload).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const link = `${change.base ?? `${change.scheme ?? 'av'}://`}?${new URLSearchParams(texts)}`
  const surroundings = { fetch, holdings, verifierCa: verifier.root.pem }
  return { answer: await wallet.answer({ link }, surroundings), posted }
}

export function goodHeader({ leaf }: Verifier): Loose {
  return { alg: 'ES256', typ: 'oauth-authz-req+jwt', x5c: [leaf.x5c] }
}

/** Signs a request object. */
export async function signRequest(header: Loose, payload: Loose, signer: object): Promise<string> {
  return new SignJWT(JSON.parse(JSON.stringify(payload)))
    .setProtectedHeader(header as never)
    .sign(await importJWK(signer as JWK, 'ES256'))
}

/** The payload of a good request for these queries. */
export function goodPayload({ leaf }: Verifier, queries: readonly CredentialQuery[]): Payload {
  const now = Math.floor(Date.now() / 1000)
  return structuredClone({
    aud: 'https://self-issued.me/v2',
    client_id: `x509_hash:${sha256(leaf.der)}`,
    response_type: 'vp_token',
    response_mode: 'direct_post.jwt',
    response_uri: RESPONSE_URI,
    nonce: 'bm9uY2Utb2YtYS10ZXN0',
    state: 'state-of-a-test',
    iat: now,
    exp: now + 300,
    dcql_query: { credentials: queries },
    client_metadata: {
      jwks: { keys: [RESPONSE_KEY] },
      encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
      vp_formats_supported: {
        'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
        mso_mdoc: { issuerauth_alg_values: [-7, -9], deviceauth_alg_values: [-7, -9] },
      },
    },
  })
}

/** Queries for the PID's name. */
export const NAME_SD_JWT: CredentialQuery = {
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:eudi:pid:1'] },
  claims: [{ path: ['given_name'] }, { path: ['family_name'] }],
}
/** Query for an age attestation. */
export const AGE_MDOC: CredentialQuery = {
  id: 'age',
  format: 'mso_mdoc',
  meta: { doctype_value: 'eu.europa.ec.av.1' },
  claims: [{ path: ['eu.europa.ec.av.1', 'age_over_18'], intent_to_retain: false }],
}
const PID = 'eu.europa.ec.eudi.pid.1'
export const NAME_MDOC: CredentialQuery = {
  id: 'pid_mdoc',
  format: 'mso_mdoc',
  meta: { doctype_value: PID },
  claims: [{ path: [PID, 'given_name'] }, { path: [PID, 'family_name'] }],
}

const REQUEST_URI = 'https://shop.example/request'
const RESPONSE_URI = 'https://shop.example/response'
const RESPONSE_KEY: JWK = {
  kty: 'EC',
  crv: 'P-256',
  use: 'enc',
  alg: 'ECDH-ES',
  kid: 'of-a-test',
  // RFC 7515 A.3
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}
