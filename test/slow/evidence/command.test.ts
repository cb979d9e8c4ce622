// The command `evidence`, as it is built, on the Node that runs the tests: exit status, reports and pages.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { encodeBase64 } from '../../../src/codec/base64url.ts'
import { type SealingKey, sealContainer } from '../../../src/evidence/container/seal.ts'
import { type Authority, makeAuthority } from '../../evidence/authority.ts'
import {
  ageMdl,
  agePidWithStatus,
  containerOf,
  MATERIALS,
  makeJwk,
  SERVICE_KEY,
} from '../../evidence/cases.ts'
import { asSeveral } from '../../evidence/channels.ts'
import { completeCase, stamp } from '../../evidence/complete.ts'
import * as mdl from '../../formats/mdoc/good.ts'

let authority: Authority
let folder: string
let command: string

beforeAll(async () => {
  authority = makeAuthority()
  folder = mkdtempSync(join(tmpdir(), 'command-'))
  const { buildEvidence } = await import('../../../scripts/service/evidence-package.mjs' as string)
  await buildEvidence(folder)
  command = join(folder, 'command.js')
  write('mdl.asice', await completeCase(await ageMdl(), authority))
  const { d: _, ...key } = SERVICE_KEY
  const trust = {
    issuers: [mdl.PKI.root.pem],
    time_stamping_authorities: [authority.root],
    service_keys: { keys: [key] },
  }
  write('trust.json', JSON.stringify(trust))
})

