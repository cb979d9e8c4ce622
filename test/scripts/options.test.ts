// Options of `npm start`.

import { describe, expect, it } from 'vitest'
import { consoleCode } from '../../scripts/service/demo-relying-party.mjs'
import { readOptions } from '../../scripts/service/options.mjs'
import { startReceiver } from '../support/service/receiver.ts'

describe('the console of `npm start`', () => {
  it.each([
    ['is on, with a code, by default', {}, true, true],
    ['is on, with a code, on an address of this machine', { HOST: '127.0.0.1' }, true, true],
    ['is on, with a code, on the IPv6 address of this machine', { HOST: '[::1]' }, true, true],
    ['is off on every address, also with a local BASE_URL', { HOST: '0.0.0.0' }, false, false],
    ['is off on every IPv6 address', { HOST: '[::]' }, false, false],
    ['is off on *', { HOST: '*' }, false, false],
    ['is off with a public BASE_URL', { BASE_URL: 'https://verifier.example' }, false, false],
    ['has no code on every address', { CONSOLE: '1', HOST: '0.0.0.0' }, true, false],
    ['has no code on an address of a network', { CONSOLE: '1', HOST: '192.0.2.1' }, true, false],
    ['has no code with a public BASE_URL', { CONSOLE: '1', BASE_URL: 'https://a.example' }, true, false],
    ['is off with CONSOLE=0', { CONSOLE: '0' }, false, false],
  ])('%s', (_, env, hasConsole, hasConsoleCode) => {
    expect(readOptions(env)).toMatchObject({ hasConsole, hasConsoleCode })
  })

  it.each([
    ['asks for a code on addresses of this machine', { HOST: '127.0.0.1' }, 'the-code', ['/console/codes']],
    ['asks for no code on every address', { CONSOLE: '1', HOST: '0.0.0.0' }, null, []],
  ])('%s', async (_, env, code, paths) => {
    const service = await startReceiver()
    service.answer({ status: 201, body: '{"code":"the-code"}' })
    const options = { ...readOptions(env), origin: new URL(service.url).origin }
    const made = await consoleCode(options, 'admin-token', { api_key: 'key' })
    const { requests } = service
    await service.close()
    expect([made, requests.map(({ path }) => path)]).toEqual([code, paths])
  })
})
