// Values of the service under test that requests are drawn from: sessions in every state, keys of every kind,
// and bodies that some route accepts.

import type { ReceivedRequest, Wallet } from '../../support/people/wallet.ts'
import { registerClient } from '../../support/service/login.ts'
import {
  BASE_URL,
  expectStatus,
  OVER_18,
  type RelyingParty,
  type Service,
} from '../../support/service/service.ts'
import { signIn } from './operations/world.ts'
import type { Pool } from './requests.ts'

/** Keys of the relying party in use. Each has a limit of creations of its own. */
const KEYS = 8
const OTHERS = 6
const PENDING = 6

export type PoolSource = {
  readonly service: Service
  readonly receiverUrl: string
  /** Creates a relying party that trusts the issuers of the run. */
  readonly relyingParty: () => Promise<RelyingParty>
  /** A wallet that trusts the verifier of these relying parties. */
  readonly wallet: Wallet
  /** Sends a good response to a session's request. */
  readonly respond: (request: ReceivedRequest, isAdult: boolean) => Promise<unknown>
}

/** Creates the values. They are used up: requests cancel sessions, delete keys and change settings. */
export async function makePool({
  service,
  wallet,
  receiverUrl,
  relyingParty,
  respond,
}: PoolSource): Promise<Pool> {
  const [rp, foreign, ...others] = (await Promise.all(Array.from({ length: OTHERS + 2 }, relyingParty))) as [
    RelyingParty,
    RelyingParty,
    ...RelyingParty[],
  ]
  const keyOf = async (scopes?: readonly string[]) => {
    const body = scopes === undefined ? {} : { scopes }
    const path = `/${rp.relying_party_id}/api_keys`
    return (await expectStatus(await service.admin('POST', path, body), 201)) as ApiKey
  }
  const reader = await keyOf(['verify:read'])
  const { client_id } = await registerClient(rp)
  const keys = await Promise.all(Array.from({ length: KEYS }, () => keyOf()))
  const begin = async (one = rp) => {
    const session = await one.create(OVER_18)
    const { uri, protocol } = session.wallet_request
    return { session, request: await wallet.receive(uri, { protocol }) }
  }
  const pending = await Promise.all(Array.from({ length: PENDING }, () => begin()))
  const [verified, declined, rejected, foreignOne] = await Promise.all([
    begin(),
    begin(),
    begin(),
    begin(foreign),
  ])
  await respond(verified.request, true)
  await wallet.decline(declined.request, 'access_denied')
  await respond(rejected.request, false)
  const all = [...pending, verified, declined, rejected, foreignOne]
  const clientToken = pending[0]?.session.client_token ?? ''
  const tokenForms = [rp, foreign, ...others].map(
    ({ relying_party_id, api_key }) =>
      `grant_type=client_credentials&client_id=${relying_party_id}&client_secret=${api_key}`,
  )
  const owned = keys.map(({ api_key }) => api_key)
  return {
    verificationIds: all.map(({ session }) => session.verification_id),
    capabilities: all.map(({ request }) => new URL(requestUriOf(request.uri)).pathname.slice('/r/'.length)),
    relyingPartyIds: [...others.map((other) => other.relying_party_id), 'rp_unknown'],
    keyIds: [reader.key_id],
    clientIds: [client_id],
    opening: {
      operator: [service.server.adminToken],
      metrics_reader: [service.server.adminToken],
      relying_party: owned,
      session: [clientToken],
      page: [clientToken],
      console: [(await signIn({ service }, owned[0] ?? '')).cookie],
    },
    origin: BASE_URL,
    tokenForms,
    receiverUrl,
    tokens: [
      ...[...owned, reader.api_key, foreign.api_key, service.server.adminToken],
      ...[...all.map(({ session }) => session.client_token), 'junk', 'wv_test_'],
    ],
    clientTokens: all.map(({ session }) => session.client_token),
    bodies: BODIES,
    forms: [
      ...all.map(({ request }) => `error=access_denied&state=${request.payload.state}x`),
      ...all.map(
        ({ request }) =>
          `vp_token=%7B%22age_attestation%22%3A%5B%22a.b.c~%22%5D%7D&state=${request.payload.state}`,
      ),
      'wallet_nonce=AAAAAAAAAAAAAAAA',
      ...tokenForms,
    ],
  }
}

type ApiKey = { readonly api_key: string; readonly key_id: string }

const BODIES: readonly object[] = [
  { credential_types: ['age_attestation'], scope: ['age_over_18'] },
  {
    credential_types: ['pid'],
    scope: ['age_over_18'],
    required_assurance_level: 'high',
    metadata: { a: 'b' },
  },
  {
    credential_types: ['pid', 'age_attestation'],
    scope: ['age_over_18'],
    credential_match: 'any',
    expires_in: 60,
  },
  { credential_types: ['age_attestation'], scope: ['family_name'] },
  { credential_types: ['pid'], scope: ['age_over_18'], request_options: { response_mode: 'direct_post' } },
  { name: 'Shop', livemode: false },
  {
    name: 'Shop',
    retention_seconds: 3600,
    formats: ['dc+sd-jwt'],
    return_urls: ['https://shop.example/back'],
  },
  { scopes: ['verify:read'] },
  { response_code: 'x'.repeat(43) },
  { return_code: 'x'.repeat(43) },
  {},
]

function requestUriOf(uri: string): string {
  return new URL(uri).searchParams.get('request_uri') ?? ''
}
