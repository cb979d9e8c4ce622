import { describe, expect, it } from 'vitest'
import { parseCall } from '../../scripts/admin/call.mjs'
import { COMMANDS } from '../../scripts/admin/commands.mjs'
import { helpFor, overview } from '../../scripts/admin/help.mjs'
import { readable, readableProblem } from '../../scripts/admin/print.mjs'
import { findService } from '../../scripts/admin/service.mjs'
import { ACCESS } from '../../src/routes/edge/access.ts'

const FILES: Readonly<Record<string, string>> = {
  '-': '{"name":"Shop","webhook":{"url":"https://hooks.shop.org/a","events":["verification.verified"]}}',
  'anchors.json': '[{"name":"a"}]',
  'chain.pem': '-----BEGIN CERTIFICATE-----\n',
  'list.json': '[]',
}
/** Whatever comes of it: a call, help or a fault. */
const parse = (...args: string[]): Readonly<Record<string, unknown>> =>
  parseCall(args, (path: string) => FILES[path] ?? '{')

/** A route as commands and as the access table name it, its parameters nameless. */
const nameless = (route: string) => route.replace(/\{\w+\}|:\w+/g, '*')

describe('the commands', () => {
  it('are the operator’s routes, each once', () => {
    const routes = Object.keys(ACCESS).filter((route) => route.includes(' /v1/admin/'))
    const called = Object.values(COMMANDS).map(({ route }) => nameless(route.replace(' /', ' /v1/admin/')))
    expect(called.sort()).toEqual(routes.map(nameless).sort())
  })

  it('all stand in the overview, and each explains its flags', () => {
    for (const [name, command] of Object.entries(COMMANDS)) {
      expect(overview()).toContain(name)
      const help = helpFor(name)
      for (const flag of Object.keys('flags' in command ? command.flags : {}))
        expect(help).toContain(`--${flag} `)
    }
  })
})

describe('parseCall', () => {
  it('makes members of flags, each in its place and of its kind', () => {
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

  it('writes flags over what --json holds', () => {
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

  it('puts names into the path, whatever they hold, and pages into the query', () => {
    expect(parse('api-keys', 'revoke', 'rp_x', 'a/b?c').path).toBe('/relying_parties/rp_x/api_keys/a%2Fb%3Fc')
    expect(parse('relying-parties', 'list', '--limit', '2').query).toEqual({ limit: '2' })
    expect(parse('relying-parties', 'list').body).toBeUndefined()
  })

  it.each([
    ['nothing', [], { help: '' }],
    ['--help', ['--help'], { help: '' }],
    ['--help of a command', ['webhook', 'test', '--help'], { help: 'webhook test' }],
  ])('shows help for %s', (_, args, expected) => {
    expect(parse(...args)).toEqual(expected)
  })

  it.each([
    ['no command of ours', ['relying-party', 'make']],
    ['a flag nobody knows', ['relying-parties', 'create', '--nmae', 'Shop']],
    ['no value behind a flag', ['relying-parties', 'create', '--name']],
    ['a name that is missing', ['relying-parties', 'show']],
    ['a name too many', ['trust-lists', 'list', 'pid']],
    ['what is neither true nor false', ['relying-parties', 'create', '--livemode', 'yes']],
    ['no number', ['relying-parties', 'create', '--retention-seconds', '2h']],
    ['no JSON', ['relying-parties', 'create', '--json', 'nowhere.json']],
    ['JSON that is no object', ['relying-parties', 'create', '--json', 'list.json']],
    ['what cannot be undone, said once', ['trust-lists', 'delete', 'pid']],
  ])('calls nobody for %s', (_, args) => {
    const call = parse(...args)
    expect(call.fault).toEqual(expect.any(String))
    expect(call.method).toBeUndefined()
  })

  it('does what cannot be undone, said twice', () => {
    expect(parse('trust-lists', 'delete', 'pid', '--yes')).toMatchObject({
      method: 'DELETE',
      path: '/trust_lists/pid',
    })
  })
})

describe('findService', () => {
  const ADMIN_TOKEN = 'a'.repeat(32)
  it('is the one that the environment names', () => {
    const BASE_URL = 'https://verifier.example'
    expect(findService({ BASE_URL, ADMIN_TOKEN })).toEqual({ origin: BASE_URL, token: ADMIN_TOKEN })
    expect(findService({ PORT: '9000', ADMIN_TOKEN }).origin).toBe('http://localhost:9000')
  })

  it('gives this machine’s token to no other address, unless its state is named', () => {
    expect(findService({ BASE_URL: 'https://verifier.example' }).fault).toContain('ADMIN_TOKEN')
    expect(findService({ BASE_URL: 'https://verifier.example', STATE_DIR: '/nowhere' }).fault).toContain(
      '/nowhere',
    )
  })

  it.each(['http://verifier.example', 'verifier.example', 'ftp://localhost', 'http://localhost.example'])(
    'sends no token to %s',
    (BASE_URL) => {
      expect(findService({ BASE_URL, ADMIN_TOKEN }).fault).toContain('https')
    },
  )
})

describe('what is printed', () => {
  it('has one member a line, and what is inside another further in', () => {
    const value = { a: 'b', none: null, empty: [], list: [{ x: 1, y: 2 }, 'z'], pem: 'one\ntwo\n' }
    expect(readable(value).split('\n')).toEqual([
      'a: b',
      'none: none',
      'empty: none',
      'list:',
      '  - x: 1',
      '    y: 2',
      '  - z',
      'pem:',
      '  one',
      '  two',
    ])
  })

  it('does nothing to the terminal, whatever a relying party has written', () => {
    expect(readable({ trust_anchors: [{ name: 'A\u001b[2J\r\u009b\u202eB\nC' }] })).toBe(
      'trust_anchors:\n  - name:\n      A\\u{1b}[2J\\u{d}\\u{9b}\\u{202e}B\n      C',
    )
    const problem = { code: 'invalid_request', title: 'Invalid\u001bc', request_id: 'req_1' }
    expect(readableProblem(400, problem)).not.toContain('\u001b')
  })

  it('tells of a problem what is wrong, where, and the request’s id', () => {
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
