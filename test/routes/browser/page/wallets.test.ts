import { describe, expect, it } from 'vitest'
import ENGLISH from '../../../../assets/texts/en.json' with { type: 'json' }
import {
  answersOnIphone,
  chosenMarkup,
  noWalletMarkup,
  parseDevice,
  type WalletsInput,
  walletsMarkup,
} from '../../../../src/routes/browser/page/wallets.ts'

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15'
const ANDROID = 'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36'

describe('the device of a person', () => {
  it.each([
    ['an iPhone', IPHONE, 'nl-NL,nl;q=0.9', null, { platform: 'ios', country: 'NL' }],
    ['an Android phone', ANDROID, 'de,en-US;q=0.8', null, { platform: 'android', country: 'US' }],
    ['a computer', 'Mozilla/5.0 (X11; Linux x86_64)', 'de', 'de-AT', { platform: null, country: 'AT' }],
    ['a browser that sends neither header', undefined, undefined, null, { platform: null, country: null }],
  ])('is read from the headers of %s', (_, agent, languages, locale, expected) => {
    expect(parseDevice(agent, languages, locale)).toEqual(expected)
  })
})

/** Members of the page that the choice reads. */
function input(changes: object = {}, view: object = {}): WalletsInput {
  const wallets = ['nl-wallet', 'apple-wallet', 'eudi-ios', 'france-identite'].map((id) => ({
    id,
    isKnown: true,
    hasLink: id !== 'apple-wallet',
    exchanges: ['org-iso-mdoc'],
  }))
  const device = { platform: null, country: 'NL' }
  const page = { livemode: false, wallet: null, ...view }
  return { view: page, wallets, token: 'ct_1.a', named: null, device, ...changes } as unknown as WalletsInput
}

const listed = (page: WalletsInput) => String(walletsMarkup(ENGLISH, page))

describe('the list of wallets', () => {
  it('has the wallets of the person’s country first, and each wallet is a link to the same page', () => {
    const html = listed(input())
    expect([...html.matchAll(/<h3[^>]*>([^<]*)/g)].map(([, title]) => title)).toEqual([
      'Netherlands',
      'Any country',
      'Other countries',
    ])
    expect(html).toContain('href="?token=ct_1.a&amp;wallet=nl-wallet"')
    expect(html).toContain('<small>France</small>')
  })

  it('hides a wallet that works only by the Digital Credentials API, until a script finds this API', () => {
    expect(listed(input())).toMatch(/<li data-exchanges="org-iso-mdoc" hidden><a [^>]*wallet=apple-wallet/)
  })

  it('marks a wallet for which it is not known whether it can respond', () => {
    const html = listed(
      input({ wallets: [{ id: 'nl-wallet', isKnown: false, hasLink: true, exchanges: [] }] }),
    )
    expect(html).toContain('<small>not tested</small>')
  })

  it('leaves out the chosen wallet and, on a phone, the wallets of other platforms', () => {
    expect(listed(input({ device: { platform: 'android', country: null } }))).not.toContain('eudi-ios')
    expect(listed(input({}, { wallet: 'nl-wallet' }))).not.toContain('nl-wallet')
  })

  it('leaves out wallets for tests in live mode', () => {
    expect(listed(input())).toContain('eudi-ios')
    expect(listed(input({}, { livemode: true }))).not.toContain('eudi-ios')
  })

  it('is absent if it would contain no wallet', () => {
    expect(listed(input({ wallets: [] }))).toBe('')
  })
})

describe('a chosen wallet', () => {
  it('is named, and a link leads to the session page for any wallet', () => {
    const html = String(chosenMarkup(ENGLISH, input({}, { wallet: 'nl-wallet' })))
    expect(html).toContain('This request is for NL Wallet.')
    expect(html).toContain('href="?token=ct_1.a&amp;wallet=any"')
    expect(String(chosenMarkup(ENGLISH, input()))).toBe('')
  })

  it('has links to install it; a phone gets only the link for its platform', () => {
    const stores = (platform: string | null) => {
      const html = String(
        chosenMarkup(ENGLISH, input({ device: { platform, country: null } }, { wallet: 'credo' })),
      )
      return [...html.matchAll(/rel="noopener">([^<]*)</g)].map(([, store]) => store)
    }
    expect(stores(null)).toEqual(['App Store', 'Google Play'])
    expect(stores('android')).toEqual(['Google Play'])
  })

  it('is marked if it is not known whether it can respond', () => {
    const wallets = [{ id: 'nl-wallet', isKnown: false }]
    const html = String(chosenMarkup(ENGLISH, input({ wallets }, { wallet: 'nl-wallet' })))
    expect(html).toContain('It is not certain')
  })
})

