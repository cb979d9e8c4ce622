// The demo shop over HTTP (docs/demo-shop.md): a simulated browser, the shop's server, the service, and a
// wallet by another project. Only messages of the service change an order. Forged messages change nothing.

import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { BASE_URL, expectStatus, readQr } from '../../support/service/service.ts'
import { shopOf, trustAuthority, WITH_SHOP } from '../../support/service/shop.ts'
import { respondWithAge, type Stage, useOwnStage } from '../../support/service/stage.ts'
import { WAIT } from '../../support/wait.ts'

const stage = useOwnStage(WITH_SHOP)
beforeAll(() => trustAuthority(stage))

describe('an order', () => {
  it('is confirmed, and its page shows the signed webhook', async () => {
    const visitor = await visitorWith(stage, 'plum')
    await respondWithAge(stage, await visitor.prove())
    const page = await visitor.pageWith('verification.verified')
    expect(stateOf(page)).toBe('confirmed')
    expect(page).toContain('Signature verified')
    expect(page).toMatch(/x-service-signature<\/span>: t=\d{10},v1=[0-9a-f]{64}\n/)
    expect(page).toMatch(/webhook-signature<\/span>: v1,/)
    expect(page).toContain('The shop polls the outcome')
  })

  it('is refused to a person who is not over 18', async () => {
    const visitor = await visitorWith(stage, 'plum')
    await respondWithAge(stage, await visitor.prove(), { claims: { age_over_18: false } })
    const page = await visitor.pageWith('verification.rejected')
    expect(stateOf(page)).toBe('rejected')
    expect(page).toContain('predicate_false')
  })

  it('is bound to the browser that returns with the return code', async () => {
    const visitor = await visitorWith(stage, 'meadow')
    const { back, link } = await visitor.sameDevice()
    await respondWithAge(stage, await stage.service.wallet.receive(link)).then(back)
    const page = await visitor.pageWith('verification.verified')
    expect(page).toContain('our server redeemed it for your order')
    expect(page).not.toMatch(/return_code=(?!…)/)
    expect(page).toContain('The shop polls the outcome')
  })

  it('is marked as declined if the person declines and returns without a code', async () => {
    const visitor = await visitorWith(stage, 'meadow')
    const { back, link } = await visitor.sameDevice()
    const { wallet } = stage.service
    const returnUrl = await back(await wallet.decline(await wallet.receive(link), 'access_denied'))
    expect(returnUrl).toBe(`${BASE_URL}/demo/return`)
    expect(stateOf(await visitor.pageWith('verification.declined'))).toBe('declined')
  })

  it('needs no proof for goods without alcohol', async () => {
    const visitor = await visitorWith(stage, 'windfall')
    expect(stateOf(await visitor.page())).toBe('free')
    const response = await visitor.post('prove')
    expect(response.headers.get('location')).toBe('/demo')
    expect(await visitor.page()).not.toContain('POST /v1/verify')
  })

  it('creates one verification if its button is pressed twice', async () => {
    const visitor = await visitorWith(stage, 'packet')
    const [one, two] = await Promise.all([visitor.post('prove'), visitor.post('prove')])
    expect(one.headers.get('location')).toMatch(/\/s\/v_/)
    expect(sessionOf(one)).toBe(sessionOf(two))
  })

  it('is canceled, and its page shows the webhook of the cancellation', async () => {
    const visitor = await visitorWith(stage, 'packet')
    await visitor.post('prove')
    await visitor.post('cancel')
    expect(stateOf(await visitor.pageWith('verification.canceled'))).toBe('canceled')
  })

  it('is shown without the API key, the webhook secret and the token of the session page', async () => {
    const visitor = await visitorWith(stage, 'plum')
    await visitor.post('prove')
    const page = await visitor.page()
    const link = /href="([^"]*token=[^"]*)"/.exec(page)?.[1] ?? ''
    const { api_key, webhook_secret } = shopOf(stage)
    const rest = page.replace(link, '')
    for (const secret of [api_key, webhook_secret, new URL(link).searchParams.get('token') ?? '']) {
      expect(secret.length).toBeGreaterThan(20)
      expect(rest).not.toContain(secret)
    }
  })
})

