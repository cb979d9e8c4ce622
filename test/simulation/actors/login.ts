// The browser and the client of a login by OpenID Connect: the end of the login, the code and the tokens.
// Sometimes another browser, another client or a stolen code comes, and codes and tokens are used twice.

import type { Login } from '../../../src/session/document/login.ts'
import type { Redemption } from '../../../src/session/login/finish.ts'
import type { Actor } from '../world.ts'
import { ask, pause, type Session, type World } from '../world.ts'

export const login: Actor = {
  name: 'login',
  act: async (world, session) => {
    const { login } = session.input
    if (login === undefined) return
    for (let left = world.random.between(2, 10); left > 0; left--) {
      if (!(await pause(world, world.random.between(500, 60_000)))) return
      if (await hasCode(world, session, login)) await redeem(world, session, login)
    }
  },
}

/** Opens the end of the login. Another browser gets nothing. */
async function hasCode(world: World, session: Session, { browser }: Login): Promise<boolean> {
  const isOther = world.random.chance(0.2)
  const of = isOther ? 'digest-of-another-cookie' : browser
  const answer = await ask(world, session, 'finishLogin', session.party.id, of)
  const { end } = (answer?.ok ? answer.value : {}) as { readonly end?: { readonly kind: string } }
  return end?.kind === 'code'
}

/** Members of a redemption that an attacker cannot know, or that differ. */
const WRONG: readonly Partial<Redemption>[] = [
  { clientId: 'another client' },
  { confidential: false },
  { redirectUri: 'https://attacker.example/callback' },
  { challenge: 'of another login' },
  { challenge: null },
  { jkt: 'thumbprint-of-another-key' },
  { jkt: null },
  { code: 'digest-of-another-code' },
  { relyingPartyId: 'another relying party' },
  { issuedAt: 0 },
]

async function redeem(world: World, session: Session, login: Login): Promise<void> {
  const { random, scheduler } = world
  const token = `digest-of-token-${random.next()}`
  const good: Redemption = {
    relyingPartyId: session.party.id,
    clientId: login.client_id,
    confidential: login.confidential,
    redirectUri: login.redirect_uri,
    challenge: login.code_challenge,
    code: login.code,
    issuedAt: scheduler.wall(),
    token,
    jkt: login.dpop_jkt ?? null,
  }
  const sent = { ...good, ...(random.chance(0.3) && random.pick(WRONG)) }
  // A client may send its code twice at once.
  const times = random.chance(0.3) ? 2 : 1
  await Promise.all(Array.from({ length: times }, () => ask(world, session, 'redeemLogin', sent)))
  for (let left = random.between(0, 3); left > 0; left--) {
    if (!(await pause(world, random.between(10, random.pick([1_000, 400_000]))))) return
    if (random.chance(0.2)) await ask(world, session, 'redeemLogin', sent)
    const jkt = random.chance(0.2) ? random.pick([null, 'thumbprint-of-another-key']) : good.jkt
    await ask(world, session, 'readUserInfo', session.party.id, token, jkt)
  }
}
