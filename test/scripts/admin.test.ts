import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseCall } from '../../scripts/admin/call.mjs'
import { COMMANDS } from '../../scripts/admin/commands.mjs'
import { helpFor, overview } from '../../scripts/admin/help.mjs'
import { json, plainLine, readable, readableProblem } from '../../scripts/admin/print.mjs'
import { findService } from '../../scripts/admin/service.mjs'
import { ACCESS } from '../../src/routes/edge/access.ts'

const FILES: Readonly<Record<string, string>> = {
  '-': '{"name":"Shop","webhook":{"url":"https://hooks.shop.org/a","events":["verification.verified"]}}',
  'anchors.json': '[{"name":"a"}]',
  'chain.pem': '-----BEGIN CERTIFICATE-----\n',
  'list.json': '[]',
}
/** Parses arguments to a call, a help text or an error. */
const parse = (...args: string[]): Readonly<Record<string, unknown>> =>
  parseCall(args, (path: string) => FILES[path] ?? '{')

/** Returns a route without the names of its parameters. */
const nameless = (route: string) => route.replace(/\{\w+\}|:\w+/g, '*')

describe('the commands', () => {
  it('include one command for each route of the operator', () => {
    const routes = Object.keys(ACCESS).filter((route) => route.includes(' /v1/admin/'))
    const called = Object.values(COMMANDS).map(({ route }) => nameless(route.replace(' /', ' /v1/admin/')))
    expect(called.sort()).toEqual(routes.map(nameless).sort())
  })

  it('are all in the overview, and each flag is in the help of its command', () => {
    for (const [name, command] of Object.entries(COMMANDS)) {
      expect(overview()).toContain(name)
      const help = helpFor(name)
      for (const flag of Object.keys('flags' in command ? command.flags : {}))
        expect(help).toContain(`--${flag} `)
    }
  })
})

describe('parseCall', () => {
  it('sets the member of each flag, at the right place and with the right type', () => {
    const call = parse(
      ...[
        'relying-parties',
        'create',
        '--name',
        'Shop',
        '--livemode',
        'true',
        '--webhook-url',
        'https://h.shop.org',
      ],
      ...['--return-urls', 'https://shop.org/a,https://shop.org/b', '--retention-seconds', '7200'],
      ...['--trust-anchors', 'anchors.json', '--verifier-chain', 'chain.pem'],
    )
    expect(call).toEqual({
      command: 'relying-parties create',
      method: 'POST',
      path: '/relying_parties',
      query: {},
      body: {
        name: 'Shop',
        livemode: true,
        webhook: { url: 'https://h.shop.org' },
        return_urls: ['https://shop.org/a', 'https://shop.org/b'],
        retention_seconds: 7200,
        trust_anchors: [{ name: 'a' }],
        verifier: { certificate_chain_pem: '-----BEGIN CERTIFICATE-----\n' },
      },
      jsonOutput: false,
    })
  })

  it('replaces members of --json by the values of flags', () => {
    const { body } = parse(
      'relying-parties',
      'update',
      'rp_x',
      '--json',
      '-',
      '--webhook-url',
      'https://hooks.shop.org/b',
    )
    expect(body).toEqual({
      name: 'Shop',
      webhook: { url: 'https://hooks.shop.org/b', events: ['verification.verified'] },
    })
  })

  it('escapes names in the path, and puts page parameters into the query', () => {
    expect(parse('api-keys', 'revoke', 'rp_x', 'a/b?c').path).toBe('/relying_parties/rp_x/api_keys/a%2Fb%3Fc')
    expect(parse('relying-parties', 'list', '--limit', '2').query).toEqual({ limit: '2' })
    expect(parse('relying-parties', 'list').body).toBeUndefined()
  })

  it.each([
    ['no arguments', [], { help: '' }],
    ['--help', ['--help'], { help: '' }],
    ['--help of a command', ['webhook', 'test', '--help'], { help: 'webhook test' }],
  ])('shows help for %s', (_, args, expected) => {
    expect(parse(...args)).toEqual(expected)
  })

  it.each([
    ['an unknown command', ['relying-party', 'make']],
    ['an unknown flag', ['relying-parties', 'create', '--nmae', 'Shop']],
    ['a flag without a value', ['relying-parties', 'create', '--name']],
    ['a missing name', ['relying-parties', 'show']],
    ['an extra name', ['trust-lists', 'list', 'pid']],
    ['a flag that is neither true nor false', ['relying-parties', 'create', '--livemode', 'yes']],
    ['a value that is not a number', ['relying-parties', 'create', '--retention-seconds', '2h']],
    ['a file that is not JSON', ['relying-parties', 'create', '--json', 'nowhere.json']],
    ['JSON that is not an object', ['relying-parties', 'create', '--json', 'list.json']],
    ['a command that cannot be undone, without --yes', ['trust-lists', 'delete', 'pid']],
  ])('returns an error and no request for %s', (_, args) => {
    const call = parse(...args)
    expect(call.error).toEqual(expect.any(String))
    expect(call.method).toBeUndefined()
  })

  it('accepts --yes for a command that cannot be undone', () => {
    expect(parse('trust-lists', 'delete', 'pid', '--yes')).toMatchObject({
      method: 'DELETE',
      path: '/trust_lists/pid',
    })
  })
})

