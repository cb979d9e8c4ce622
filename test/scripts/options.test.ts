// Options of `npm start`.

import { describe, expect, it } from 'vitest'
import { consoleCode } from '../../scripts/service/demo-relying-party.mjs'
import { readOptions } from '../../scripts/service/options.mjs'
import { startReceiver } from '../support/service/receiver.ts'

describe('the console of `npm start`', () => {
  it.each([
    ['is on, with a sign-in code, by default', {}, true, true],
    ['is on, with a sign-in code, if HOST is 127.0.0.1', { HOST: '127.0.0.1' }, true, true],
    ['is on, with a sign-in code, if HOST is [::1]', { HOST: '[::1]' }, true, true],
    ['is off if HOST is 0.0.0.0', { HOST: '0.0.0.0' }, false, false],
    ['is off if HOST is [::]', { HOST: '[::]' }, false, false],
    ['is off if HOST is *', { HOST: '*' }, false, false],
    ['is off if BASE_URL is public', { BASE_URL: 'https://verifier.example' }, false, false],
    [
      'has no sign-in code if HOST is 0.0.0.0 and CONSOLE is 1',
      { CONSOLE: '1', HOST: '0.0.0.0' },
      true,
      false,
    ],
    [
      'has no sign-in code if HOST is a network address and CONSOLE is 1',
      { CONSOLE: '1', HOST: '192.0.2.1' },
      true,
      false,
    ],
    [
      'has no sign-in code if BASE_URL is public and CONSOLE is 1',
      { CONSOLE: '1', BASE_URL: 'https://a.example' },
      true,
      false,
    ],
    ['is off if CONSOLE is 0', { CONSOLE: '0' }, false, false],
  ])('the console %s', (_, env, hasConsole, hasConsoleCode) => {
    expect(readOptions(env)).toMatchObject({ hasConsole, hasConsoleCode })
  })

  it.each([
    [
      'gets a sign-in code from the service if HOST is 127.0.0.1',
      { HOST: '127.0.0.1' },
      'the-code',
      ['/console/codes'],
    ],
    ['gets no sign-in code if HOST is 0.0.0.0', { CONSOLE: '1', HOST: '0.0.0.0' }, null, []],
  ])('the console %s', async (_, env, code, paths) => {
    const service = await startReceiver()
    service.answer({ status: 201, body: '{"code":"the-code"}' })
    const options = { ...readOptions(env), origin: new URL(service.url).origin }
    const made = await consoleCode(options, 'admin-token', { api_key: 'key' })
    const { requests } = service
    await service.close()
    expect([made, requests.map(({ path }) => path)]).toEqual([code, paths])
  })
})
