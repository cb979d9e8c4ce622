// The function for a page of the relying party, with a browser of the test.

import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  allowsProtocol,
  askBrowser,
  type BrowserChoices,
  browserFamilies,
  digitalRequests,
} from '../../packages/client/src/browser.ts'

const SIGNED = { protocol: 'openid4vp-v1-signed', data: { request: 'a.b.c' } }
const unsigned = (...formats: string[]) => ({
  protocol: 'openid4vp-v1-unsigned',
  data: { dcql_query: { credentials: formats.map((format) => ({ format })) } },
})
const MDOC = { protocol: 'org-iso-mdoc', data: { deviceRequest: 'a', encryptionInfo: 'b' } }
const MIXED = [SIGNED, unsigned('dc+sd-jwt', 'mso_mdoc'), MDOC]
const DOCUMENTS = [SIGNED, unsigned('mso_mdoc'), MDOC]
const OPENID = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned']

/** A browser that allows these protocols; null: one without the question. */
function browser(allowed: readonly string[] | null, isTouch = false, get = vi.fn()) {
  const DigitalCredential = allowed && { userAgentAllowsProtocol: (one: string) => allowed.includes(one) }
  vi.stubGlobal('DigitalCredential', DigitalCredential ?? {})
  vi.stubGlobal('matchMedia', () => ({ matches: isTouch }))
  vi.stubGlobal('navigator', { credentials: { get } })
  return get
}
afterEach(() => vi.unstubAllGlobals())

const ALL = [...OPENID, 'org-iso-mdoc']

describe('digitalRequests', () => {
  it.each<[string, typeof MIXED, readonly string[] | null, boolean, BrowserChoices, readonly string[]]>([
    ['every protocol on this device', MIXED, ALL, true, {}, ALL],
    ['only the protocols that the browser allows', MIXED, ['org-iso-mdoc'], true, {}, ['org-iso-mdoc']],
    ['every protocol if the browser cannot report which protocols it allows', MIXED, null, true, {}, ALL],
    ['only OpenID4VP for a phone nearby', MIXED, ALL, false, {}, OPENID],
    [
      'only the protocol family that the person chose',
      MIXED,
      ALL,
      false,
      { family: 'org-iso-mdoc' },
      ['org-iso-mdoc'],
    ],
    ['only org-iso-mdoc for documents on a phone nearby', DOCUMENTS, ALL, false, {}, ['org-iso-mdoc']],
    ['OpenID4VP for documents if org-iso-mdoc is not allowed', DOCUMENTS, OPENID, false, {}, OPENID],
    [
      'no protocol if the browser does not allow the chosen family',
      MIXED,
      OPENID,
      false,
      { family: 'org-iso-mdoc' },
      [],
    ],
    [
      'the chosen family on this device, if the browser reports both families',
      MIXED,
      ALL,
      true,
      { family: 'org-iso-mdoc' },
      ['org-iso-mdoc'],
    ],
    ['the chosen family on this device: OpenID4VP', MIXED, ALL, true, { family: 'openid4vp' }, OPENID],
    [
      'every protocol on this device if only documents are requested',
      DOCUMENTS,
      ALL,
      true,
      { family: 'openid4vp' },
      ALL,
    ],
    ['every protocol if the caller names this device', MIXED, ALL, false, { place: 'here' }, ALL],
    ['org-iso-mdoc if the session has no other protocol', [MDOC], ALL, false, {}, ['org-iso-mdoc']],
  ])('returns requests with %s', (_, requests, allowed, isTouch, choices, protocols) => {
    browser(allowed, isTouch)
    expect(digitalRequests(requests, choices).map(({ protocol }) => protocol)).toEqual(protocols)
  })
})

describe('browserFamilies', () => {
  it.each<[string, typeof MIXED, readonly string[] | null, boolean, readonly string[]]>([
    ['both families on this device if both are reported', MIXED, ALL, true, ['openid4vp', 'org-iso-mdoc']],
    ['only openid4vp on this device if the browser cannot report', MIXED, null, true, ['openid4vp']],
    ['only openid4vp on this device if only documents are requested', DOCUMENTS, ALL, true, ['openid4vp']],
    ['only org-iso-mdoc if no other protocol is allowed', MIXED, ['org-iso-mdoc'], true, ['org-iso-mdoc']],
    ['only openid4vp if the browser allows only OpenID4VP', MIXED, OPENID, true, ['openid4vp']],
    ['both families for a phone nearby', MIXED, ALL, false, ['openid4vp', 'org-iso-mdoc']],
    [
      'org-iso-mdoc for a phone nearby if only documents are requested',
      DOCUMENTS,
      ALL,
      false,
      ['org-iso-mdoc'],
    ],
    ['no family if the browser allows no protocol', MIXED, [], true, []],
  ])('returns %s', (_, requests, allowed, isTouch, families) => {
    browser(allowed, isTouch)
    expect(browserFamilies(requests)).toEqual(families)
  })
})

describe('askBrowser', () => {
  const response = { protocol: 'org-iso-mdoc', data: { response: 'x' } }

  it('calls the browser once, and returns the body to post', async () => {
    const get = browser(ALL, true, vi.fn().mockResolvedValue({ ...response, type: 'digital' }))
    expect(await askBrowser({ digital: { requests: MIXED } })).toEqual({ ok: true, value: response })
    expect(get.mock.calls).toEqual([[{ mediation: 'required', digital: { requests: MIXED } }]])
  })

  it('returns an error without a call if the browser supports none of the protocols', async () => {
    const get = browser([])
    expect(await askBrowser({ digital: { requests: MIXED } })).toEqual({ ok: false, error: 'unsupported' })
    vi.stubGlobal('DigitalCredential', undefined)
    expect(allowsProtocol('org-iso-mdoc')).toBe(false)
    expect(get).not.toHaveBeenCalled()
  })

  it.each([
    ['the person closed the dialogue', vi.fn().mockRejectedValue(new Error('NotAllowedError'))],
    ['the browser returned no credential', vi.fn().mockResolvedValue(null)],
  ])('returns an error if %s', async (_, get) => {
    browser(ALL, true, get)
    expect(await askBrowser({ digital: { requests: MIXED } })).toEqual({ ok: false, error: 'no_response' })
  })
})
