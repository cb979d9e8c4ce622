// What lives in the service while operations are called: relying parties, sessions in every status, clients,
// access tokens, a trust list. Most of it is made when a request first needs it.

import { randomBytes } from 'node:crypto'
import type { Random } from '../../../formats/sd-jwt-vc/random.ts'
import { STATUS, startStatusLists } from '../../../support/certificates/status-lists.ts'
import { startOwn } from '../../../support/people/organisation.ts'
import { ageOf, certified } from '../../../support/people/person.ts'
import { createWallet, type ReceivedRequest, type Wallet } from '../../../support/people/wallet.ts'
import { VERIFIER_CERTIFICATE_PEM } from '../../../support/service/environment.ts'
import { fetchEvidence, newKeeper } from '../../../support/service/evidence.ts'
import { type LoginBrowser, openLoginBrowser } from '../../../support/service/login.ts'
import type { RunningServer } from '../../../support/service/server.ts'
import {
  BASE_URL,
  type CreatedSession,
  expectStatus,
  OVER_18,
  type RelyingParty,
} from '../../../support/service/service.ts'
import type { Scene } from '../targets.ts'
import { codeForm, type LiveClient, logIn, registerClients } from './login-walk.ts'

export type WorldSource = Scene & {
  /** The service whose address is on loopback. */
  readonly local: RunningServer
  /** Creates a relying party that trusts the issuers of the run. */
  readonly relyingParty: (settings?: object) => Promise<RelyingParty>
}

/** What the groups of a pool share. No request changes its relying party. */
export type SharedWorld = WorldSource & {
  readonly stable: RelyingParty
  readonly wallet: Wallet
  /** Sends the good response to a request. Returns the address that the browser continues at. */
  readonly respond: (request: ReceivedRequest) => Promise<string>
  /** Creates a session. */
  readonly session: (members?: object) => Promise<CreatedSession>
  readonly verified: () => Promise<CreatedSession>
  /** A verified session with evidence, of its own relying party, and a key that reads the evidence. */
  readonly kept: () => Promise<{ readonly id: string; readonly token: string }>
  /** The digest of a list that evidence names, and a key that reads it. */
  readonly material: () => Promise<{ readonly sha256: string; readonly token: string }>
  /** One session in each status. */
  readonly sessions: () => Promise<readonly CreatedSession[]>
  /** A browser that its wallet has sent back, whose page has posted nothing yet. */
  readonly returned: () => Promise<ReturnedBrowser>
  readonly clients: () => Promise<readonly LiveClient[]>
  /** An access token of a login. */
  readonly accessToken: (random: Random) => Promise<string>
  readonly trustList: () => Promise<string>
  /** Id of a relying party whose people sign in by a provider. */
  readonly organisation: () => Promise<string>
  /** A console that is signed in. */
  readonly console: () => Promise<SignedIn>
}

/** Cookie and token of a console's page. */
export type SignedIn = { readonly cookie: string; readonly change_token: string }

/** What the requests of one group share. They change the settings, keys and clients of `changing`. */
export type World = SharedWorld & { readonly changing: RelyingParty }

export type ReturnedBrowser = {
  readonly session: CreatedSession
  readonly browser: LoginBrowser
  readonly redirectUri: string
}

export const RETURN_URL = 'https://shop.example/back'
export const FAILURE_RETURN_URL = 'https://shop.example/{status}?id={verification_id}'

/** An access token works for 90 s at least. */
const TOKEN_MS = 60_000