describe('a message to the shop', () => {
  it.each([
    ['an unsigned event', ({ body }: Post) => ({ headers: {}, body }), {}, 'malformed_signature'],
    ['an event signed with another secret', same, { secret: 'whsec_AAAA' }, 'wrong_signature'],
    ['an old event', same, { age: 301 }, 'outside_tolerance'],
    [
      'an event changed after it was signed',
      ({ headers, body }: Post) => ({ headers, body: `${body} ` }),
      {},
      'wrong_signature',
    ],
  ])('gets 400 and does not change the order if it is %s', async (_, change, signing, said) => {
    const visitor = await visitorWith(stage, 'plum')
    const session = sessionOf(await visitor.post('prove'))
    const response = await sendWebhook(stage, change(signed(session, visitor.id(), signing)))
    expect([response.status, await response.text()]).toEqual([400, `Webhook refused: ${said}.\n`])
    expect(stateOf(await visitor.page())).toBe('waiting')
  })

  it('does not change the order of a visit if it is an event about the verification of another visit', async () => {
    const [mine, other] = [await visitorWith(stage, 'plum'), await visitorWith(stage, 'plum')]
    await mine.post('prove')
    const session = sessionOf(await other.post('prove'))
    const response = await sendWebhook(stage, signed(session, mine.id()))
    expect(response.status).toBe(204)
    expect(stateOf(await mine.page())).toBe('waiting')
    expect(await mine.page()).not.toContain(session)
  })

  it('is shown once if it arrives twice', async () => {
    const visitor = await visitorWith(stage, 'plum')
    const session = sessionOf(await visitor.post('prove'))
    const post = signed(session, visitor.id())
    for (let i = 0; i < 2; i++) expect((await sendWebhook(stage, post)).status).toBe(204)
    expect((await visitor.page()).match(/POST \/demo\/webhook/g)).toHaveLength(1)
  })

  it.each([
    ['an event of an unknown visit', 'f'.repeat(64)],
    ['an event without a visit', ''],
  ])('is accepted and ignored if it is %s', async (_, order) => {
    expect((await sendWebhook(stage, signed('v_1', order))).status).toBe(204)
  })

  it('is refused if it is a webhook of more than 64 KiB', async () => {
    expect((await sendWebhook(stage, { headers: {}, body: 'a'.repeat(65_537) })).status).toBe(413)
  })

  it.each(['choose', 'prove', 'cancel', 'leave'])(
    'is refused if it is a POST to %s from another site',
    async (path) => {
      const visitor = await visitorWith(stage, 'plum')
      expect((await visitor.post(path, { Origin: 'https://elsewhere.example' })).status).toBe(403)
      expect((await visitor.post(path, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
      expect(stateOf(await visitor.page())).toBe('chosen')
    },
  )

  it('opens no visit if its cookie has another secret or a forged id', async () => {
    const visitor = await visitorWith(stage, 'plum')
    for (const cookie of [`${visitor.id()}.${'A'.repeat(22)}`, `${'0'.repeat(64)}.${'A'.repeat(22)}`, 'x']) {
      const page = await stage.service.fetch('/demo', { headers: { Cookie: `demo_visit=${cookie}` } })
      expect(stateOf(await page.text())).toBe('shelf')
    }
  })
})

describe('the launcher', () => {
  it('stores the shop’s secrets in a file that only its owner can read, and not in workerd.capnp', () => {
    const { stateDir } = stage.service.server
    expect(statSync(join(stateDir, 'demo-shop.json')).mode & 0o777).toBe(0o600)
    const { api_key, webhook_secret } = shopOf(stage)
    const config = readFileSync(join(stateDir, 'workerd.capnp'), 'utf8')
    expect([api_key, webhook_secret].filter((secret) => config.includes(secret))).toEqual([])
  })

  it('opens a port for the shop’s webhooks, which serves no page', async () => {
    const port = new URL('/answer', shopOf(stage).settings.webhook.url)
    const response = await fetch(port, { method: 'POST', body: '{}' })
    expect([response.status, await response.text()]).toEqual([400, 'Webhook refused: malformed_signature.\n'])
    expect((await fetch(new URL('/demo', port))).status).toBe(404)
  })

  it('keeps the shop and its orders after a restart, and prints the address of the shop', async () => {
    const visitor = await visitorWith(stage, 'plum')
    const before = shopOf(stage)
    await stage.service.server.restart()
    expect(shopOf(stage)).toEqual(before)
    expect(stateOf(await visitor.page())).toBe('chosen')
    expect(stage.service.server.output()).toContain(`Open ${BASE_URL}/demo`)
  })

  it('starts no shop with DEMO=0', async () => {
    await stage.service.server.restart({ DEMO: '0' })
    expect((await stage.service.fetch('/demo')).status).toBe(404)
  })
})

/** Returns a browser with an order. */
async function visitorWith({ service }: Stage, goods: string) {
  let cookie = ''
  const post = async (path: string, headers: Record<string, string> = {}, body = '') => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const sent = { ...form, Cookie: cookie, Origin: BASE_URL, ...headers }
    const response = await service.fetch(`/demo/${path}`, { method: 'POST', headers: sent, body })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return response
  }
  const page = async () => (await service.fetch('/demo', { headers: { Cookie: cookie } })).text()
  const chosen = await post('choose', {}, `goods=${goods}`)
  expect(chosen.status).toBe(303)
  return {
    post,
    page,
    id: () => /=([0-9a-f]{64})\./.exec(cookie)?.[1] ?? '',
    /** Returns the request of the QR. */
    prove: async () => service.wallet.receive(await uriOf(service, await post('prove'))),
    /** Returns the link for the same device, and the way back with the wallet's redirect. */
    sameDevice: async () => {
      const address = new URL((await post('prove')).headers.get('location') ?? '')
      const id = address.pathname.replace('/s/', '')
      const headers = { Authorization: `Bearer ${address.searchParams.get('token')}`, Origin: BASE_URL }
      const made = await service.fetch(`/v1/verify/${id}/link`, { method: 'POST', headers })
      const known = made.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      const { uri: link } = (await expectStatus(made, 200)) as { uri: string }
      const back = async (answer: Response) => {
        const { redirect_uri } = (await answer.json()) as { redirect_uri: string }
        const response_code = new URLSearchParams(new URL(redirect_uri).hash.slice(1)).get('response_code')
        const came = await service.fetch(`/v1/verify/${id}/response_code`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Origin: BASE_URL, Cookie: known },
          body: JSON.stringify({ response_code }),
        })
        const { return_url } = (await expectStatus(came, 200)) as { return_url: string }
        const returned = await service.fetch(return_url, { headers: { Cookie: cookie } })
        expect([returned.status, returned.headers.get('location')]).toEqual([303, '/demo'])
        return return_url
      }
      return { link, back }
    },
    /** Returns the page as soon as it shows an event. */
    pageWith: (event: string) =>
      vi.waitFor(async () => {
        const shown = await page()
        expect(shown).toContain(`&quot;${event}&quot;`)
        return shown
      }, WAIT),
  }
}

