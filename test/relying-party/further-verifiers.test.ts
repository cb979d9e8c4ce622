// `verifier.further`: validated when it is set, sealed like `verifier`, and offered while its certificates
// are valid.

import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { openSettings, readDocument, toView } from '../../src/relying-party/document/document.ts'
import { openSealer } from '../../src/relying-party/document/sealer.ts'
import type { Settings } from '../../src/relying-party/document/settings.ts'
import { creationSchema, patchSchema } from '../../src/relying-party/settings/settings-schema.ts'
import { googleWalletWarnings } from '../../src/relying-party/verifier/google-wallet-warnings.ts'
import { googleIdentity, verifierIdentity } from '../../src/relying-party/verifier/verifier-identity.ts'
import { lackingRequirements } from '../../src/relying-party/verifier/wallet-requirements.ts'
import { mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { TEST_ENVIRONMENT } from '../support/service/environment.ts'
import { identityOf } from '../support/wallets/good-request.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const RULES = { now: NOW, baseUrl: 'https://verifier.example', allowLoopback: false, trustLists: [] }
const CONFIG = loadConfig(TEST_ENVIRONMENT as never)
const HOUR = 3_600_000

const root = await mintRoot()
const [first, second, third, fourth, fifth] = await Promise.all([1, 2, 3, 4, 5].map(() => mintLeaf(root)))
const soon = await mintLeaf(root, { notAfter: new Date(NOW + HOUR) })
const OWN = identityOf(first!)
const [APPLE, GOOGLE, OTHER, FIFTH] = [second!, third!, fourth!, fifth!].map(identityOf)
const DISPLAY = { logo_uri: 'https://shop.example/logo.png', privacy_policy_uri: 'https://shop.example/p' }

async function parse(verifier: object, others: object = {}) {
  const parsed = await creationSchema(RULES).safeParseAsync({ name: 'Shop', verifier, ...others })
  const errors = parsed.error?.issues.map(({ path, message }) => `/${path.join('/')} ${message}`) ?? []
  return { errors, settings: parsed.data }
}

const further = (...list: readonly unknown[]) => ({ ...OWN, further: list })
const settingsWith = async (verifier: object, others: object = {}) =>
  ({
    ...(await parse(verifier, others)).settings,
    relying_party_id: `rp_${'0'.repeat(32)}`,
    api_keys: [],
  }) as unknown as Settings
const GOOD = further(APPLE, { ...GOOGLE, google_wallet: DISPLAY })

describe('verifier.further', () => {
  it('is stored separately from verifier, in the order of the request body', async () => {
    const { errors, settings } = await parse(GOOD)
    expect(errors).toEqual([])
    expect(settings?.verifier).toEqual(OWN)
    expect(settings?.further_verifiers).toEqual([APPLE, { ...GOOGLE, google_wallet: DISPLAY }])
    expect((await parse(OWN)).settings?.further_verifiers).toEqual([])
  })

  it.each<readonly [name: string, verifier: object, error: string]>([
    ['four entries', further(APPLE, GOOGLE, OTHER, FIFTH), '/verifier/further '],
    ['no own identity', { further: [APPLE] }, '/verifier/signing_jwk This member is required.'],
    [
      'the certificate of verifier',
      further(OWN),
      '/verifier/further/0/certificate_chain_pem must begin with another certificate',
    ],
    [
      'one certificate twice',
      further(APPLE, APPLE),
      '/verifier/further/1/certificate_chain_pem must begin with another certificate',
    ],
    [
      'the key of another certificate',
      further({ ...APPLE, signing_jwk: OWN.signing_jwk }),
      '/verifier/further/0/certificate_chain_pem must begin with the certificate of signing_jwk',
    ],
    [
      'a root in the chain',
      further({ ...APPLE, certificate_chain_pem: second!.pem + root.pem }),
      '/verifier/further/0/certificate_chain_pem must not contain a self-signed certificate',
    ],
    [
      'the member root_certificate_pem',
      further({ ...APPLE, root_certificate_pem: root.pem }),
      '/verifier/further/0 ',
    ],
    [
      'a registration that is no certificate',
      further({ ...APPLE, registration: { certificate: 'a.b.c', dataset: { a: 1 } } }),
      '/verifier/further/0/registration/certificate ',
    ],
    [
      'metadata for Google Wallet in two entries',
      further({ ...APPLE, google_wallet: DISPLAY }, { ...GOOGLE, google_wallet: DISPLAY }),
      '/verifier/further/1/google_wallet must be in one entry only',
    ],
  ])('is refused with %s, and a good list is then accepted', async (_, verifier, error) => {
    expect((await parse(verifier)).errors[0]).toContain(error)
    expect((await parse(GOOD)).errors).toEqual([])
  })

  it('is refused with an expired certificate', async () => {
    const old = await mintLeaf(root, { notAfter: new Date(NOW - 1000) })
    const [error] = (await parse(further(identityOf(old)))).errors
    expect(error).toContain('/verifier/further/0/certificate_chain_pem must contain only certificates')
  })

  it('may not contain google_wallet if the settings also have google_wallet, in whichever order the two are set', async () => {
    const google_wallet = { ...DISPLAY, display_name: 'Shop' }
    const at = '/verifier/further/1/google_wallet must not be beside google_wallet of the settings'
    expect((await parse(GOOD, { google_wallet })).errors).toEqual([at])
    const patch = async (body: object, current: object) => {
      const parsed = await patchSchema(RULES, { livemode: false, ...current }).safeParseAsync(body)
      return parsed.error?.issues.map(({ path, message }) => `/${path.join('/')} ${message}`) ?? []
    }
    expect(await patch({ verifier: GOOD }, { google_wallet })).toEqual([at])
    expect(await patch({ google_wallet }, { further_verifiers: [{ google_wallet: DISPLAY }] })).toEqual([
      '/google_wallet must not be beside google_wallet in verifier.further',
    ])
    expect(await patch({ verifier: GOOD, google_wallet: null }, { google_wallet })).toEqual([])
    expect(await patch({ google_wallet }, { further_verifiers: [{}] })).toEqual([])
  })
})

describe('the stored document', () => {
  it('contains the keys of further identities in sealed form; the keys are in the opened settings, but not in the view', async () => {
    const sealer = openSealer(TEST_ENVIRONMENT as never, 'rp_1')
    const { settings } = await parse(GOOD)
    const key = { key_id: 'k', hash: 'h', scopes: [], created_at: NOW, expires_at: null }
    const { document } = await sealer.newDocument(settings!, NOW, key)
    const stored = structuredClone(document)
    expect(JSON.stringify(stored)).not.toContain(GOOGLE!.signing_jwk.d)
    const read = readDocument(stored)!
    const opened = await openSettings(read, await sealer.key(), NOW)
    expect(opened.further_verifiers).toEqual([APPLE, { ...GOOGLE, google_wallet: DISPLAY }])
    const view = toView(read, new Map())
    expect(view.further_verifiers).toEqual([
      { certificate_chain_pem: second!.pem },
      { certificate_chain_pem: third!.pem, google_wallet: DISPLAY },
    ])
    const { further_verifiers: _, ...older } = read
    expect((await openSettings(older, await sealer.key(), NOW)).further_verifiers).toEqual([])
    const removed = (await sealer.sealPatch({ verifier: null, further_verifiers: [] }))(read)
    expect(toView(removed, new Map()).further_verifiers).toEqual([])
  })
})

describe('the identity of a session', () => {
  const identityAt = async (settings: Settings, now: number) => {
    const request = { prefix: 'x509_hash', now: now / 1000, expiresAt: now / 1000 + 600 } as const
    const found = await verifierIdentity(CONFIG, settings, request)
    return found.ok ? found.value : null
  }

  it('has the further identities, each with its own Client Identifier', async () => {
    const identity = await identityAt(await settingsWith(GOOD), NOW)
    const ids = [identity?.clientId, ...(identity?.further ?? []).map(({ clientId }) => clientId)]
    expect(new Set(ids).size).toBe(3)
    expect(identity?.googleMetadata).toBeUndefined()
    expect(identity?.further?.map(({ googleMetadata }) => typeof googleMetadata)).toEqual([
      'undefined',
      'string',
    ])
  })

  it('leaves out a further identity whose certificate has expired, and keeps the other identities', async () => {
    const settings = await settingsWith(further(identityOf(soon), APPLE))
    expect((await identityAt(settings, NOW))?.further).toHaveLength(2)
    expect((await identityAt(settings, NOW + 2 * HOUR))?.further).toHaveLength(1)
    const alone = await settingsWith(further(identityOf(soon)))
    expect(await identityAt(alone, NOW + 2 * HOUR)).not.toHaveProperty('further')
  })
})

describe('Google Wallet', () => {
  const service = { googleAggregator: null, verifier: { certificateChainPem: '' } }
  const world = { baseUrl: 'https://verifier.example', googleAggregator: null, chain: '', now: NOW / 1000 }

  it('a further identity with metadata meets the requirement of Google Wallet, and signs the requests for this wallet', async () => {
    const settings = await settingsWith(GOOD)
    expect(await lackingRequirements(settings, world)).not.toContain('google_wallet')
    const identity = await googleIdentity(CONFIG, settings, { now: NOW / 1000 })
    expect(identity?.proof).toEqual({ x5c: [third!.x5c] })
    expect(identity?.googleMetadata).toMatch(/^2Bh/)
    const without = await settingsWith(further(APPLE, GOOGLE))
    expect(await lackingRequirements(without, world)).toContain('google_wallet')
    expect(await googleIdentity(CONFIG, without, { now: NOW / 1000 })).toBeUndefined()
  })

  it('gets the registration for the intended use of the session, or no registration if there is none for this use', async () => {
    const settings = await settingsWith(GOOD)
    const uses = [{ intended_use: 'wine', certificate: 'a.b.c', dataset: '{}', encoding: 'compact' as const }]
    const further_verifiers = settings.further_verifiers!.map((one) => ({ ...one, uses }))
    const infoFor = async (use?: string) =>
      (await googleIdentity(CONFIG, { ...settings, further_verifiers }, { now: NOW / 1000, use }))
        ?.verifierInfo
    expect(await infoFor('wine')).toMatchObject([{}, { format: 'registration_cert', data: 'a.b.c' }])
    expect(await infoFor('beer')).toBeUndefined()
    expect(await infoFor()).toBeUndefined()
  })

  it('the warning about Google Wallet names the further identity whose metadata is missing, or differs from its certificate', async () => {
    const value = Buffer.from(`0420${'00'.repeat(32)}`, 'hex')
    const certified = await mintLeaf(root, {
      extensions: [{ oid: '1.3.6.1.4.1.11129.10.1', critical: false, value }],
    })
    const warningsFor = async (google_wallet?: object) => {
      const entry = { ...identityOf(certified), ...(google_wallet && { google_wallet }) }
      return googleWalletWarnings(service, (await settingsWith(further(APPLE, entry))) as never)
    }
    const pointer = '/verifier/further/1/google_wallet'
    expect(await warningsFor(DISPLAY)).toEqual([{ code: 'google_metadata_mismatch', pointer }])
    expect(await warningsFor()).toEqual([{ code: 'google_metadata_missing', pointer }])
    const good = await settingsWith(GOOD)
    expect(await googleWalletWarnings(service, good as never)).toEqual([])
  })
})
