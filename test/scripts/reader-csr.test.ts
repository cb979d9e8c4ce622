// The key and the request of a reader certificate, read by openssl's library through node:crypto and by
// @peculiar/x509.

import '../support/reflect-metadata.ts'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pkcs10CertificateRequest } from '@peculiar/x509'
import { expect, it, vi } from 'vitest'
import { createReaderCsr, parseReaderCsr, runReaderCsr } from '../../scripts/admin/reader-csr.mjs'

const FLAGS = {
  domain: 'shop.example',
  country: 'FR',
  locality: 'Paris',
  organization: 'Shop, SA',
  email: 'it@shop.example',
}
const argsOf = (flags: object) =>
  Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])

it('the certificate request names the domain, the company and the administrator, and is signed with the P-256 key', async () => {
  const { subject } = parseReaderCsr(argsOf(FLAGS)) as { subject: object[] }
  const { jwk, pem } = await createReaderCsr(subject)
  const request = new Pkcs10CertificateRequest(pem)
  expect(request.subject).toBe(String.raw`C=FR, L=Paris, O=Shop\, SA, CN=shop.example, E=it@shop.example`)
  expect(await request.verify()).toBe(true)
  const key = await request.publicKey.export()
  const { x, y } = (await crypto.subtle.exportKey('jwk', key)) as JsonWebKey
  expect([jwk.kty, jwk.crv, jwk.x, jwk.y]).toEqual(['EC', 'P-256', x, y])
})

it.each([
  [{ ...FLAGS, domain: '' }, '--domain is required.'],
  [{ ...FLAGS, country: 'France' }, '--country must be two letters, such as FR.'],
  [{ ...FLAGS, locality: '' }, '--state or --locality is required.'],
  [{ ...FLAGS, email: 'it' }, '--email must be of the administrator of the domain.'],
])('the command refuses %j', (flags, message) => {
  expect(() => parseReaderCsr(argsOf(flags))).toThrow(message)
})

it('the command is a part of npm run admin, and needs no running service', () => {
  const run = spawnSync(process.execPath, ['scripts/admin.mjs', 'reader-csr', '--domain', 'shop.example'], {
    encoding: 'utf8',
    env: {},
  })
  expect([run.status, run.stderr]).toEqual([2, expect.stringContaining('--country is required')])
})

it('the key file can be read by its owner only, and never replaces another key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reader-csr-'))
  const quiet = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) => spy.mockReturnValue())
  try {
    const args = argsOf({ ...FLAGS, out: folder })
    expect(await runReaderCsr(args)).toBe(0)
    const file = join(folder, 'reader-key.json')
    const before = readFileSync(file, 'utf8')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, 'reader.csr'), 'utf8')).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----/)
    expect(await runReaderCsr(args)).toBe(2)
    expect(readFileSync(file, 'utf8')).toBe(before)
  } finally {
    for (const spy of quiet) spy.mockRestore()
    rmSync(folder, { recursive: true })
  }
})
