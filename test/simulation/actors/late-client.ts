// A client that comes late: with a good code after its 60 s, and with a token at any time after its
// redemption (api/logins).

import type { Login } from '../../../src/session/document/login.ts'
import type { Redemption } from '../../../src/session/login/finish.ts'
import type { Actor } from '../world.ts'
import { ask, pause, type Session, type World } from '../world.ts'

const SHARE = 0.5
const CODE_MS = 60_000
const TOKEN_MS = 300_000

export const lateClient: Actor = {
  name: 'late client',
  act: async (world, session) => {
    const { random } = world
    const { login } = session.input
    if (login === undefined || !random.chance(SHARE)) return
    for (let left = random.between(2, 12); left > 0; left--) {
      if (!(await pause(world, random.between(1_000, 40_000)))) return
      if (!(await hasCode(world, session, login))) continue
      return useLate(world, session, login)
    }
  },
}

async function hasCode(world: World, session: Session, { browser }: Login): Promise<boolean> {
  const answer = await ask(world, session, 'finishLogin', session.party.id, browser)
  const { end } = (answer?.ok ? answer.value : {}) as { readonly end?: { readonly kind: string } }
  return end?.kind === 'code'
}

async function useLate(world: World, session: Session, login: Login): Promise<void> {
  const { random, scheduler } = world
  const redemption: Redemption = {
    relyingPartyId: session.party.id,
    clientId: login.client_id,
    confidential: login.confidential,
    redirectUri: login.redirect_uri,
    challenge: login.code_challenge,
    code: login.code,
    issuedAt: scheduler.wall(),
    token: `digest-of-late-token-${random.next()}`,
    jkt: login.dpop_jkt ?? null,
  }
  const isLate = random.chance(0.5)
  if (!(await pause(world, isLate ? random.between(CODE_MS, 4 * CODE_MS) : random.below(CODE_MS)))) return
  await ask(world, session, 'redeemLogin', redemption)
  for (let left = 2; left > 0; left--) {
    if (!(await pause(world, random.between(1_000, TOKEN_MS)))) return
    await ask(world, session, 'readUserInfo', session.party.id, redemption.token, redemption.jkt)
  }
}
