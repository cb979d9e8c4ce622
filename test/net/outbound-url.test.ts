import { describe, expect, it } from 'vitest'
import { checkOutboundUrl, type UrlRule } from '../../src/net/outbound-url.ts'

const PRODUCTION: UrlRule = { allowLoopback: false, ownHost: 'verify.example.org' }
const LOCAL = { allowLoopback: true, ownHost: '127.0.0.1:8787' }

const fault = (text: string, rule = PRODUCTION) => {
  const checked = checkOutboundUrl(text, rule)
  return checked.ok ? 'accepted' : checked.error
}

describe('a public https URL', () => {
  it.each([
    ['https://hooks.acme.com/verified', 'https://hooks.acme.com/verified'],
    ['https://acme.com', 'https://acme.com/'],
    ['HTTPS://Hooks.ACME.com/Path?x=1&y=%20', 'https://hooks.acme.com/Path?x=1&y=%20'],
    ['https://hooks.acme.com:443/a', 'https://hooks.acme.com/a'],
    ['https://xn--bcher-kva.de/', 'https://xn--bcher-kva.de/'],
    ['https://a-1.b2.co.uk/', 'https://a-1.b2.co.uk/'],
    ['https://1.2.3.4.acme.com/', 'https://1.2.3.4.acme.com/'],
    ['https://localhost.acme.com/', 'https://localhost.acme.com/'],
    ['https://mylocal.com/', 'https://mylocal.com/'],
    ['https://thetest.dev/', 'https://thetest.dev/'],
    ['https://acmets.net/', 'https://acmets.net/'],
    ['https://sub.verify.example.org/', 'https://sub.verify.example.org/'],
    ['https://acme.com/a?next=https://user@127.0.0.1/', 'https://acme.com/a?next=https://user@127.0.0.1/'],
  ])('is accepted: %s', (text, href) => {
    expect(checkOutboundUrl(text, PRODUCTION)).toEqual({ ok: true, value: href })
  })

  it('is accepted with 2,048 characters, and rejected with 2,049 characters', () => {
    const longest = `https://acme.com/${'a'.repeat(2048 - 17)}`
    expect(fault(longest)).toBe('accepted')
    expect(fault(`${longest}a`)).toBe('too_long')
  })
})

describe('a public http URL on port 80', () => {
  const SIGNED = { ...PRODUCTION, allowHttp: true }

  it.each([
    ['http://crl.acme.com/1.crl', 'http://crl.acme.com/1.crl'],
    ['http://crl.acme.com:80/1.crl', 'http://crl.acme.com/1.crl'],
    ['https://crl.acme.com/1.crl', 'https://crl.acme.com/1.crl'],
  ])('is accepted for a signed resource that anyone may read: %s', (text, href) => {
    expect(checkOutboundUrl(text, SIGNED)).toEqual({ ok: true, value: href })
    expect(fault(text, { ...SIGNED, allowHttp: false })).toBe(
      text.startsWith('http:') ? 'not_https' : 'accepted',
    )
  })

  it.each([
    ['http://crl.acme.com:443/', 'port'],
    ['http://crl.acme.com:8080/', 'port'],
    ['ldap://crl.acme.com/', 'not_https'],
    ['ftp://crl.acme.com/', 'not_https'],
    ['http://user@crl.acme.com/', 'userinfo'],
    ['http://127.0.0.1/', 'ip_literal'],
    ['http://0x7f.1/', 'ip_literal'],
    ['http://[::1]/', 'ip_literal'],
    ['http://169.254.169.254/latest/meta-data/', 'ip_literal'],
    ['http://localhost/', 'not_public_name'],
    ['http://crl.internal/', 'not_public_name'],
    ['http://metadata.goog/', 'not_public_name'],
    ['http://verify.example.org/', 'own_host'],
  ])('is rejected if it breaks another rule: %s is rejected as %s', (text, reason) => {
    expect(fault(text, SIGNED)).toBe(reason)
  })
})

