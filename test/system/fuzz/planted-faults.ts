// Planted faults: edits of the sources, one in each room. Each lets a route fail with 500 for some of the
// requests that it accepts. The fuzz must find all of them. A fault whose text is no longer in its source
// fails the build, and must be adapted.

import type { RouteName } from '../../../src/routes/edge/access.ts'
import type { Change } from '../../support/service/project-copy.ts'

export type PlantedFault = {
  readonly room: string
  readonly change: Change
  /** Routes at which the fault shows. Faults that show at one route are planted in builds of their own. */
  readonly routes: readonly RouteName[]
}

/** Inserts a fault before a text that occurs once. `when`: condition of the fault. */
function before(path: string, replaced: string, when: string): Change {
  return { path, replaced, by: `if (${when}) throw new Error('planted')\n${replaced}`, appended: '' }
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    room: 'routes/lists',
    change: before(
      'src/routes/lists/list-query.ts',
      'const before = created_before === undefined',
      'created_after && created_before && Date.parse(created_after) > Date.parse(created_before)',
    ),
    routes: ['GET /v1/verify'],
  },
  {
    room: 'routes/oidc',
    change: before(
      'src/routes/oidc/token.ts',
      'return sendOAuth({ access_token: token,',
      "scope !== 'openid'",
    ),
    routes: ['POST /oidc/:rp/token'],
  },
  {
    room: 'routes/browser',
    change: before(
      'src/routes/browser/return.ts',
      'const options = { secret: await getBrowserCookie(c), wallet',
      "body.value.wallet === 'any'",
    ),
    routes: ['POST /v1/verify/:id/link'],
  },
  {
    room: 'routes/console',
    change: before(
      'src/routes/console/sign-in.ts',
      'if (!current.ok) return problem(c, current.error.code)',
      "console.value.owner === 'relying_party'",
    ),
    routes: ['GET /console/session'],
  },
  {
    room: 'routes/settings',
    change: before(
      'src/routes/settings/settings-handlers.ts',
      "if (deleted !== true) return problem(c, 'not_found')",
      'deleted === true',
    ),
    routes: ['DELETE /v1/api_keys/:key', 'DELETE /v1/admin/relying_parties/:rp/api_keys/:key'],
  },
  {
    room: 'routes/public',
    change: before(
      'src/routes/public/verifier-did.ts',
      'return keys?.ok && keys.value.length > 0',
      'keys?.ok && keys.value.length > 0',
    ),
    routes: ['GET /rp/:rp/did.json'],
  },
  {
    room: 'routes/verifications',
    change: before('src/routes/verifications/events.ts', "if (after === 'latest') {", "after === 'latest'"),
    routes: ['GET /v1/events'],
  },
  {
    room: 'routes/wallet',
    change: before(
      'src/routes/wallet/wallet.ts',
      'if (nonce !== undefined && !isWalletNonce(nonce))',
      'nonce !== undefined && text === undefined',
    ),
    routes: ['POST /r/:capability'],
  },
  {
    room: 'routes/edge',
    change: before(
      'src/routes/edge/form.ts',
      'return clientId === undefined || clientSecret === undefined',
      "clientId?.startsWith('rp_')",
    ),
    routes: ['POST /oauth/token'],
  },
  {
    room: 'session',
    change: before(
      'src/session/session.ts',
      'return redeemed.ok ? this.read(relyingPartyId) : redeemed',
      'redeemed.ok',
    ),
    routes: ['POST /v1/verify/:id/return'],
  },
  {
    room: 'relying-party',
    change: before(
      'src/relying-party/relying-party.ts',
      'return changed.ok ? ok({ secret, previousExpiresAt: overlapUntil }) : changed',
      'changed.ok',
    ),
    routes: ['POST /v1/webhook/rotate_secret', 'POST /v1/admin/relying_parties/:rp/webhook/rotate_secret'],
  },
  {
    room: 'api',
    change: {
      path: 'src/api/oidc-clients.ts',
      replaced: 'z.transform(({ name, front_channel, ...request }) => ({\n    name,',
      by: "z.transform(({ name, front_channel, ...request }) => ({\n    name: name === 'elder' ? JSON.parse('planted') : name,",
      appended: '',
    },
    routes: ['PATCH /v1/oidc_clients/:client', 'PATCH /v1/admin/relying_parties/:rp/oidc_clients/:client'],
  },
  {
    room: 'wallets',
    change: before(
      'src/wallets/profiles/index.ts',
      'return WALLET_PROFILES.find((profile) => profile.id === id)',
      "id === 'eudi-android'",
    ),
    routes: ['POST /v1/verify/:id/dc-api/request'],
  },
  {
    room: 'policy',
    change: before(
      'src/policy/build-policy.ts',
      'const scope = [...new Set(request.scope)]',
      "request.scope.includes('age_over_21')",
    ),
    routes: ['POST /v1/oidc_clients', 'POST /v1/admin/relying_parties/:rp/oidc_clients'],
  },
  {
    room: 'openid4vp',
    change: before(
      'src/openid4vp/presentation-exchange/presentation-definition.ts',
      "const pickOne = input.match === 'any'",
      'input.credentialTypes.length > 0',
    ),
    routes: ['GET /v1/verify/:id/openid4vp'],
  },
  {
    room: 'iso18013-7',
    change: before(
      'src/iso18013-7/encrypted-response.ts',
      'const message = parseMessage(decoded.value)',
      'decoded.ok',
    ),
    routes: ['POST /v1/verify/:id/dc-api'],
  },
  {
    room: 'formats',
    change: before(
      'src/formats/jwt-vc-json/verify.ts',
      'const traced = tracer(context.trace)',
      "typeof presentation === 'string'",
    ),
    routes: ['POST /v1/verify/:id/callback'],
  },
  {
    room: 'trust',
    change: before('src/trust/lists/pem-bundle.ts', 'const begun = text.split(', 'certificates.length > 0'),
    routes: ['POST /v1/admin/trust_lists'],
  },
  {
    room: 'net',
    change: before(
      'src/net/outbound-url.ts',
      "if (text.includes('#')) return err('fragment')",
      "url.port === '1'",
    ),
    routes: ['PATCH /v1/relying_party', 'PATCH /v1/admin/relying_parties/:rp'],
  },
  {
    room: 'webhook',
    change: before('src/webhook/event.ts', 'return {\n    event_id: test.eventId,', 'test.now > 0'),
    routes: ['POST /v1/webhook/test', 'POST /v1/admin/relying_parties/:rp/webhook/test'],
  },
  {
    room: 'qr',
    change: before(
      'src/qr/render.ts',
      'const symbol = buildSymbol(text, picture.size)',
      'picture.size > 1000',
    ),
    routes: ['GET /v1/verify/:id/qr'],
  },
  {
    room: 'metrics',
    change: before(
      'src/metrics/exposition.ts',
      "const ranges = (accept ?? '').split(',').map(parseRange)",
      'accept === undefined',
    ),
    routes: ['GET /metrics'],
  },
  {
    room: 'crypto',
    change: before(
      'src/crypto/sign-jwt.ts',
      'return new CompactSign(utf8(JSON.stringify(claims)))',
      "typ === 'verification-receipt+jwt'",
    ),
    routes: ['GET /v1/verify/:id/receipt'],
  },
  {
    room: 'codec',
    change: before(
      'src/codec/traceparent.ts',
      'return { trace_id, sampled: (Number.parseInt(flags, 16) & 1) === 1 }',
      "flags === '03'",
    ),
    routes: ['POST /v1/verify'],
  },
  {
    room: 'routes/audit',
    change: before(
      'src/routes/audit/origin.ts',
      'const channel = caller.relyingPartyId',
      "c.req.path === '/v1/webhook/enable'",
    ),
    routes: ['POST /v1/webhook/enable'],
  },
  {
    room: 'exchange',
    change: before(
      'src/exchange/evaluate-presentations.ts',
      "return trace.find(({ result }) => result === 'fail')?.clause",
      "trace.length > 0 && !trace.some(({ result }) => result === 'fail')",
    ),
    routes: ['GET /v1/verify/:id/timeline'],
  },
  {
    room: 'evidence',
    change: before(
      'src/evidence/evaluation/evaluate.ts',
      'const { policy, trust, now, clock_skew: clockSkew } = rules',
      "session.protocol.startsWith('openid4vp-draft')",
    ),
    routes: ['POST /v1/verify/:id/callback'],
  },
]

/** Rooms without a fault: no request runs their code, or each request does. */
export const WITHOUT_FAULT: Readonly<Record<string, string>> = {
  worker: 'the entry: each request passes it',
  routes: 'its own files mount the routes, and name texts; its rooms are listed one by one',
  background: 'a Worker of its own: a request waits for it only if the operator fetches a list in XML',
  env: 'types alone',
  config: 'reads the variables once: a fault in it ends the start',
  result: 'two functions of one line, which every room calls',
  limits: 'constants',
  version: 'a constant',
  sandbox: 'a Worker of its own, which the fuzz does not test',
}
