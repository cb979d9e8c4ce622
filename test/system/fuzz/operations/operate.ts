// Every operation in turn, first with a good request, then with a good request with one change. So each
// operation is answered with success, and its parameters are read.

import { ACCESS, type RouteName } from '../../../../src/routes/edge/access.ts'
import { queryParameters } from '../parameters.ts'
import type { Context, Slot } from '../run.ts'
import { BROWSER } from './browser.ts'
import { LOGINS } from './logins.ts'
import { changed, type Recipe, sentRequest, withQuery } from './operation.ts'
import { PUBLIC } from './public.ts'
import { SETTINGS } from './settings.ts'
import { VERIFICATIONS } from './verifications.ts'
import type { SharedWorld, World } from './world.ts'

/** A recipe of each operation. An operation without one is an error of types. */
const RECIPES: Readonly<Record<RouteName, Recipe>> = {
  ...VERIFICATIONS,
  ...BROWSER,
  ...SETTINGS,
  ...LOGINS,
  ...PUBLIC,
}

/** An operation has one turn, and one more for each parameter of its query. */
const TURNS = (Object.keys(ACCESS) as RouteName[]).flatMap((route) =>
  Array.from({ length: 1 + queryParameters(route).length }, () => route),
)

/** Calls operations in turn. */
export async function operateInGroup(
  context: Context & { readonly world: SharedWorld },
  slots: readonly Slot[],
): Promise<void> {
  const world = { ...context.world, changing: await context.relyingParty() }
  for (const slot of slots) {
    const route = TURNS[slot.turn % TURNS.length] as RouteName
    await operate(context, slot, route, world).catch((error: Error) =>
      context.ledger.found({ rule: 'answer', index: slot.index, error: `${route}: ${error.message}` }),
    )
  }
}

async function operate(
  { ask, ledger, receiver }: Context,
  { turn, ...slot }: Slot,
  route: RouteName,
  world: World,
): Promise<void> {
  const { random } = slot
  const good = withQuery(random, route, await RECIPES[route](world, random))
  const isGood = Math.floor(turn / TURNS.length) % 2 === 0
  const drawn = isGood ? good : changed(random, route, good, receiver.url)
  const { status } = await ask({ turn, ...slot }, sentRequest(route, drawn))
  if (isGood) ledger.countChange(`good ${route}`, String(status))
}
