import { describe, expect, it } from 'vitest'
import { readWranglerToml, workerdConfig } from '../../scripts/service/workerd-config.mjs'

const OPTIONS = {
  wrangler: {
    compatibilityDate: '2026-10-01',
    compatibilityFlags: ['global_fetch_strictly_public'],
    objects: [{ binding: 'DIRECTORY', className: 'Directory' }],
  },
  background: {
    wrangler: { compatibilityDate: '2026-10-01', compatibilityFlags: [], objects: [] },
  },
  sandbox: {
    wrangler: {
      compatibilityDate: '2026-10-01',
      compatibilityFlags: ['global_fetch_strictly_public'],
      objects: [],
    },
    variables: ['BASE_URL'],
    assetsPath: '/state/assets/sandbox',
  },
  shop: {
    wrangler: {
      compatibilityDate: '2026-10-01',
      compatibilityFlags: ['global_fetch_strictly_public'],
      objects: [{ binding: 'SHOP_VISIT', className: 'ShopVisit' }],
    },
    variables: ['DEMO_API_KEY'],
    webhookAddress: null,
    assetsPath: '/state/shop-assets',
  },
  uniqueKeys: { Directory: 'f00d', ShopVisit: 'cafe' },
  variables: ['SERVER_SECRET'],
  addresses: ['127.0.0.1:8787'],
  control: '/state/control.sock',
  tls: null,
  objectsPath: '/state/objects',
  assetsPath: '/state/assets',
  allowLoopback: false,
}

describe('workerdConfig', () => {
  it('allows public addresses only, unless loopback is allowed', () => {
    expect(allowed(OPTIONS)).toBe('allow = ["public"]')
    expect(allowed({ ...OPTIONS, allowLoopback: true })).toBe('allow = ["public", "127.0.0.0/8", "::1/128"]')
  })

  it('trusts in outgoing connections only the certificate authorities that browsers trust', () => {
    expect(workerdConfig(OPTIONS).match(/tlsOptions = \([^)]*\)/g)).toEqual([
      'tlsOptions = (trustBrowserCas = true)',
    ])
  })

  it.each([
    ['NAT64 (RFC 6052)', '64:ff9b::/96'],
    ['local NAT64 (RFC 8215)', '64:ff9b:1::/48'],
    ['6to4 (RFC 3056)', '2002::/16'],
    ['site-local addresses (RFC 3879)', 'fec0::/10'],
    ['benchmarks (RFC 2544)', '198.18.0.0/15'],
  ])('denies %s, which workerd’s "public" would allow', (_, block) => {
    const denied = workerdConfig(OPTIONS).match(/deny = \[([^\]]*)\]/)?.[1]
    expect(denied?.split(', ')).toContain(`"${block}"`)
  })

  it('opens the entry for control commands only on a Unix socket', () => {
    const sockets =
      workerdConfig(OPTIONS)
        .match(/\(name = "\w+", address = [^\n]*/g)
        ?.join('') ?? ''
    expect(sockets.match(/entrypoint = "control"/g)).toHaveLength(1)
    expect(sockets).toContain(
      '(name = "control", address = "unix:/state/control.sock", service = (name = "verifier", entrypoint = "control"), http = ())',
    )
  })

  it.each(['sandbox', 'demo-shop'])('lets the %s reach only the verifier', (name) => {
    const config = workerdConfig({ ...OPTIONS, allowLoopback: true })
    const worker = config.match(new RegExp(`\\(name = "${name}", worker[\\s\\S]*?\\)\\),`))?.[0]
    expect(worker).toContain('(name = "VERIFIER", service = "verifier")')
    expect(worker).toContain('globalOutbound = "nowhere"')
    expect(workerdConfig(OPTIONS)).toContain('(name = "nowhere", network = (allow = []))')
  })

  it('lets the Worker for background work reach nothing, and gives it no variable', () => {
    const config = workerdConfig({ ...OPTIONS, allowLoopback: true })
    const worker = config.match(/\(name = "background", worker[\s\S]*?\)\),/)?.[0]
    expect(worker).toContain('globalOutbound = "nowhere"')
    expect(worker).not.toContain('bindings')
    expect(config.match(/service = \(?(name = )?"background"[^)]*\)/g)).toEqual([
      'service = (name = "background", entrypoint = "BackgroundWork")',
    ])
  })

  it('reads each variable from the environment, so that its value is in no file', () => {
    expect(workerdConfig(OPTIONS)).toContain('(name = "SERVER_SECRET", fromEnvironment = "SERVER_SECRET")')
  })

  it('uses TLS if a certificate is given', () => {
    const config = workerdConfig({ ...OPTIONS, tls: { certificate: '../tls.crt', key: '../tls.key' } })
    expect(config).toContain('privateKey = embed "../tls.key", certificateChain = embed "../tls.crt"')
    expect(config).not.toContain('service = "verifier", http = ()')
  })

  it('escapes a quotation mark in a path', () => {
    expect(workerdConfig({ ...OPTIONS, objectsPath: '/a"b' })).toContain('path = "/a\\"b"')
  })
})

describe('readWranglerToml', () => {
  it('returns the compatibility date, the flags and every object class of wrangler.toml', () => {
    const { compatibilityDate, compatibilityFlags, objects } = readWranglerToml()
    expect(compatibilityDate).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(compatibilityFlags).toContain('global_fetch_strictly_public')
    expect(objects).toEqual([
      { binding: 'VERIFICATION_SESSION', className: 'VerificationSession' },
      { binding: 'RELYING_PARTY', className: 'RelyingParty' },
      { binding: 'DIRECTORY', className: 'Directory' },
      { binding: 'EVENT_LOG', className: 'EventLog' },
      { binding: 'TRUST_LIST', className: 'TrustList' },
      { binding: 'VERIFICATION_INDEX', className: 'VerificationIndex' },
      { binding: 'EVIDENCE_MATERIALS', className: 'EvidenceMaterials' },
      { binding: 'EVIDENCE_SESSIONS', className: 'EvidenceSessions' },
    ])
  })
})

function allowed(options: typeof OPTIONS) {
  return workerdConfig(options).match(/allow = \[[^\]]*\]/)?.[0]
}
