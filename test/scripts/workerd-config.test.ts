import { describe, expect, it } from 'vitest'
import { readWranglerToml, workerdConfig } from '../../scripts/service/workerd-config.mjs'

const OPTIONS = {
  wrangler: {
    compatibilityDate: '2026-10-01',
    compatibilityFlags: ['global_fetch_strictly_public'],
    objects: [{ binding: 'DIRECTORY', className: 'Directory' }],
  },
  sandbox: {
    compatibilityDate: '2026-10-01',
    compatibilityFlags: ['global_fetch_strictly_public'],
    objects: [{ binding: 'SHOP_VISIT', className: 'ShopVisit' }],
  },
  uniqueKeys: { Directory: 'f00d', ShopVisit: 'cafe' },
  variables: ['SERVER_SECRET'],
  sandboxVariables: ['DEMO_API_KEY'],
  shopAddress: null,
  addresses: ['127.0.0.1:8787'],
  tls: null,
  objectsPath: '/state/objects',
  assetsPath: '/state/assets',
  allowLoopback: false,
}

describe('workerdConfig', () => {
  it('reaches public addresses only, NAT64 excluded, unless loopback is allowed', () => {
    expect(allowed(OPTIONS)).toBe('allow = ["public"]')
    expect(allowed({ ...OPTIONS, allowLoopback: true })).toBe('allow = ["public", "127.0.0.0/8", "::1/128"]')
    expect(workerdConfig(OPTIONS)).toContain('deny = ["64:ff9b::/96"]')
  })

  it('gives the sandbox the verifier and nothing else to reach', () => {
    const sandbox = workerdConfig({ ...OPTIONS, allowLoopback: true }).match(
      /\(name = "sandbox", worker[\s\S]*?\)\),/,
    )?.[0]
    expect(sandbox).toContain('(name = "VERIFIER", service = "verifier")')
    expect(sandbox).toContain('globalOutbound = "nowhere"')
    expect(workerdConfig(OPTIONS)).toContain('(name = "nowhere", network = (allow = []))')
  })

  it('takes a variable from the environment, so that its value is in no file', () => {
    expect(workerdConfig(OPTIONS)).toContain('(name = "SERVER_SECRET", fromEnvironment = "SERVER_SECRET")')
  })

  it('speaks TLS where a certificate is given', () => {
    const config = workerdConfig({ ...OPTIONS, tls: { certificate: '../tls.crt', key: '../tls.key' } })
    expect(config).toContain('privateKey = embed "../tls.key", certificateChain = embed "../tls.crt"')
    expect(config).not.toContain('http = ()')
  })

  it('escapes a path that holds a quote', () => {
    expect(workerdConfig({ ...OPTIONS, objectsPath: '/a"b' })).toContain('path = "/a\\"b"')
  })
})

describe('readWranglerToml', () => {
  it('finds the date, the flags and every object class of wrangler.toml', () => {
    const { compatibilityDate, compatibilityFlags, objects } = readWranglerToml()
    expect(compatibilityDate).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(compatibilityFlags).toContain('global_fetch_strictly_public')
    expect(objects).toEqual([
      { binding: 'VERIFICATION_SESSION', className: 'VerificationSession' },
      { binding: 'RELYING_PARTY', className: 'RelyingParty' },
      { binding: 'DIRECTORY', className: 'Directory' },
      { binding: 'EVENT_LOG', className: 'EventLog' },
      { binding: 'TRUST_LIST', className: 'TrustList' },
    ])
  })
})

function allowed(options: typeof OPTIONS) {
  return workerdConfig(options).match(/allow = \[[^\]]*\]/)?.[0]
}
