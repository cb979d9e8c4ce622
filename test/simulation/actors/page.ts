// Pages and the browsers at them: new QR codes, links for one browser, the return from the wallet, and the
// socket of a watcher.

import { type SessionAccess, watchAddress } from '../../../src/session/access.ts'
import { storedOf } from '../form.ts'
import type { SimulatedSocket } from '../platform/sockets.ts'
import type { Actor } from '../world.ts'
import { ask, pause, type Session, type World } from '../world.ts'

export const page: Actor = {
  name: 'page',
  act: async (world, session) => {
    const { random } = world
    if (!(await untilCreated(world, session))) return
    if (random.chance(0.3)) await watch(world, session)
    const browser = { secret: null as string | null }
    const needsLink = session.input.request.required_session_binding !== 'none'
    for (let left = random.between(1, 6); left > 0; left--) {
      if (needsLink ? random.chance(0.5) : random.chance(0.3)) await makeLink(world, session, browser)
      else if (random.chance(0.3)) await render(world, session)
      if (!(await pause(world, random.between(100, 90_000)))) return
      await returnFromWallet(world, session, browser.secret)
    }
  },
}

/** Access with the client token of the first creation. The browser of a login has its cookie, too. */
export function accessOf(session: Session): SessionAccess | undefined {
  const stored = storedOf(session) as { readonly created_at?: number } | undefined
  if (stored?.created_at === undefined) return undefined
  return { createdAt: stored.created_at, login: session.input.login?.browser }
}

async function untilCreated(world: World, session: Session): Promise<boolean> {
  while (session.created.length === 0) if (!(await pause(world, 5_000))) return false
  return true
}

async function render(world: World, session: Session): Promise<void> {
  const by = accessOf(session)
  const answer = by && (await ask(world, session, 'render', by, null))
  if (answer?.ok) session.uris.push((answer.value as { readonly uri: string }).uri)
}

async function makeLink(world: World, session: Session, browser: { secret: string | null }): Promise<void> {
  const by = accessOf(session)
  const answer = by && (await ask(world, session, 'createLink', by, { ...browser, wallet: null }))
  if (!answer?.ok) return
  const { secret, json } = answer.value as { readonly secret: string; readonly json: string }
  browser.secret = secret
  session.secrets.push(secret)
  session.links.push((JSON.parse(json) as { uri: string }).uri)
}

/** The browser comes with the code that the wallet was sent to. Sometimes another browser does. */
async function returnFromWallet(world: World, session: Session, secret: string | null): Promise<void> {
  const { random } = world
  const codes = session.responses.flatMap(({ digest }) => world.redirects.get(digest) ?? [])
  if (codes.length === 0) return
  const responseCode = random.pick(codes)
  const isOther = random.chance(0.2)
  for (let left = random.between(1, 2); left > 0; left--) {
    const answer = await ask(world, session, 'completeReturn', {
      responseCode,
      secret: isOther ? 'another-browser' : secret,
    })
    if (answer?.ok) {
      const { returnUrl } = answer.value as { readonly returnUrl: string | null }
      const code = returnUrl === null ? null : new URL(returnUrl).searchParams.get('return_code')
      if (code !== null && !session.returnCodes.includes(code)) session.returnCodes.push(code)
    }
  }
}

async function watch(world: World, session: Session): Promise<void> {
  const by = accessOf(session)
  if (by === undefined) return
  const answer = await ask(world, session, 'fetch', watchAddress(by))
  const socket = (answer as { readonly webSocket?: SimulatedSocket } | undefined)?.webSocket
  if (socket === undefined) return
  socket.onMessage = (text) => world.ledger.add('watched', session, text)
}
