// Links of the description: which operations take the identifiers of a response.

import { ACCESS, type RouteName } from '../src/routes/edge/access.ts'

type Link = { readonly operationId: string; readonly parameters: Readonly<Record<string, string>> }
type Source = {
  readonly status: number
  /** Path parameter → where its value is (OpenAPI 3.1 §4.8.20.3). */
  readonly parameters: Readonly<Record<string, string>>
}

const SOURCES: { readonly [name in RouteName]?: Source } = {
  'POST /v1/verify': { status: 201, parameters: { id: '$response.body#/verification_id' } },
  'GET /v1/verify/:id/deliveries': {
    status: 200,
    parameters: { id: '$request.path.id', delivery: '$response.body#/deliveries/0/delivery_id' },
  },
  'POST /v1/api_keys': { status: 201, parameters: { key: '$response.body#/key_id' } },
  'POST /v1/oidc_clients': { status: 201, parameters: { client: '$response.body#/client_id' } },
  'POST /v1/admin/relying_parties/:rp/oidc_clients': {
    status: 201,
    parameters: { rp: '$request.path.rp', client: '$response.body#/client_id' },
  },
  'POST /v1/admin/relying_parties': {
    status: 201,
    parameters: { rp: '$response.body#/relying_party_id', key: '$response.body#/api_keys/0/key_id' },
  },
  'POST /v1/admin/trust_lists': { status: 201, parameters: { list: '$response.body#/name' } },
}

/** Returns the links of a response, by their names. */
export function linksOf(
  name: RouteName,
  status: string,
  operationIds: Readonly<Record<RouteName, { readonly id: string }>>,
): Readonly<Record<string, Link>> {
  const source = SOURCES[name]
  if (source === undefined || String(source.status) !== status) return {}
  const targets = (Object.keys(ACCESS) as RouteName[]).filter((route) => isTarget(route, source))
  return Object.fromEntries(
    targets.map((route) => {
      const operationId = operationIds[route].id
      const parameters = Object.fromEntries(
        parametersOf(route).map((each) => [each, source.parameters[each] ?? '']),
      )
      return [operationId, { operationId, parameters }]
    }),
  )
}

/** The source has all parameters of the target, and the target uses what only the source's body has. */
function isTarget(route: RouteName, { parameters }: Source): boolean {
  const named = parametersOf(route)
  const isKnown = named.every((each) => parameters[each] !== undefined)
  // The parameter of a DID document is a part of the id only.
  return isKnown && !route.includes('/did.json') && named.some((each) => fromBody(parameters[each]))
}

function fromBody(place: string | undefined): boolean {
  return place?.startsWith('$response.body') ?? false
}

function parametersOf(route: RouteName): readonly string[] {
  return [...route.matchAll(/:(\w+)/g)].map(([, part = '']) => part)
}
