// The demonstration shop over HTTP (docs/demo-shop.md): a browser of ours, the shop's server, the service, a foreign wallet. What the
// shop believes came to its server from the service; what anybody else sends it changes nothing.

import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { BASE_URL, expectStatus, readQr } from '../../support/service/service.ts'
import { shopOf, trustAuthority, WITH_SHOP } from '../../support/service/shop.ts'
import { answerAge, type Stage, useStage } from '../../support/service/stage.ts'

const stage = useStage(WITH_SHOP)
beforeAll(() => trustAuthority(stage))

describe('an order', () => {
  it('is confirmed by the wallet, and shows the webhook as it was signed', async () => {
    const visitor = await visitorWith(stage, 'plum')
    await answerAge(stage, await visitor.prove())
    const page = await visitor.pageWith('verification.verified')
    expect(stateOf(page)).toBe('confirmed')
    expect(page).toContain('Signature verified')
    expect(page).toMatch(/x-service-signature<\/span>: t=\d{10},v1=[0-9a-f]{64}\n/)
    expect(page).toMatch(/webhook-signature<\/span>: v1,/)
    expect(page).toContain('The shop looks for itself')
  })

  it('is refused to who is not over 18, whatever else is in order', async () => {
    const visitor = await visitorWith(stage, 'plum')
    await answerAge(stage, await visitor.prove(), { claims: { age_over_18: false } })
    const page = await visitor.pageWith('verification.rejected')
    expect(stateOf(page)).toBe('rejected')
    expect(page).toContain('predicate_false')
  })

  it('is bound to the browser that brings its code back, once', async () => {
    const visitor = await visitorWith(stage, 'meadow')
    const { back, link } = await visitor.sameDevice()
    await answerAge(stage, await stage.service.wallet.receive(link)).then(back)
    const page = await visitor.pageWith('verification.verified')
    expect(page).toContain('our server redeemed it for your order')
    expect(page).not.toMatch(/return_code=(?!…)/)
    expect(page).toContain('The shop looks for itself')
  })

  it('needs no proof where there is no alcohol', async () => {
    const visitor = await visitorWith(stage, 'windfall')
    expect(stateOf(await visitor.page())).toBe('free')
    const response = await visitor.post('prove')
    expect(response.headers.get('location')).toBe('/demo')
    expect(await visitor.page()).not.toContain('POST /v1/verify')
  })

  it('asks once, however often the button is pressed', async () => {
    const visitor = await visitorWith(stage, 'packet')
    const [one, two] = await Promise.all([visitor.post('prove'), visitor.post('prove')])
    expect(one.headers.get('location')).toMatch(/\/s\/v_/)
    expect(sessionOf(one)).toBe(sessionOf(two))
  })

  it('is called off, and its webhook says so', async () => {
    const visitor = await visitorWith(stage, 'packet')
    await visitor.post('prove')
    await visitor.post('cancel')
    expect(stateOf(await visitor.pageWith('verification.canceled'))).toBe('canceled')
  })

  it('shows no secret: not the key, not the token of the session page, not the QR', async () => {
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

describe('what is not believed', () => {
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
  ])('%s: 400, and the order stands as it stood', async (_, change, signing, said) => {
    const visitor = await visitorWith(stage, 'plum')
    const session = sessionOf(await visitor.post('prove'))
    const response = await sendWebhook(stage, change(signed(session, visitor.id(), signing)))
    expect([response.status, await response.text()]).toEqual([400, `Not believed: ${said}.\n`])
    expect(stateOf(await visitor.page())).toBe('waiting')
  })

  it('another visit’s event, rightly signed', async () => {
    const [mine, other] = [await visitorWith(stage, 'plum'), await visitorWith(stage, 'plum')]
    await mine.post('prove')
    const session = sessionOf(await other.post('prove'))
    const response = await sendWebhook(stage, signed(session, mine.id()))
    expect(response.status).toBe(204)
    expect(stateOf(await mine.page())).toBe('waiting')
    expect(await mine.page()).not.toContain(session)
  })

  it('the same event again: it is shown once', async () => {
    const visitor = await visitorWith(stage, 'plum')
    const session = sessionOf(await visitor.post('prove'))
    const post = signed(session, visitor.id())
    for (let i = 0; i < 2; i++) expect((await sendWebhook(stage, post)).status).toBe(204)
    expect((await visitor.page()).match(/POST \/demo\/webhook/g)).toHaveLength(1)
  })

  it.each([
    ['an event of no visit', 'f'.repeat(64)],
    ['an event that names none', ''],
  ])('%s is understood, and of no interest', async (_, order) => {
    expect((await sendWebhook(stage, signed('v_1', order))).status).toBe(204)
  })

  it('a webhook of more than 64 KiB', async () => {
    expect((await sendWebhook(stage, { headers: {}, body: 'a'.repeat(65_537) })).status).toBe(413)
  })

  it.each(['choose', 'prove', 'cancel', 'leave'])('a post to %s from another site', async (path) => {
    const visitor = await visitorWith(stage, 'plum')
    expect((await visitor.post(path, { Origin: 'https://elsewhere.example' })).status).toBe(403)
    expect((await visitor.post(path, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect(stateOf(await visitor.page())).toBe('chosen')
  })

  it('a cookie with another secret, or an id that nobody made', async () => {
    const visitor = await visitorWith(stage, 'plum')
    for (const cookie of [`${visitor.id()}.${'A'.repeat(22)}`, `${'0'.repeat(64)}.${'A'.repeat(22)}`, 'x']) {
      const page = await stage.service.fetch('/demo', { headers: { Cookie: `demo_visit=${cookie}` } })
      expect(stateOf(await page.text())).toBe('shelf')
    }
  })
})

describe('the launcher', () => {
  it('keeps the shop’s secrets in a file for its owner only, and in no configuration', () => {
    const { stateDir } = stage.service.server
    expect(statSync(join(stateDir, 'demo-shop.json')).mode & 0o777).toBe(0o600)
    const { api_key, webhook_secret } = shopOf(stage)
    const config = readFileSync(join(stateDir, 'workerd.capnp'), 'utf8')
    expect([api_key, webhook_secret].filter((secret) => config.includes(secret))).toEqual([])
  })

  it('lets the shop’s own door hear webhooks alone', async () => {
    const door = new URL('/answer', shopOf(stage).settings.webhook.url)
    const response = await fetch(door, { method: 'POST', body: '{}' })
    expect([response.status, await response.text()]).toEqual([400, 'Not believed: malformed_signature.\n'])
    expect((await fetch(new URL('/demo', door))).status).toBe(404)
  })

  it('keeps the shop and its orders from start to start, and says where it is', async () => {
    const visitor = await visitorWith(stage, 'plum')
    const before = shopOf(stage)
    await stage.service.server.restart()
    expect(shopOf(stage)).toEqual(before)
    expect(stateOf(await visitor.page())).toBe('chosen')
    expect(stage.service.server.output()).toContain(`Open ${BASE_URL}/demo`)
  })

  it('leaves no shop where DEMO is 0', async () => {
    await stage.service.server.restart({ DEMO: '0' })
    expect((await stage.service.fetch('/demo')).status).toBe(404)
  })
})

/** A browser that took something from the shelf. */
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
    /** To the request that a wallet gets by the QR. */
    prove: async () => service.wallet.receive(await uriOf(service, await post('prove'))),
    /** To the link on the same device, and back from there with what the wallet was told. */
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
      }
      return { link, back }
    },
    /** The page, once an event is on it. */
    pageWith: (event: string) =>
      vi.waitFor(
        async () => {
          const shown = await page()
          expect(shown).toContain(`&quot;${event}&quot;`)
          return shown
        },
        { timeout: 5_000 },
      ),
  }
}

/** What a camera before the session page reads. */
async function uriOf({ fetch }: Stage['service'], sent: Response): Promise<string> {
  const { pathname, searchParams } = new URL(sent.headers.get('location') ?? '')
  const headers = { Authorization: `Bearer ${searchParams.get('token')}` }
  const picture = await fetch(`/v1/verify/${pathname.replace('/s/', '')}/qr`, { headers })
  return readQr(new Uint8Array(await picture.arrayBuffer()))
}

type Post = { readonly headers: Record<string, string>; readonly body: string }

/** To the address that anyone can reach. */
function sendWebhook({ service }: Stage, { headers, body }: Post): Promise<Response> {
  return service.fetch('/demo/webhook', { method: 'POST', headers, body })
}

/** An event that says what a cheat would like it to, signed as the contract says (section 7). */
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