describe('"No wallet yet?"', () => {
  const stores = (page: WalletsInput) => {
    const html = String(noWalletMarkup(ENGLISH, page))
    return [...html.matchAll(/<li[^>]*><bdi>([^<]*)<\/bdi>.*?<\/li>/g)].map(([item, name]) => [
      name,
      ...[...item.matchAll(/rel="noopener">([^<]*)</g)].map(([, store]) => store),
    ])
  }
  const some = (...ids: string[]) =>
    ids.map((id) => ({ id, isKnown: true, hasLink: true, exchanges: ['org-iso-mdoc'] }))

  it('lists the wallets that can answer and have an app in a store, with the wallets of the person’s country first', () => {
    const wallets = some('nl-wallet', 'france-identite', 'credo', 'eudi-ios')
    const device = { platform: null, country: 'FR' }
    expect(stores(input({ wallets, device }))).toEqual([
      ['France Identité', 'App Store', 'Google Play'],
      ['Paradym and other wallets of Credo', 'App Store', 'Google Play'],
    ])
  })

  it('"No wallet yet?" on a phone links only to the store of this phone', () => {
    const wallets = some('credo', 'google-wallet', 'apple-wallet')
    const on = (platform: string) => stores(input({ wallets, device: { platform, country: null } }))
    expect(on('android')).toEqual([
      ['Paradym and other wallets of Credo', 'Google Play'],
      ['Google Wallet', 'Google Play'],
    ])
    expect(on('ios')).toEqual([
      ['Paradym and other wallets of Credo', 'App Store'],
      ['Apple Wallet', 'App Store'],
    ])
  })

  it('leaves out a wallet for which it is not known whether it can respond', () => {
    const [one] = some('credo')
    expect(stores(input({ wallets: [{ ...one, isKnown: false }] }))).toEqual([])
  })

  it('hides a wallet that works only by the Digital Credentials API, until a script finds this API', () => {
    const wallets = some('apple-wallet').map((one) => ({ ...one, hasLink: false }))
    expect(String(noWalletMarkup(ENGLISH, input({ wallets })))).toContain(
      '<li data-exchanges="org-iso-mdoc" hidden><bdi>Apple Wallet',
    )
  })

  it('is absent if a wallet is chosen, because the chosen wallet has its own links', () => {
    expect(stores(input({ wallets: some('credo') }, { wallet: 'nl-wallet' }))).toEqual([])
  })
})

describe('an answer of an iPhone app through the browser', () => {
  const answers = (ids: string[], view: object = {}, mayLower = true) => {
    const wallets = ids.map((id) => ({ id, exchanges: ['org-iso-mdoc'] }))
    return answersOnIphone(input({ wallets }, { offers_redirect: true, ...view }), mayLower)
  }

  it.each([
    ['possible with Apple Wallet', ['apple-wallet'], {}, true],
    ['possible in live mode with the EU age app', ['eu-age-ios'], { livemode: true }, true],
    ['not possible with an Android app only', ['eudi-android'], {}, false],
    ['not possible in live mode with an app for tests', ['valera'], { livemode: true }, false],
    ['assumed if the page offers no other way', [], { offers_redirect: false }, true],
    ['assumed for a chosen wallet', [], { wallet: 'valera' }, true],
  ])('is %s', (_, ids, view, expected) => {
    expect(answers(ids, view)).toBe(expected)
  })

  it('is assumed to be possible if the wallets are not known, for example after too many QR codes', () => {
    expect(answers([], {}, false)).toBe(true)
  })
})
