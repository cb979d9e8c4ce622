import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import ENGLISH from '../../../../assets/texts/en.json' with { type: 'json' }
import { type AboutInput, aboutMarkup, aboutSettings } from '../../../../src/routes/browser/page/about.ts'
import { mintCertificate, mintKeys } from '../../../support/certificates/certificates.ts'

const HOUR_MS = 3_600_000
const NOW = Date.parse('2026-11-28T12:00:00Z')

/** Returns the lines for a session whose relying party gets no value and set nothing. */
function linesOf(view: object = {}, about: object = {}): readonly string[] {
  const input = {
    name: 'Shop',
    about: { privacyNotice: null, registeredAs: null, retentionDays: null, ...about },
    view: {
      login: null,
      return_addresses: null,
      retention_ms: 48 * HOUR_MS,
      gives_values: false,
      keeps_values: false,
      states_no_storage: false,
      sends_registration: true,
      requested_claims: { items: [{ kind: 'claim', name: 'age_over_18', optional: false }], groups: [] },
      ...view,
    },
  } as unknown as AboutInput
  const html = String(aboutMarkup(ENGLISH, input)).replaceAll(/[\u2068\u2069]/g, '')
  expect(html).toMatch(/^<details id="about">\n<summary>About this request<\/summary>/)
  return [...html.matchAll(/<p class="soft">(.*?)<\/p>/g)].map(([, line]) => line!)
}

const YES_OR_NO = expect.stringContaining('Shop gets only yes or no for each item')
const NOT_STORED = expect.stringMatching(/does not store the values.* for 2 days after the end/)

describe('"About this request"', () => {
  it('has no line about a fact that is not known', () => {
    expect(linesOf()).toEqual([YES_OR_NO, NOT_STORED])
  })

  it('names the host that the person returns to', () => {
    const [line] = linesOf({ return_addresses: { verified: 'https://shop.example:8443/done?order=1' } })
    expect(line).toBe('Afterwards you return to shop.example:8443.')
  })

  it('says that the relying party gets values, and that the service stores them only encrypted', () => {
    const [values, stored] = linesOf({ gives_values: true, keeps_values: true })
    expect(values).toContain('Shop gets the values of these items')
    expect(stored).toContain('stores the values only in encrypted form')
  })

  it.each([
    [HOUR_MS, '1 hour'],
    [25 * HOUR_MS, '25 hours'],
    [720 * HOUR_MS, '30 days'],
    [HOUR_MS + 1000, '61 minutes'],
  ])('says how long the service stores the result: %d ms', (retention_ms, words) => {
    expect(linesOf({ retention_ms })[1]).toContain(`for ${words} after the end`)
  })

  it('says that the relying party will store the marked items, or that it will not store the values that it gets', () => {
    const items = [{ kind: 'claim', name: 'birth_date', optional: false, retained: true }]
    expect(linesOf({ requested_claims: { items, groups: [] } })).toContain(
      'Shop states that it will store the items marked as stored.',
    )
    const declared = { states_no_storage: true }
    expect(linesOf({ ...declared, gives_values: true, keeps_values: true })).toContain(
      'Shop states that it will not store the values.',
    )
    expect(linesOf(declared)).toEqual([YES_OR_NO, NOT_STORED])
  })

  it.each([
    [1, '1 day'],
    [365, '365 days'],
  ])(
    'says how long the relying party will store values, if it gets values and has stated the time: %d days',
    (retentionDays, words) => {
      const line = `Shop states how long it will store the values: ${words}.`
      const lines = (view: object) => linesOf(view, { retentionDays })
      expect(lines({ gives_values: true })).toContain(line)
      expect(linesOf({ gives_values: true })).not.toContain(line)
      const login = { client: 'Club', redirect_uri: 'https://club.example/cb' }
      for (const other of [
        {},
        { gives_values: true, states_no_storage: true },
        { gives_values: true, login },
      ]) {
        expect(lines(other)).not.toContain(line)
      }
    },
  )

  it('says that the relying party keeps the response as evidence', () => {
    expect(linesOf({ keeps_evidence: true, gives_values: true, keeps_values: true })).toContain(
      'Shop keeps what your wallet app shares as evidence of this verification.',
    )
  })

  it('names the registration only if requests of the session contain it', () => {
    const about = { registeredAs: 'VATDE-1' }
    expect(linesOf({}, about)).toContain(
      'Shop has a registration certificate for the number VATDE-1. Your wallet app can check it.',
    )
    expect(linesOf({ sends_registration: false }, about)).toHaveLength(2)
  })

  it('links to the privacy notice, with its address escaped', () => {
    const lines = linesOf({}, { privacyNotice: 'https://shop.example/p?a="&b' })
    expect(lines).toContain(
      '<a href="https://shop.example/p?a=&quot;&amp;b" target="_blank" rel="noopener">Privacy notice of Shop</a>',
    )
  })

  it('does not say on the page of a login what the relying party gets, because the client gets the values', () => {
    const login = { client: 'Club', redirect_uri: 'https://club.example/cb' }
    const lines = linesOf({
      login,
      return_addresses: { verified: 'https://verifier.example/finish' },
      keeps_values: true,
    })
    expect(lines).toEqual([expect.stringContaining('stores the values only in encrypted form')])
  })
})

