// Pages with the Digital Credentials API: the relying party's page, or ours with the cookie of its browser.

import type { DcApiPage } from '../../../src/session/response/dc-api.ts'
import { storedOf } from '../form.ts'
import { documentOf } from '../ledger.ts'
import type { Actor } from '../world.ts'
import { ask, pause, type Session, type World } from '../world.ts'
import { claimsOf, makeDcApiResponse } from './requests.ts'

const ORIGINS = ['https://verifier.example', 'https://shop.example']

export const digitalCredentials: Actor = {
  name: 'page with the Digital Credentials API',
  act: async (world, session) => {
    const { random } = world
    if (!random.chance(0.3)) return
    for (let left = random.between(1, 3); left > 0; left--) {
      if (!(await pause(world, random.between(1_000, 100_000)))) return
      await useApi(world, session)
    }
  },
}

async function useApi(world: World, session: Session): Promise<void> {
  const { random } = world
  const document = documentOf(storedOf(session))
  if (document === undefined) return
  const by = { createdAt: document.created_at, login: session.input.login?.browser }
  const isOurs = random.chance(0.5)
  const origin = ORIGINS[isOurs ? 0 : 1] ?? ''
  const asked: DcApiPage = isOurs ? { secret: null } : 'relying_party'
  const made = await ask(world, session, 'createDcApiRequest', by, { page: asked, origin, wallet: null })
  if (!made?.ok) return
  const { secret, json } = made.value as { readonly secret: string | null; readonly json: string }
  const { digital } = JSON.parse(json) as {
    readonly digital: { readonly requests: readonly { readonly data: { readonly request?: string } }[] }
  }
  const jws = digital.requests.find(({ data }) => data.request !== undefined)?.data.request
  if (jws === undefined) return
  const claims = claimsOf(jws)
  const number = documentOf(storedOf(session))?.generations.find(
    ({ nonce }) => nonce === claims.nonce,
  )?.number
  if (number === undefined || !(await pause(world, random.below(30_000)))) return
  const request = {
    ...{ session, number, nonce: claims.nonce, state: '', clientId: `origin:${origin}` },
    key: claims.client_metadata?.jwks?.keys[0],
  }
  session.requests.push(request)
  const kind = random.pick(['adult', 'adult', 'minor', 'junk'] as const)
  const response = await makeDcApiResponse(world, request, kind)
  const page: DcApiPage = isOurs ? { secret: random.chance(0.9) ? secret : 'another' } : 'relying_party'
  for (let left = random.between(1, 4); left > 0; left--) {
    const posted = {
      page,
      protocol: 'openid4vp-v1-signed' as const,
      data: response.data,
      digest: response.digest,
    }
    const answer = await ask(world, session, 'processDcApiResponse', by, posted)
    const { returnUrl = null } = Object(answer?.value) as { readonly returnUrl?: string | null }
    const code = returnUrl === null ? null : new URL(returnUrl).searchParams.get('return_code')
    if (code !== null && secret !== null) {
      session.secrets.push(secret)
      session.returnCodes.push(code)
    }
    if (!(await pause(world, random.below(5_000)))) return
  }
}