describe('findService', () => {
  const ADMIN_TOKEN = 'a'.repeat(32)
  it('returns the service that the environment names', () => {
    const BASE_URL = 'https://verifier.example'
    expect(findService({ BASE_URL, ADMIN_TOKEN })).toEqual({
      origin: BASE_URL,
      token: ADMIN_TOKEN,
      isLocal: false,
    })
    expect(findService({ PORT: '9000', ADMIN_TOKEN }).origin).toBe('http://127.0.0.1:9000')
  })

  it('returns an https address on HOST if TLS_CERT is set, and requires TLS_KEY with TLS_CERT', () => {
    const tls = { PORT: '9000', TLS_CERT: '/cert.pem', TLS_KEY: '/key.pem', ADMIN_TOKEN }
    expect(findService(tls).origin).toBe('https://127.0.0.1:9000')
    expect(findService({ ...tls, HOST: '192.0.2.7' }).origin).toBe('https://192.0.2.7:9000')
    expect(findService({ TLS_CERT: '/cert.pem', ADMIN_TOKEN }).error).toContain('TLS_KEY')
  })

  it('returns the service of this machine, not the public BASE_URL, if STATE_DIR is the folder of a service', () => {
    const STATE_DIR = mkdtempSync(join(tmpdir(), 'verifier-'))
    const env = { BASE_URL: 'https://verifier.example', STATE_DIR, PORT: '9000', ADMIN_TOKEN }
    expect(findService(env)).toMatchObject({ origin: 'https://verifier.example', isLocal: false })
    writeFileSync(join(STATE_DIR, 'launcher.lock'), '')
    expect(findService(env)).toEqual({ origin: 'http://127.0.0.1:9000', token: ADMIN_TOKEN, isLocal: true })
    rmSync(STATE_DIR, { recursive: true })
  })

  it('requires ADMIN_TOKEN for a public address, and reads a token from STATE_DIR only if STATE_DIR is set', () => {
    expect(findService({ BASE_URL: 'https://verifier.example' }).error).toContain('ADMIN_TOKEN')
    expect(findService({ BASE_URL: 'https://verifier.example', STATE_DIR: '/nowhere' }).error).toContain(
      '/nowhere',
    )
  })

  it.each(['http://verifier.example', 'verifier.example', 'ftp://localhost', 'http://localhost.example'])(
    'requires an https address instead of %s',
    (BASE_URL) => {
      expect(findService({ BASE_URL, ADMIN_TOKEN }).error).toContain('https')
    },
  )
})

describe('the output', () => {
  it('has one member per line, with aligned values and indented inner members', () => {
    const value = {
      ...{ a: 'b', none: null, empty: [], texts: ['p', 'q'], webhook: { url: 'https://a', events: ['e'] } },
      ...{ list: [{ x: [{ y: 2 }] }, 'z'], pem: 'one\ntwo\n' },
    }
    expect(readable(value).split('\n')).toEqual([
      'a      b',
      'none   none',
      'empty  none',
      'texts  p, q',
      'webhook',
      '  url     https://a',
      '  events  e',
      'list',
      '  - x',
      '      y',
      '      2',
      '  - z',
      'pem',
      '  one',
      '  two',
    ])
  })

  it('shows a list of objects with the same members as a table', () => {
    const items = [
      { id: 'rp_a', name: 'Shop', livemode: false, expires_at: null },
      { id: 'rp_long', name: 'A', livemode: true, note: 'x' },
    ]
    expect(readable({ items, next: null }).split('\n')).toEqual([
      'items',
      '  id       name  livemode  expires_at  note',
      '  rp_a     Shop  false     none        none',
      '  rp_long  A     true      none        x',
      'next  none',
    ])
  })

  it('escapes control characters in texts of relying parties', () => {
    expect(readable({ trust_anchors: [{ name: 'A\u001b[2J\r\u009b\u202eB\nC' }] })).toBe(
      'trust_anchors\n  - name\n      A\\u{1b}[2J\\u{d}\\u{9b}\\u{202e}B\n      C',
    )
    const problem = { code: 'invalid_request', title: 'Invalid\u001bc', request_id: 'req_1' }
    expect(readableProblem(400, problem)).not.toContain('\u001b')
  })

  it('escapes control characters in JSON without changing the value of the JSON', () => {
    const value = { note: 'A\u009b31m\u009d\u202e\u{e0001}B\nC', list: ['ä 😀'] }
    for (const indent of [undefined, 2]) {
      const text = json(value, indent)
      expect(text).toContain('A\\u009b31m\\u009d\\u202e\\udb40\\udc01B\\nC')
      expect(text).toContain('ä 😀')
      expect(JSON.parse(text)).toEqual(value)
      expect(text.split('\n')).toHaveLength(indent === undefined ? 1 : 6)
    }
  })

  it('escapes line breaks in a text from another system', () => {
    expect(plainLine('HTTP 500 no\nverification.verified v_1: HTTP 200')).toBe(
      'HTTP 500 no\\u{a}verification.verified v_1: HTTP 200',
    )
  })

  it('has the title, the invalid members and the request id of a problem', () => {
    const errors = [{ pointer: '/name', code: 'invalid', message: 'must not be empty' }]
    const problem = { title: 'Invalid request', code: 'invalid_request', request_id: 'req_1', errors }
    expect(readableProblem(400, problem).split('\n')).toEqual([
      'Invalid request (400 invalid_request).',
      '  /name: must not be empty',
      '  req_1',
    ])
    expect(readableProblem(502, {})).toContain('502')
  })
})