describe('what the page shows of the settings', () => {
  const settingsWith = (members: object) => ({ verifier: null, ...members }) as never

  it('includes the privacy notice of the relying party, or else its privacy notice for Google Wallet', () => {
    const google_wallet = { logo_uri: 'https://a.example/l', privacy_policy_uri: 'https://a.example/google' }
    const own = 'https://a.example/own'
    const noticeOf = (members: object) => aboutSettings(settingsWith(members), NOW).privacyNotice
    expect(noticeOf({})).toBeNull()
    expect(noticeOf({ google_wallet })).toBe('https://a.example/google')
    expect(noticeOf({ google_wallet: { rp_metadata_bytes: 'o2' } })).toBeNull()
    expect(noticeOf({ google_wallet, privacy_policy_uri: own })).toBe(own)
  })

  it('includes the number of days for which the relying party stores values', () => {
    const daysOf = (members: object) => aboutSettings(settingsWith(members), NOW).retentionDays
    expect([daysOf({}), daysOf({ values_retention_days: 30 })]).toEqual([null, 30])
  })

  it('includes the registered identifier only if the registration certificate is valid for the verifier', async () => {
    const keys = await mintKeys('P-256')
    const { pem } = await mintCertificate({ subject: 'CN=Shop,2.5.4.97=NTRNL-1', keys })
    const exp = NOW / 1000 + 60
    const identifierOf = async (claims: object, now = NOW, use?: string) => {
      const certificate = await new SignJWT({ exp, credentials: [], ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt' })
        .sign(keys.privateKey)
      const registration = { certificate, dataset: '{}', encoding: 'compact' }
      const uses = [{ intended_use: 'wine', ...registration }]
      const verifier = { certificate_chain_pem: pem, ...(use ? { uses } : { registration }) }
      return aboutSettings(settingsWith({ verifier }), now, use).registeredAs
    }
    expect(await identifierOf({ sub: 'NTRNL-1' })).toBe('NTRNL-1')
    expect(await identifierOf({ sub: 'NTRNL-2' })).toBeNull()
    expect(await identifierOf({ sub: 'NTRNL-1' }, exp * 1000)).toBeNull()
    const without = settingsWith({ verifier: { certificate_chain_pem: pem } })
    expect(aboutSettings(without, NOW).registeredAs).toBeNull()
    expect(await identifierOf({ sub: 'NTRNL-1' }, NOW, 'wine')).toBe('NTRNL-1')
    expect(await identifierOf({ sub: 'NTRNL-1' }, NOW, 'beer')).toBeNull()
  })
})