const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content)

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('the bundle', () => {
  it.each([
    ['command.js', ['node:fs', 'node:path', 'node:util', 'node:zlib']],
    ['evidence.js', ['node:zlib']],
  ])('%s imports only %j, and has no way to open a connection', (name, modules) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const imported = text.matchAll(/(?:^|[;}\s])(?:from|import)\s*\(?\s*["'`]([^"'`]+)["'`]/g)
    expect([...new Set([...imported].map(([, module]) => module))].toSorted()).toEqual(modules)
    expect(text.match(/\bimport\s*\(|\brequire\s*\(|\bgetBuiltinModule\b|\bprocess\.binding\b/g)).toBe(null)
    expect(text.match(/\bfetch\s*[(,)]|\b(?:WebSocket|EventSource|XMLHttpRequest)\b/g)).toBe(null)
  })
})

describe('evidence verify', () => {
  it('exits with code 0 if every check passes with the given trust file', () => {
    const { status, stdout, stderr } = run('verify', 'mdl.asice', '--trust', 'trust.json')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('\npassed\n')
    expect(stdout).not.toContain('FAIL')
  })

  it('exits with code 3 without a trust file, and lists the three checks that then rely on the verifier’s own trust settings', () => {
    const { status, stdout } = run('verify', 'mdl.asice')
    expect(status).toBe(3)
    expect(stdout.match(/not in the evidence.*as the verifier trusted it/g)).toHaveLength(3)
  })

  it('exits with code 1 if a file was changed, and its JSON output names this file', () => {
    const zip = readFileSync(join(folder, 'mdl.asice'))
    const at = zip.indexOf('portrait')
    zip[at]! ^= 1
    const view = new DataView(zip.buffer, zip.byteOffset)
    write('changed.asice', fixChecksums(new Uint8Array(zip), view))
    const { status, stdout } = run('verify', 'changed.asice', '--json')
    expect(status).toBe(1)
    const report = JSON.parse(stdout)
    expect(report.result).toBe('failed')
    expect(report.checks).toContainEqual({
      id: 'file',
      result: 'fail',
      file: 'response/mdl-1.cbor',
      clause: 'EN 319 162-1 4.4',
      detail: 'the file was changed',
    })
  })

  it('exits with code 0 if the time of --at is in 2031', () => {
    expect(run('verify', 'mdl.asice', '--trust', 'trust.json', '--at', '2031-01-01T00:00:00Z').status).toBe(0)
  })

  it('exits with code 1 if the time of --at is before the time stamp', () => {
    expect(run('verify', 'mdl.asice', '--trust', 'trust.json', '--at', '2026-01-01T00:00:00Z').status).toBe(1)
  })

  const HOSTILE = 'Bank\u001b[31m\u009b2J\u202e\u2028\u{e0001}'

  it('prints the name of an issuer without control characters, and escapes them in JSON', async () => {
    write(
      'named.asice',
      await completeCase(await ageMdl(undefined, { anchor: { name: HOSTILE } }), authority),
    )
    const text = run('verify', 'named.asice').stdout
    expect(text).toContain('- Bank?[31m?2J???: as the verifier trusted it')
    const json = run('verify', 'named.asice', '--json').stdout
    expect(json).toContain('Bank\\u001b[31m\\u009b2J\\u202e\\u2028\\udb40\\udc01')
    expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    const { checks } = JSON.parse(json) as { readonly checks: readonly { readonly detail: string }[] }
    expect(checks.map(({ detail }) => detail)).toContain(`${HOSTILE}: as the verifier trusted it`)
  })

  it.each<[string, readonly string[]]>([
    ['a file that is no ZIP', ['verify', 'trust.json']],
    ['a file that is not there', ['verify', 'nothing']],
    ['a trust.json of another form', ['verify', 'mdl.asice', '--trust', 'mdl.asice']],
    ['an unknown command', ['check', 'mdl.asice']],
    ['an unknown option', ['verify', 'mdl.asice', '--fast']],
    ['a time of another form', ['verify', 'mdl.asice', '--at', '2031']],
    ['no file', ['verify']],
  ])('exits with code 2 for %s', (_, args) => {
    const { status, stdout, stderr } = run(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).not.toBe('')
    expect(stderr).not.toContain('    at ') // a stack
  })
})

/** Writes the checksum of every stored entry again, as a ZIP program does. */
function fixChecksums(zip: Uint8Array, view: DataView): Uint8Array {
  const { crc32 } = process.getBuiltinModule('node:zlib') as unknown as {
    crc32: (bytes: Uint8Array) => number
  }
  let position = view.getUint32(zip.length - 6, true)
  while (view.getUint32(position, true) === 0x02014b50) {
    const [size, offset] = [view.getUint32(position + 24, true), view.getUint32(position + 42, true)]
    const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
    const crc = crc32(zip.subarray(start, start + size))
    new DataView(zip.buffer).setUint32(position + 16, crc, true)
    position += 46 + view.getUint16(position + 28, true) + view.getUint16(position + 30, true)
  }
  return zip
}

describe('evidence show', () => {
  it('prints the query, the disclosed claims and the decision as text', () => {
    const { status, stdout } = run('show', 'mdl.asice', '--trust', 'trust.json')
    expect(status).toBe(0)
    expect(stdout).toMatch(/given_name +Erika/)
    expect(stdout).toMatch(/status +verified/)
    expect(stdout).toContain('mdl: age_over_18')
  })

  it('names every identity that signed the request', async () => {
    const input = await asSeveral()
    write('several.asice', await completeCase(input, authority))
    const ids = input.receipt.offered_client_ids as string[]
    const { stdout } = run('show', 'several.asice')
    expect(stdout).toMatch(new RegExp(`by one of +${ids[0]}\n +${ids[1]}\n`))
    expect(run('show', 'several.asice', '--html').stdout).toContain(`<td>${ids[1]}</td>`)
  })

  it('shows the values of a credential as text, never as HTML or terminal codes', async () => {
    const elements = [
      ['given_name', '<script>alert(1)</script>\u001b[31m\u202e'],
      ['driving_privileges', [{ 'a\u001b[31m': 'B' }]],
      ['age_over_18', true],
    ] as const
    write('hostile.asice', await completeCase(await ageMdl(elements as never), authority))
    const text = run('show', 'hostile.asice').stdout
    expect(text).toContain('<script>alert(1)</script>?[31m?')
    expect(text).toContain('.a?[31m')
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    const html = run('show', 'hostile.asice', '--html').stdout
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;?[31m?')
    expect(html).not.toContain('<script')
    expect(html).toContain("default-src 'none'")
  })
})

describe('evidence open', () => {
  it('decrypts an envelope, adds its materials and time stamp, and exits with code 3 if a material is missing', async () => {
    const key = await makeJwk()
    const { d: _, ...publicKey } = key
    const container = await containerOf({ ...(await agePidWithStatus()), time_stamp: true })
    const sealed = await sealContainer(container.zip, [{ ...publicKey, kid: 'a' } as SealingKey])
    const token = stamp(container, authority)
    const envelope = {
      ...{ object: 'evidence', version: 1, manifest: encodeBase64(container.manifest) },
      manifest_sha256: container.manifestSha256,
      time_stamps: [{ token: encodeBase64(token), gen_time: '2026-11-29T12:00:00Z' }],
      ...{ materials: container.materials, sealed },
    }
    write('envelope.json', JSON.stringify(envelope))
    write('key.jwk', JSON.stringify(key))
    write('other.jwk', JSON.stringify(await makeJwk()))
    const open = ['open', 'envelope.json', '-o', 'case.asice', '--key']
    expect(run(...open, 'other.jwk')).toMatchObject({ status: 2, stderr: 'no key opens the envelope\n' })
    expect(run(...open, 'key.jwk')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('is missing'),
    })
    for (const [digest, bytes] of MATERIALS) write(digest, bytes)
    expect(run(...open, 'key.jwk', '--materials', '.')).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(run('verify', 'case.asice').status).toBe(3)
  })
})