/** Decodes the QR of the session page. */
async function uriOf({ fetch }: Stage['service'], sent: Response): Promise<string> {
  const { pathname, searchParams } = new URL(sent.headers.get('location') ?? '')
  const headers = { Authorization: `Bearer ${searchParams.get('token')}` }
  const picture = await fetch(`/v1/verify/${pathname.replace('/s/', '')}/qr`, { headers })
  return readQr(new Uint8Array(await picture.arrayBuffer()))
}

type Post = { readonly headers: Record<string, string>; readonly body: string }

/** Sends a webhook to the public address. */
function sendWebhook({ service }: Stage, { headers, body }: Post): Promise<Response> {
  return service.fetch('/demo/webhook', { method: 'POST', headers, body })
}

/** Forges an event of a verified session, signed as in api/webhooks. */
function signed(
  session: string,
  order: string,
  { secret = shopOf(stage).webhook_secret, age = 0 } = {},
): Post {
  const outcome = { status: 'verified', checks: { age_over_18: true }, reason: null, session_binding: null }
  const event = { event_id: 'evt_1', event_type: 'verification.verified', verification_id: session }
  const body = JSON.stringify({ ...event, ...outcome, metadata: order === '' ? {} : { order } })
  const t = Math.floor(Date.now() / 1000) - age
  const mac = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return { headers: { 'Content-Type': 'application/json', 'X-Service-Signature': `t=${t},v1=${mac}` }, body }
}

function same(post: Post): Post {
  return post
}

function sessionOf(sent: Response): string {
  return /v_[A-Za-z0-9_-]+/.exec(sent.headers.get('location') ?? '')?.[0] ?? ''
}

function stateOf(page: string): string {
  return /<main data-state="(\w+)"/.exec(page)?.[1] ?? page
}
