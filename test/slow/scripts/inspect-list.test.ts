// `npm run admin -- trust-lists inspect`.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSource } from '../../../scripts/admin/inspect-list.mjs'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { publishedList } from '../../support/certificates/published-lists.ts'
import { mintListSigner } from '../../support/certificates/trust-lists.ts'
import {
  EAA_Q,
  GRANTED,
  signXmlList,
  WITHDRAWN,
  type XmlListOptions,
  xmlList,
} from '../../support/certificates/xml-lists.ts'
import { startReceiver } from '../../support/service/receiver.ts'

const run = promisify(execFile)
let folder: string
let file: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inspect-'))
  file = join(folder, 'se.xml')
  writeFileSync(file, publishedList('SE').bytes)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function inspect(...args: string[]) {
  const command = ['scripts/admin.mjs', 'trust-lists', 'inspect', ...args]
  return run(process.execPath, command, { maxBuffer: 10_000_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  )
}

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
/** The commands of the guide, of which the first one looks at a list before it is trusted. */
const GUIDED = /(?<=^npm run admin -- trust-lists inspect ).+$/gm

/** A list that is in force now. */
const currentList = (options: XmlListOptions = {}) =>
  xmlList({ issued: day(-1), nextUpdate: day(30), ...options })

it('a list is shown with its signer, its scheme, and its services by type and status', async () => {
  const { stdout } = await inspect(file, '--json-output')
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({
    signer: { sha256: publishedList('SE').expected.signer },
    scheme: { territory: 'SE', sequence: 62 },
    services: expect.arrayContaining([{ type: EAA_Q, status: GRANTED, services: 1 }]),
    pointers: [{ territory: 'EU', url: expect.stringContaining('eu-lotl.xml'), signers: expect.any(Number) }],
  })
  expect(report.mapping).toBeUndefined()
})

it('with a mapping of services to credential types, the command shows the anchors, and why a certificate gives no anchor', async () => {
  const services = join(folder, 'services.json')
  const grant = { credential_types: ['pid'], assurance_level: 'high' }
  const types = [EAA_Q, 'http://uri.etsi.org/TrstSvc/Svctype/TSA/QTST']
  writeFileSync(services, JSON.stringify(types.map((type) => ({ type, ...grant }))))
  const { stdout } = await inspect(file, '--services', services)
  expect(stdout).toContain('anchors of the mapping: ')
  expect(stdout).toMatch(/IDnow.*: a certificate with a key or a form that no anchor can have/)
  expect(stdout).toContain('Compare this digest with one from another source')
})

it('a list with a broken signature is printed with the fault invalid_signature, and the exit code is 1', async () => {
  const broken = join(folder, 'broken.xml')
  writeFileSync(broken, publishedList('SE').text.replace('Box 5398', 'Box 5399'))
  expect(await inspect(broken)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^fault: invalid_signature\n[\s\S]*territory: SE/),
  })
})

it('a file that is no list is reported as malformed; a missing file gives exit code 3, and a call without a list gives exit code 2', async () => {
  const other = join(folder, 'other.xml')
  writeFileSync(other, '<a/>')
  expect(await inspect(other)).toMatchObject({ code: 1, stdout: 'fault: malformed\n' })
  expect(await inspect(join(folder, 'absent.xml'))).toMatchObject({ code: 3 })
  expect(await inspect()).toMatchObject({ code: 2, stderr: expect.stringContaining('Name one list') })
})

it('a list is fetched from its address; a redirect, another status, more than 8 MiB and a server that does not respond are errors', async () => {
  const receiver = await startReceiver()
  try {
    const body = signXmlList(currentList(), await mintListSigner())
    receiver.answer(({ path }) => {
      if (path === '/list.xml') return { body }
      if (path === '/moved.xml') return { status: 302, headers: { location: '/list.xml' } }
      if (path === '/large.xml') return { body: new Uint8Array(8 * 1024 * 1024 + 1) }
      return path === '/hang.xml' || path === '/stall.xml'
        ? { act: path.slice(1, -4) as 'hang' }
        : { status: 404 }
    })
    const at = (path: string) => new URL(path, receiver.url).href
    const { code, stdout } = await inspect(at('/list.xml'))
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^fault: none\n[\s\S]*territory: DE/)])
    expect(receiver.requests[0]?.headers.accept).toBe('application/vnd.etsi.tsl+xml')
    const [guided = '', ...more] = readFileSync('docs/eu-lists.md', 'utf8').match(GUIDED) ?? []
    expect(more.length).toBeGreaterThan(1)
    const args = guided.replace(/https:\S+/, at('/list.xml')).split(' ')
    expect(await inspect(...args)).toMatchObject({ code: 0, stdout: expect.stringContaining('left out: 0') })
    expect(await inspect(at('/moved.xml'))).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('redirect'),
    })
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/list.xml', '/list.xml', '/moved.xml'])
    const refused = (path: string) => expect(readSource(at(path), { timeoutMs: 60_000 })).rejects
    await refused('/large.xml').toThrow('The list has more than 8 MiB.')
    await refused('/gone.xml').toThrow('The list is unavailable: HTTP 404.')
    for (const path of ['/hang.xml', '/stall.xml'])
      await expect(readSource(at(path), { timeoutMs: 50 })).rejects.toThrow('timeout')
  } finally {
    await receiver.close()
  }
})