export async function makeWorld(source: WorldSource): Promise<SharedWorld> {
  const { service, people, relyingParty } = source
  const stable = await relyingParty({ return_urls: [RETURN_URL, FAILURE_RETURN_URL], by_value: true })
  const wallet = walletOf(source)
  const session = (members: object = {}) => stable.create({ ...OVER_18, qr_code: false, ...members })
  const respond = async (request: ReceivedRequest, isAdult = true) => {
    const response = await presentAge({ people, wallet }, request, isAdult)
    return ((await expectStatus(response, 200)) as { redirect_uri: string }).redirect_uri
  }
  const receive = async () => {
    const made = await session()
    return { made, request: await wallet.receive(made.wallet_request.uri) }
  }
  const verified = kept(async () => {
    const { made, request } = await receive()
    await respond(request)
    return made
  })
  const withEvidence = async () => {
    const { rp, reader } = await newKeeper(service, relyingParty, { for: 'all' })
    const made = await rp.create({ ...OVER_18, qr_code: false })
    await respond(await wallet.receive(made.wallet_request.uri))
    return { id: made.verification_id, token: reader }
  }
  const material = kept(async () => {
    const { authority, person } = people
    const lists = await startStatusLists(authority.iss, authority.key)
    const byKey = { trust_anchors: [authority.anchor()] }
    const keeper = await newKeeper(service, (given) => relyingParty({ ...byKey, ...given }), { for: 'all' })
    const made = await keeper.rp.create({ ...OVER_18, qr_code: false })
    const request = await wallet.receive(made.wallet_request.uri)
    const claims = { status: { status_list: { idx: 0, uri: lists.publish([STATUS.valid]) } } }
    await expectStatus(await wallet.present(request, await ageOf(person, request, { claims })), 200)
    await lists.close()
    const { envelope } = await fetchEvidence(keeper, made.verification_id)
    const [named] = envelope.materials as readonly { readonly sha256: string }[]
    return { sha256: named?.sha256 ?? '', token: keeper.reader }
  })
  const sessions = kept(async () => {
    const [rejected, declined] = await Promise.all([receive(), receive()])
    const [pending, canceled, expired] = await Promise.all([session(), session(), session()])
    await respond(rejected.request, false)
    await wallet.decline(declined.request, 'access_denied')
    await expectStatus(await stable.call('POST', `/v1/verify/${canceled.verification_id}/cancel`), 200)
    const outcome = `/v1/test/verify/${expired.verification_id}/outcome`
    await expectStatus(await stable.call('POST', outcome, { body: { reason: 'session_expired' } }), 200)
    return [pending, await verified(), rejected.made, declined.made, canceled, expired]
  })
  const returned = async () => {
    const made = await session({ return_url: RETURN_URL })
    const browser = openLoginBrowser(service)
    return {
      session: made,
      browser,
      redirectUri: await respond(await wallet.receive(await linkOf(browser, made))),
    }
  }
  const clients = kept(() => registerClients(stable))
  const tokens = new Map<string, () => Promise<string>>()
  const accessToken = async (random: Random) => {
    const client = random.pick(await clients())
    const make =
      tokens.get(client.client_id) ?? kept(() => redeem({ ...source, wallet }, client, random), TOKEN_MS)
    tokens.set(client.client_id, make)
    return make()
  }
  const trustList = kept(() => createTrustList(source))
  const console = kept(() => signIn(source, stable.api_key))
  const organisation = kept(async () => {
    const { setting } = await startOwn()
    const console_sign_in = { ...setting, roles: { support: ['verify:read'] } }
    return (await source.service.relyingParty({ console_sign_in })).relying_party_id
  })
  return {
    ...{ ...source, stable, wallet, respond, session, verified, sessions, returned, clients, accessToken },
    ...{ trustList, console, organisation, kept: withEvidence, material },
  }
}

/** Returns a function that makes a value once, and again after `forMs` or a failure. */
function kept<T>(make: () => Promise<T>, forMs = Infinity): () => Promise<T> {
  let made: { readonly value: Promise<T>; readonly until: number } | undefined
  return () => {
    if (made !== undefined && Date.now() < made.until) return made.value
    const value = make()
    made = { value, until: Date.now() + forMs }
    value.catch(() => {
      made = undefined
    })
    return value
  }
}

/** A wallet that trusts the verifier of the run's relying parties. */
export function walletOf({ service: { fetch }, people }: Scene): Wallet {
  return createWallet({ fetch, verifierCa: people.root.pem, attestationIssuer: people.attester })
}

/** Sends the proof of age of a trusted issuer. */
export async function presentAge(
  { people, wallet }: Pick<Scene, 'people'> & { readonly wallet: Wallet },
  request: ReceivedRequest,
  isAdult: boolean,
): Promise<Response> {
  const { claims, ...signed } = certified(people.pki)
  const telling = { ...signed, claims: { ...claims, age_over_18: isAdult } }
  return wallet.present(request, await ageOf(people.person, request, telling))
}

/** Returns the request that a browser gets for a wallet on its device. */
export function linkOf(
  browser: LoginBrowser,
  { verification_id, client_token }: CreatedSession,
): Promise<string> {
  return browser.link({ verification_id, token: client_token, page: '', finish: '' })
}

/** Logs in, and redeems the code. */
async function redeem(
  scene: Scene & { readonly wallet: Wallet },
  client: LiveClient,
  random: Random,
): Promise<string> {
  const { headers = {}, form } = await codeForm(await logIn(scene, client, random))
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const init = { method: 'POST', headers: { ...type, ...headers }, body: `${new URLSearchParams(form)}` }
  const answer = await scene.service.fetch(`${client.issuer}/token`, init)
  return ((await expectStatus(answer, 200)) as { access_token: string }).access_token
}

/** Returns the settings of a trust list with a name of its own. */
export function trustListSettings(): { readonly name: string; readonly [member: string]: unknown } {
  const services = [{ credential_types: ['pid'], assurance_level: 'low' }]
  const name = `fuzz-${randomBytes(6).toString('hex')}`
  return { name, kind: 'pem_bundle', pem: VERIFIER_CERTIFICATE_PEM, services }
}

/** Creates a trust list, and returns its name. */
export async function createTrustList({ service }: Pick<Scene, 'service'>): Promise<string> {
  const list = trustListSettings()
  const headers = { authorization: `Bearer ${service.server.adminToken}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(list) }
  await expectStatus(await service.fetch('/v1/admin/trust_lists', init), 201)
  return list.name
}

/** Signs in to the console. Returns the cookie as a browser sends it. */
export async function signIn({ service }: Pick<Scene, 'service'>, token: string): Promise<SignedIn> {
  const headers = { origin: BASE_URL, 'content-type': 'application/json' }
  const body = JSON.stringify({ token })
  const answer = await service.fetch(`${BASE_URL}/console/session`, { method: 'POST', headers, body })
  const { change_token } = (await expectStatus(answer, 201)) as { change_token: string }
  return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', change_token }
}
