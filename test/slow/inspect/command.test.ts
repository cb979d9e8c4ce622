// The command `inspect`, as it is built, on the Node that runs the tests: exit status, text and JSON; a
// container of evidence and a receipt.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { signJwt } from '../../../src/crypto/sign-jwt.ts'
import { makeAuthority } from '../../evidence/authority.ts'
import { ageMdl, SERVICE_KEY } from '../../evidence/cases.ts'
import { completeCase } from '../../evidence/complete.ts'

let folder: string
let command: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inspect-'))
  const { buildInspect } = await import('../../../scripts/service/inspect-package.mjs' as string)
  await buildInspect(folder)
  command = join(folder, 'command.js')
  write('case.asice', await completeCase(await ageMdl(), makeAuthority()))
  const { d: _, ...key } = SERVICE_KEY
  write('keys.json', JSON.stringify({ keys: [key] }))
})

const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content)

function run(args: readonly string[], input = '') {
  const options = { cwd: folder, encoding: 'utf8', input } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], options)
  return { status, stdout, stderr }
}

const TOKEN = JSON.parse(readFileSync(join(import.meta.dirname, '../../vectors/sd-jwt-rfc9901.json'), 'utf8'))

describe('inspect', () => {
  it('shows a container of evidence with its checks, and exits with 0', () => {
    const { status, stdout, stderr } = run(['case.asice'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^Container of evidence\n/)
    expect(stdout).toContain('[holds] presentation: ')
    expect(stdout).toContain('Test IACA: as the verifier trusted it')
  })

  it('does not exit with 0 for a container with a changed file', () => {
    const zip = readFileSync(join(folder, 'case.asice'))
    const at = zip.indexOf('"livemode"')
    zip.write('"LIVEMODE"', at)
    write('changed.asice', zip)
    expect(run(['changed.asice']).status).not.toBe(0)
  })

  it('checks a receipt with the keys of the service, and says that a key is missing', async () => {
    const claims = { iss: 'https://verifier.example', verification_id: 'v_1', status: 'verified' }
    const receipt = await signJwt(claims, 'verification-receipt+jwt', { ...SERVICE_KEY, kid: 'a' })
    write('receipt.jwt', `${receipt}\n`)
    const missing = run(['receipt.jwt'])
    expect(missing.stdout).toMatch(/^Receipt of a verification\n/)
    expect(missing.stdout).toContain('[not checked] signature: no key is inside')
    const { status, stdout } = run(['receipt.jwt', '--key', 'keys.json'])
    expect(stdout).toContain('[holds] signature: signature holds with a key that you gave')
    expect(status).toBe(0)
  })

  it('reads a text, a file and the standard input, and writes JSON', () => {
    const [{ token }] = TOKEN.tokens
    write('token.txt', token)
    const reports = [run([token, '--json']), run(['token.txt', '--json']), run(['-', '--json'], token)]
    for (const { status, stdout } of reports) {
      expect(status).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ kind: 'sd_jwt_vc', outcome: null })
    }
  })

  it('exits with 1 if a signature is invalid', () => {
    write('other.json', JSON.stringify(TOKEN.holderJwk))
    const { status, stdout } = run([TOKEN.tokens[0].token, '--key', 'other.json'])
    expect(status).toBe(1)
    expect(stdout).toContain('[FAILS] signature: no key that you gave made the signature')
  })

  it.each([
    [[], /name one input/],
    [['a', 'b'], /name one input/],
    [['x'], /form of the input is unknown/],
    [['token.txt', '--at', 'today'], /--at must be a time/],
    [['token.txt', '--key', 'missing.json'], /missing\.json/],
    [['token.txt', '--unknown'], /unknown/],
  ])('exits with 2 for the arguments %j, and says why', (args, words) => {
    write('token.txt', TOKEN.tokens[0].token)
    const { status, stdout, stderr } = run(args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(words)
  })

  it('prints its options, and has no path of the machine that built it', () => {
    expect(run(['--help'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^inspect FILE/) })
    expect(readFileSync(command, 'utf8')).not.toContain(process.cwd())
  })
})