it('with a mapping, each service of a mapped type that gives no anchor is shown with its own reason', async () => {
  const [pki, signer] = await Promise.all([mintIssuerPki(), mintListSigner()])
  const certificates = [pki.root.x5c]
  const since = day(-2)
  const extensions = '<Extension Critical="true"><a:B xmlns:a="urn:a"></a:B></Extension>'
  const list = currentList({
    services: [
      { certificates, since },
      { certificates, since, status: WITHDRAWN },
      { certificates, since, type: `${EAA_Q}-other`, status: WITHDRAWN },
      { certificates, since: '2099-01-01T00:00:00Z' },
      { certificates, since: 'soon' },
      { certificates, since, extensions },
      { certificates: [], since },
    ],
  })
  const source = join(folder, 'reasons.xml')
  writeFileSync(source, signXmlList(list, signer))
  const { code, stdout } = await inspect(source, '--services', writeServices(1), '--json-output')
  const { mapping } = JSON.parse(stdout)
  expect([code, mapping.fault, mapping.anchors.length]).toEqual([0, null, 1])
  expect(mapping.left_out.map(({ why }: { why: string }) => why)).toEqual([
    `its status is ${WITHDRAWN}`,
    'its status starts 2099-01-01T00:00:00.000Z',
    'its status, or the time since when it has this status, cannot be read',
    'extension B',
    'it has no certificate',
  ])
})

/** Writes a file that maps qualified attestations to one credential type, this number of times. */
function writeServices(count: number): string {
  const path = join(folder, `services-${count}.json`)
  const grant = { type: EAA_Q, credential_types: ['pid'], assurance_level: 'high' }
  writeFileSync(path, JSON.stringify(Array.from({ length: count }, () => grant)))
  return path
}

it('with a mapping that gives more than 500 anchors, the command prints too_large, and the exit code is 1', async () => {
  const signers = await Promise.all(Array.from({ length: 26 }, () => mintListSigner()))
  const services = [{ certificates: signers.map(({ x5c }) => x5c), since: day(-2) }]
  const source = join(folder, 'anchors.xml')
  const [signer] = signers
  if (signer === undefined) throw new Error('no signer')
  writeFileSync(source, signXmlList(currentList({ services }), signer))
  expect(await inspect(source, '--services', writeServices(19))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('anchors of the mapping: 494\n'),
  })
  const { code, stdout } = await inspect(source, '--services', writeServices(20))
  expect(code).toBe(1)
  expect(stdout).toContain('fault: none\n')
  expect(stdout).toContain('anchors of the mapping: none, too_large: at most 500')
})

it('a certificate is shown with the services that list the certificate or its authority', async () => {
  const [pki, other, signer] = await Promise.all([mintIssuerPki(), mintListSigner(), mintListSigner()])
  const type = 'http://uri.etsi.org/TrstSvc/Svctype/TSA/QTST'
  const write = (name: string, status: string, document?: (text: string) => string) => {
    const services = [{ type, status, certificates: [pki.root.x5c], since: day(-2) }]
    const list = currentList({ services })
    writeFileSync(join(folder, name), signXmlList(list, signer, document && { document }))
    return join(folder, name)
  }
  const pem = join(folder, 'certificates.pem')
  writeFileSync(pem, pki.root.pem + pki.intermediate.pem + other.pem)
  const good = write('tsa.xml', GRANTED)
  const { certificates } = JSON.parse((await inspect(good, '--certificate', pem, '--json-output')).stdout)
  expect(certificates).toMatchObject([
    { services: [{ type, status: GRANTED, by: 'the certificate itself' }], qualified_time_stamps: true },
    { services: [{ type, status: GRANTED, by: 'its authority' }], qualified_time_stamps: true },
    { services: [], qualified_time_stamps: false },
  ])
  const answersOf = async (list: string) =>
    (await inspect(list, '--certificate', pem)).stdout.match(/(?<=for time stamps: )\w+/g)
  expect(await answersOf(good)).toEqual(['yes', 'yes', 'no'])
  expect(await answersOf(write('withdrawn.xml', WITHDRAWN))).toEqual(['no', 'no', 'no'])
  const broken = write('broken-tsa.xml', GRANTED, (text) => text.replace('Test Provider', 'Text Provider'))
  expect(await answersOf(broken)).toEqual(['no', 'no', 'no'])
  expect(await inspect(good, '--certificate', good)).toMatchObject({ code: 3 })
})

it('with --at, the command judges services at the given time, even if the list was issued later', async () => {
  const [pki, signer] = await Promise.all([mintIssuerPki(), mintListSigner()])
  const type = 'http://uri.etsi.org/TrstSvc/Svctype/TSA/QTST'
  const services = [{ type, certificates: [pki.root.x5c], since: '2026-03-01T00:00:00Z' }]
  const dates = { issued: '2026-05-01T00:00:00Z', nextUpdate: '2026-09-01T00:00:00Z' }
  const [source, pem] = [join(folder, 'at.xml'), join(folder, 'at.pem')]
  writeFileSync(source, signXmlList(xmlList({ services, ...dates }), signer))
  writeFileSync(pem, pki.root.pem)
  const at = async (...time: string[]) => {
    const { stdout } = await inspect(source, '--certificate', pem, ...time)
    return stdout.match(/(?<=^fault: )\w+|(?<=for time stamps: )\w+/gm)
  }
  expect(await at()).toEqual(['expired', 'no'])
  expect(await at('--at', '2026-06-01T00:00:00Z')).toEqual(['none', 'yes'])
  expect(await at('--at', '2026-03-01T00:00:00Z')).toEqual(['none', 'yes'])
  expect(await at('--at', '2026-02-28T23:59:59Z')).toEqual(['none', 'no'])
  expect(await at('--at', '2026-09-01T00:00:00Z')).toEqual(['expired', 'no'])
  expect(await inspect(source, '--at', 'yesterday')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--at must be a time in UTC'),
  })
})
