// `npm run admin -- trust-lists inspect`.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mintIssuerPki } from '../support/certificates/certificates.ts'
import { publishedList } from '../support/certificates/published-lists.ts'
import { mintListSigner } from '../support/certificates/trust-lists.ts'
import { EAA_Q, GRANTED, signXmlList, WITHDRAWN, xmlList } from '../support/certificates/xml-lists.ts'

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

it('a list with a broken signature is shown after the fault invalid_signature, and the exit code is 1', async () => {
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

it('a certificate is shown with the services that list the certificate or its authority', async () => {
  const [pki, other, signer] = await Promise.all([mintIssuerPki(), mintListSigner(), mintListSigner()])
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const type = 'http://uri.etsi.org/TrstSvc/Svctype/TSA/QTST'
  const write = (name: string, status: string, document?: (text: string) => string) => {
    const services = [{ type, status, certificates: [pki.root.x5c], since: day(-2) }]
    const list = xmlList({ services, issued: day(-1), nextUpdate: day(30) })
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
