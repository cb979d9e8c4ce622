// Settings with one change: a registration certificate, certificates and an attestation of the verifier,
// trust anchors, types. Between the changes the relying party creates sessions, and wallets post metadata.

import { encode } from 'cborg'
import type { Random } from '../../formats/sd-jwt-vc/random.ts'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { makeRequestKey } from '../../support/certificates/request-key.ts'
import { type SigningKey, signJwt } from '../../support/people/issuer.ts'
import { OVER_18 } from '../../support/service/service.ts'
import { mutateCompact, mutateJson, mutateText } from './mutations.ts'
import type { FuzzRequest } from './requests.ts'
import type { Context, Slot } from './run.ts'
import { settingsFor } from './targets.ts'

/** Changes settings of a relying party of its own, or the metadata of a wallet. */
export async function changeSettingsInGroup(
  context: Context,
  slots: readonly Slot[],
  random: Random,
): Promise<void> {
  const rp = await context.relyingParty()
  const good = await goodSettings(context, random)
  const authorization = `Bearer ${rp.api_key}`
  const json = { authorization, 'content-type': 'application/json' }
  const session = await rp.create(OVER_18)
  const requestUri = new URL(session.wallet_request.request_uri).pathname
  const patch = (settings: unknown): FuzzRequest => ({
    route: 'PATCH /v1/relying_party',
    method: 'PATCH',
    path: '/v1/relying_party',
    headers: json,
    body: JSON.stringify(settings),
  })
  const create: FuzzRequest = {
    route: 'POST /v1/verify',
    method: 'POST',
    path: '/v1/verify',
    headers: json,
    body: JSON.stringify({ ...OVER_18, formats: ['mso_mdoc'] }),
  }
  const [first] = slots
  if (first === undefined) return
  const whole = patch(good)
  const answer = await context.ask(first, whole)
  if (answer.status !== 200) context.found(first, 'good settings are refused', whole, answer)
  for (const slot of slots) {
    const changed = patch(changedDeeply(slot.random, good))
    const request = slot.random.pick([changed, changed, create, await metadataPost(slot.random, requestUri)])
    const { status } = await context.ask(slot, request)
    context.ledger.countChange(`change and ${request.route}`, String(status))
  }
}

const BIG = 4_102_444_800

/** Settings with everything that a relying party can prove about itself. */
async function goodSettings({ people }: Context, random: Random): Promise<Record<string, unknown>> {
  const settings = await settingsFor(people)
  const registrar = await mintLeaf(await mintRoot({ subject: 'CN=Registrar' }))
  const credentials = [{ format: 'mso_mdoc', meta: { doctype_value: 'eu.europa.ec.av.1' } }]
  const claims = {
    sub: 'NTRNL-12345678',
    exp: BIG,
    credentials,
    purpose: [{ lang: 'en', value: 'Age check' }],
  }
  const key = { alg: 'ES256', privateJwk: registrar.privateJwk as SigningKey['privateJwk'] }
  const jwt = signJwt({ alg: 'ES256', typ: 'rc-wrp+jwt', x5c: [registrar.x5c] }, claims, key)
  const header = encode(
    new Map<number, unknown>([
      [1, -7],
      [16, 'rc-wrp+cwt'],
    ]),
  )
  const cwt = encode([header, new Map(), encode(claims), new Uint8Array(64)])
  const dataset = {
    identifier: 'NTRNL-12345678',
    srvDescription: [{ lang: 'en', content: 'A shop' }],
    purpose: [{ lang: 'en', content: 'Age check' }],
  }
  const registration = { certificate: random.pick([jwt, Buffer.from(cwt).toString('base64url')]), dataset }
  return {
    ...settings,
    verifier: { ...(settings.verifier as object), registration },
    credential_types: [
      {
        type: 'club',
        formats: { 'dc+sd-jwt': { meta: { vct_values: ['urn:club'] }, scopes: { number: ['number'] } } },
      },
    ],
    formats: ['dc+sd-jwt', 'mso_mdoc'],
    return_urls: ['https://shop.example/back'],
    privacy_policy_uri: 'https://shop.example/p',
    alternative_url: 'https://shop.example/other',
    values_retention_days: 30,
    branding: { color: '#1d4ed8' },
    google_wallet: {
      display_name: 'Shop',
      logo_uri: 'https://shop.example/a.png',
      privacy_policy_uri: 'https://shop.example/p',
    },
    retention_seconds: 3600,
    console_sign_in: {
      issuer: 'https://login.shop.example.com/staff',
      client_id: 'console',
      client_secret: 'secret',
      roles: { support: ['verify:read'] },
    },
  }
}

/** Changes a member; a long text inside by its own levels. */
function changedDeeply(random: Random, good: Record<string, unknown>): unknown {
  const name = random.pick(Object.keys(good))
  const one = { [name]: good[name] }
  const texts = textsIn(one).filter((text) => text.length > 60)
  if (texts.length === 0 || random.below(2) === 0) return mutateJson(random, one).value
  const text = random.pick(texts)
  const { value } = text.includes('.') ? mutateCompact(random, text) : mutateText(random, text)
  return JSON.parse(JSON.stringify(one), (_, member) => (member === text ? value : member))
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** A wallet posts its metadata with one change. */
async function metadataPost(random: Random, path: string): Promise<FuzzRequest> {
  const { metadata } = await makeRequestKey(random.pick(['A128GCM', 'A256GCM']))
  const good = {
    vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'] }, mso_mdoc: {} },
    client_id_prefixes_supported: ['x509_hash'],
    request_object_signing_alg_values_supported: ['ES256'],
    response_modes_supported: ['direct_post', 'direct_post.jwt'],
    ...(random.below(2) === 0 && metadata),
  }
  const changed = random.below(5) === 0 ? good : mutateJson(random, good).value
  const body = new URLSearchParams({
    wallet_metadata: JSON.stringify(changed) ?? '',
    wallet_nonce: 'n'.repeat(22),
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { route: 'POST /r/:capability', method: 'POST', path, headers, body: body.toString() }
}
