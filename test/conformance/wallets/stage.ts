// The stage of the matrix of wallets: the real service, a relying party with all that a wallet may need, and
// the credentials of a person.

import { beforeAll } from 'vitest'
import type { WalletProfile } from '../../../src/wallets/profiles/profile.ts'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import {
  BASE_URL,
  type CreatedSession,
  expectStatus,
  openService,
  type RelyingParty,
  SERVICE_VARIABLES,
  type Service,
} from '../../support/service/service.ts'
import { sharedServer } from '../../support/service/shared-services.ts'
import type {
  Answer,
  DigitalRequest,
  FakeWallet,
  Invocation,
  Surroundings,
} from '../../support/wallets/fake-wallet.ts'
import { identityOf, makeVerifier, ORGANIZATION } from '../../support/wallets/good-request.ts'
import { type DisclosedClaim, makeHoldings } from '../../support/wallets/holdings.ts'

const SHOP = 'https://shop.example'

/** The entry of one wallet in `wallets` of the answer to a creation. */
export type WalletResult = {
  readonly id: string
  readonly result: 'works' | 'lowered' | 'unknown' | 'cannot'
  readonly browser?: 'any' | 'if_chosen' | 'no'
  readonly left_out?: readonly { readonly member: string; readonly why: string }[]
  readonly reasons?: readonly { readonly member: string; readonly why: string }[]
}

export type Session = CreatedSession & { readonly wallets: readonly WalletResult[] }

/** The end of one exchange. */
export type Exchange =
  | { readonly refused: string }
  | { readonly status: string; readonly disclosed: readonly DisclosedClaim[] }

export type WalletStage = {
  service: Service
  rp: RelyingParty
  /** The same relying party with a further identity. */
  further: RelyingParty
  surroundings: Surroundings
}

export function useWalletStage(): WalletStage {
  const stage = {} as WalletStage
  beforeAll(async () => {
    const altNames = [{ type: 'dns', value: 'verifier.example' }] as const
    const [{ root, leaf }, { holdings, anchors }] = await Promise.all([
      makeVerifier({ subject: ORGANIZATION, altNames }),
      makeHoldings(),
    ])
    stage.service = openService(await sharedServer(SERVICE_VARIABLES))
    const reader = await mintLeaf(root, { subject: 'CN=Shop', extendedKeyUsage: ['1.0.18013.5.1.6'] })
    const other = await mintLeaf(await mintRoot({ subject: 'CN=Other' }))
    const verifier = {
      ...identityOf(leaf),
      root_certificate_pem: root.pem,
      reader_certificates: [{ ...identityOf(reader), domains: ['shop.example'] }],
    }
    const settings = {
      name: 'Test Shop',
      origins: [SHOP],
      trust_anchors: anchors,
      google_wallet: {
        logo_uri: 'https://shop.example/logo.png',
        privacy_policy_uri: 'https://shop.example/privacy',
      },
    }
    stage.rp = await stage.service.relyingParty({ ...settings, verifier })
    stage.further = await stage.service.relyingParty({
      ...settings,
      verifier: { ...verifier, further: [identityOf(other)] },
    })
    stage.surroundings = { fetch: stage.service.fetch, holdings, verifierCa: root.pem }
  })
  return stage
}

/** Brings the request of a session to a wallet, and its answer to the service. */
export async function exchange(
  stage: WalletStage,
  wallet: FakeWallet,
  profile: WalletProfile,
  session: Session,
): Promise<Exchange> {
  const invocation = await invocationOf(stage, profile, session)
  if (invocation === undefined) return { refused: 'no request reaches the wallet' }
  // The linter of the tests' transport rejects the root in x5c, which such a wallet expects.
  const fetch = profile.chain === 'with_root' ? unlinted(stage.service) : stage.service.fetch
  const surroundings = { ...stage.surroundings, fetch }
  return exchangeBy(invocation, { ...stage, surroundings }, wallet, session)
}

/** Brings this request to a wallet, and its answer to the service. */
export async function exchangeBy(
  invocation: Invocation,
  stage: WalletStage,
  wallet: FakeWallet,
  session: Session,
): Promise<Exchange> {
  const answer = await wallet.answer(invocation, stage.surroundings)
  if ('refused' in answer) return answer
  await deliver(stage, session, answer)
  const { status, reason, attempts } = await stage.rp.poll(session.verification_id)
  const last = attempts.at(-1)?.reason.code
  const end =
    status === 'pending' ? `pending: ${last}` : reason === null ? status : `${status}: ${reason.code}`
  return { status: end, disclosed: answer.disclosed }
}

function unlinted({ server }: Service): Surroundings['fetch'] {
  return (url, init) => fetch(url.replace(BASE_URL, server.origin), { redirect: 'manual', ...init })
}

/** By link where a link opens the wallet with the request, otherwise by the browser of the shop's page. */
async function invocationOf(
  stage: WalletStage,
  { links, dc_api_protocols: protocols }: WalletProfile,
  { verification_id, wallet_request }: Session,
): Promise<Invocation | undefined> {
  const opens = links.test ?? links.live ?? []
  const isByBrowser = protocols.length > 0 && !opens.includes('openid4vp')
  if (!isByBrowser) {
    const { uri } = wallet_request
    const [base = 'openid4vp'] = opens.includes('openid4vp') ? [] : opens
    const isOwn = uri.startsWith(base)
    return { link: isOwn ? uri : uri.replace(/^[a-z0-9-]+:\/\//, base.includes('://') ? base : `${base}://`) }
  }
  const asked = await stage.rp.call('POST', `/v1/verify/${verification_id}/dc-api/request`, { body: {} })
  const { digital } = (await expectStatus(asked, 200)) as {
    digital: { requests: readonly DigitalRequest[] }
  }
  const entry = digital.requests.find(({ protocol }) => protocols.some((one) => one === protocol))
  return entry && { digital: entry, origin: SHOP }
}

async function deliver(
  { rp }: WalletStage,
  { verification_id }: Session,
  answer: Exclude<Answer, { refused: string }>,
): Promise<void> {
  if ('response' in answer) await answer.response.text()
  else
    await (await rp.call('POST', `/v1/verify/${verification_id}/dc-api`, { body: answer.credential })).text()
}
