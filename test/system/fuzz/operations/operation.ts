// A good request of an operation, and the same request with one change.

import type { RouteName } from '../../../../src/routes/edge/access.ts'
import type { Random } from '../../../formats/sd-jwt-vc/random.ts'
import { type Body, drawDescribedBody, onLoopback } from '../bodies.ts'
import { mutateJson, mutateText, ODD_VALUES } from '../mutations.ts'
import { drawGoodQuery, drawOddPair, type Pair } from '../parameters.ts'
import { drawOddHeader, type FuzzRequest } from '../requests.ts'
import type { World } from './world.ts'

/** A request that its operation accepts. */
export type Good = {
  /** Values of the parameters in the path. */
  readonly path?: Readonly<Record<string, string>>
  /** Default: parameters of the description. */
  readonly query?: readonly Pair[]
  /** Bearer token. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** At most one of these. */
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly body?: Body
  /** For the service whose address is on loopback. */
  readonly isLocal?: true
}

/** Makes a good request of one operation, with what lives in the service. */
export type Recipe = (world: World, random: Random) => Good | Promise<Good>

/** Returns a good request as it is sent. */
export function sentRequest(route: RouteName, good: Good): FuzzRequest {
  const [method = '', template = ''] = route.split(' ')
  const { path = {}, query = [], token, headers, isLocal } = good
  const body = bodyOf(good)
  const search = query.length === 0 ? '' : `?${new URLSearchParams(query.map(([...pair]) => pair))}`
  return {
    route,
    method,
    path: template.replace(/:(\w+)/g, (_, name: string) => path[name] ?? name) + search,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': body.type }),
      ...headers,
    },
    body: body?.content,
    ...(isLocal && { isLocal }),
  }
}

function bodyOf({ json, form, body }: Good): Body | undefined {
  if (json !== undefined) return { type: 'application/json', content: JSON.stringify(json) ?? 'null' }
  if (form === undefined) return body
  return { type: 'application/x-www-form-urlencoded', content: `${new URLSearchParams(form)}` }
}

/** Adds the described query to a good request that says nothing about it. */
export function withQuery(random: Random, route: RouteName, good: Good): Good {
  return { ...good, query: good.query ?? drawGoodQuery(random, route) }
}

type Change = (random: Random, good: Good, route: RouteName) => Good

/** Changes one part of a good request. `url`: an address on loopback that the service may call. */
export function changed(random: Random, route: RouteName, good: Good, url: string): Good {
  const changes: Change[] = [changeQuery, changeHeader]
  if (good.path !== undefined) changes.push(changePath)
  if (good.token !== undefined) changes.push(changeToken)
  if (good.form !== undefined) changes.push(changeForm, changeForm)
  if (good.json !== undefined || good.form !== undefined || good.body !== undefined)
    changes.push((one, two, three) => changeBody(one, two, { route: three, url }))
  if (good.json !== undefined) changes.push((one, two) => changeJson(one, two, url))
  return random.pick(changes)(random, good, route)
}

/** Sends one more parameter, or another value of one, or one twice. */
function changeQuery(random: Random, good: Good, route: RouteName): Good {
  const query = good.query ?? []
  const pair = drawOddPair(random, route)
  const others = random.below(2) === 0 ? query : query.filter(([name]) => name !== pair[0])
  return { ...good, query: [...others, pair] }
}

function changeHeader(random: Random, good: Good): Good {
  // workerd itself refuses an incomplete handshake of a WebSocket.
  const names = Object.keys(good.headers ?? {}).filter((name) => !name.startsWith('sec-websocket-'))
  const headers = { ...good.headers }
  if (names.length > 0 && random.below(2) === 0) delete headers[random.pick(names)]
  else Object.assign(headers, drawOddHeader(random))
  return { ...good, headers }
}

function changePath(random: Random, good: Good): Good {
  const name = random.pick(Object.keys(good.path ?? {}))
  const value = mutateText(random, good.path?.[name] ?? '').value.replace(/[^\w.-]/g, '~')
  return { ...good, path: { ...good.path, [name]: value || 'x' } }
}

function changeToken(random: Random, good: Good): Good {
  const token = random.pick(['', 'junk', 'wv_test_junk', `${good.token}A`, good.token?.slice(0, -1) ?? ''])
  return { ...good, token }
}

/** Sends a form with a parameter that is missing, odd, changed, more or twice. */
function changeForm(random: Random, { form = {}, ...good }: Good): Good {
  const name = random.pick([...Object.keys(form), 'extra'])
  const { [name]: value = 'x', ...others } = form
  const more = random.pick([
    [],
    [[name, JSON.stringify(random.pick(ODD_VALUES)) ?? '']],
    [[name, mutateText(random, value).value.replace(/\0/g, '')]],
    [
      [name, value],
      [name, value],
    ],
  ])
  const content = `${new URLSearchParams([...Object.entries(others), ...more] as [string, string][])}`
  return { ...good, body: { type: 'application/x-www-form-urlencoded', content } }
}

const LONG = [20_000, 70_000].map((length) => 'x'.repeat(length))

/** Sends another body: one of the description, or bytes that fit nothing. */
function changeBody(
  random: Random,
  { json: _, form: __, body: ___, ...good }: Good,
  { route, url }: { readonly route: RouteName; readonly url: string },
): Good {
  const described = random.below(4) > 0 ? drawDescribedBody(random, route, url) : undefined
  const content = random.pick(['', '{', '[]', 'null', '&&=', '\u0000', ...LONG])
  return { ...good, body: described ?? { type: random.pick(['application/json', 'text/plain']), content } }
}

function changeJson(random: Random, good: Good, url: string): Good {
  return { ...good, json: onLoopback(mutateJson(random, good.json).value, url) ?? null }
}