describe('a URL is rejected', () => {
  it.each([
    ['http://acme.com/', 'not_https'],
    ['ftp://acme.com/', 'not_https'],
    ['wss://acme.com/', 'not_https'],
    ['file:///etc/passwd', 'not_https'],
    ['data:text/plain,hi', 'not_https'],
    ['javascript:alert(1)', 'not_https'],
    ['blob:https://acme.com/1', 'not_https'],
    ['https://acme.com:8443/', 'port'],
    ['https://acme.com:80/', 'port'],
    ['https://acme.com:0/', 'port'],
    ['https://user@acme.com/', 'userinfo'],
    ['https://user:secret@acme.com/', 'userinfo'],
    ['https://:@acme.com/', 'userinfo'],
    ['https://@acme.com/', 'userinfo'],
    ['https://acme.com@127.0.0.1/', 'userinfo'],
    ['https://acme.com/#part', 'fragment'],
    ['https://acme.com/#', 'fragment'],
    ['https://verify.example.org/', 'own_host'],
    ['https://VERIFY.example.org:443/hook', 'own_host'],
  ])('because of its scheme, port, userinfo, fragment or host: %s is rejected as %s', (text, reason) => {
    expect(fault(text)).toBe(reason)
  })

  it.each([
    '',
    'acme.com',
    '//acme.com/',
    '/hook',
    'https:',
    'https://',
    'https:acme.com',
    'https:/acme.com/',
    'https:///acme.com/',
    'https:\\\\acme.com\\',
    'https://acme.com\\@127.0.0.1/',
    ' https://acme.com/',
    'https://acme.com/ ',
    'https://acme.com/a b',
    'https://ac\tme.com/',
    'https://acme.com/\n',
    'https://acme.com/\u0000',
    'https://bücher.de/',
    'https://１２７.0.0.1/',
    'https://acme。com/',
    'https://ac%6de.com/',
    'https://acme.com%2f.evil.com/',
    'https://acme.com:99999/',
    'https://acme.com:4x/',
    'https://256.256.256.256/',
    'https://1.2.3.4.5/',
    'https://[::1/',
    'https://[fe80::1%25eth0]/',
  ])('if it is not a well-formed URL: %j', (text) => {
    expect(fault(text)).toBe('malformed')
  })

  it.each([
    'https://127.0.0.1/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://8.8.8.8/',
    'https://0.0.0.0/',
    'https://255.255.255.255/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.1/',
    'https://127.0.1/',
    'https://0/',
    'https://0x/',
    'https://127.0.0.1./',
    'https://0xA9FEA9FE/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00:ec2::254]/',
    'https://[2606:4700:4700::1111]/',
    'https://%31%32%37.0.0.1/',
  ])('if its host is an address in any notation: %s', (text) => {
    expect(fault(text)).toBe('ip_literal')
  })

  it.each([
    'localhost',
    'foo.localhost',
    'intranet',
    'kubernetes',
    'com',
    'printer.local',
    'vault.internal',
    'metadata.google.internal',
    'host.docker.internal',
    'instance-data.ec2.internal',
    'metadata.goog',
    'service.metadata.goog',
    'acme.test',
    'acme.example',
    'acme.invalid',
    'abc.onion',
    'acme.alt',
    'router.home.arpa',
    '1.0.0.127.in-addr.arpa',
    'nas.lan',
    'nas.home',
    'mail.corp',
    'relay.mail',
    'wiki.intranet',
    'db.private',
    'box.localdomain',
    'api.default.svc',
    'api.default.svc.cluster.local',
    'web.service.consul',
    'fritz.box',
    'nas.fritz.box',
    'machine.tailnet.ts.net',
    'LOCALHOST',
    'Vault.INTERNAL',
  ])('if its host name is private or reserved: %s', (name) => {
    expect(fault(`https://${name}/`)).toBe('not_public_name')
  })

  it.each([
    'acme.com.',
    'localhost.',
    'acme..com',
    '.acme.com',
    'a_b.acme.com',
    '-a.acme.com',
    'a-.acme.com',
    `${'a'.repeat(64)}.com`,
    `${'a23456789.'.repeat(26)}com`,
    'acme!.com',
    "ac'me.com",
    '*.acme.com',
  ])('if its host name is not valid: %s', (name) => {
    expect(fault(`https://${name}/`)).toBe('not_public_name')
  })
})

describe('a loopback address', () => {
  it.each([
    'http://127.0.0.1:9000/hook',
    'http://localhost:9000/hook',
    'http://127.0.0.1/',
    'http://localhost:443/',
  ])('is accepted only if the rule allows loopback: %s', (text) => {
    expect(fault(text, LOCAL)).toBe('accepted')
    expect(fault(text)).toBe('not_https')
  })

  it.each([
    ['http://acme.com/', 'not_https'],
    ['http://10.0.0.1:9000/', 'not_https'],
    ['http://127.0.0.2:9000/', 'not_https'],
    ['http://0.0.0.0:9000/', 'not_https'],
    ['http://[::1]:9000/', 'not_https'],
    ['http://foo.localhost:9000/', 'not_https'],
    ['http://localhost.:9000/', 'not_https'],
    ['https://localhost:9000/', 'port'],
    ['https://localhost/', 'not_public_name'],
    ['https://127.0.0.1/', 'ip_literal'],
    ['http://127.1:9000/', 'malformed'],
    ['http://2130706433:9000/', 'malformed'],
    ['http://user@127.0.0.1:9000/', 'userinfo'],
    ['http://127.0.0.1:9000/#a', 'fragment'],
    ['http://127.0.0.1:8787/', 'own_host'],
    ['http://localhost:8787/', 'own_host'],
  ])('is rejected, like a similar URL, if it breaks another rule: %s is rejected as %s', (text, reason) => {
    expect(fault(text, LOCAL)).toBe(reason)
  })

  it('is rejected if it has the port of this service, even if that is the default port', () => {
    const rule = { allowLoopback: true, ownHost: 'localhost' }
    expect(fault('http://127.0.0.1/', rule)).toBe('own_host')
    expect(fault('http://127.0.0.1:8787/', rule)).toBe('accepted')
  })

  it('is rejected if it has the port on which this process listens behind a proxy', () => {
    const rule = { allowLoopback: true, ownHost: 'verify.example.org', ownPort: '8787' }
    expect(fault('http://127.0.0.1:8787/', rule)).toBe('own_host')
    expect(fault('http://localhost:8787/', rule)).toBe('own_host')
    expect(fault('http://127.0.0.1:8788/', rule)).toBe('accepted')
    expect(fault('http://localhost/', { ...rule, ownPort: '80' })).toBe('own_host')
  })

  it('is accepted if it has the port of this service but the base URL of this service is not on loopback', () => {
    expect(fault('http://127.0.0.1:8443/', { allowLoopback: true, ownHost: 'verify.example.org:8443' })).toBe(
      'accepted',
    )
  })
})

it('a URL with the host name of this service on port 443 is rejected, even if the process listens on another port', () => {
  expect(
    fault('https://verify.example.org/', { allowLoopback: false, ownHost: 'verify.example.org:8443' }),
  ).toBe('own_host')
})
