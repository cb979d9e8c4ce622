// The commands of docs/evidence-audit.md, run as they are printed, on good and on changed case files.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { writeZip } from '../../src/evidence/container/zip.ts'
import { type Authority, makeAuthority } from './authority.ts'
import { agePidWithStatus } from './cases.ts'
import { completeCase, filesOf } from './complete.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/evidence-audit.md'), 'utf8')
const BLOCKS = [...PAGE.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!).slice(0, 3)
const hasTools = ['unzip', 'openssl', 'sha256sum'].every((tool) => {
  try {
    return execFileSync('which', [tool]).length > 0
  } catch {
    return false
  }
})

let authority: Authority
let good: Map<string, Uint8Array>

beforeAll(async () => {
  authority = makeAuthority()
  good = filesOf(await completeCase(await agePidWithStatus(), authority))
  good.delete('mimetype')
})

/** Runs the three steps on these files. Returns what they print. */
function runSteps(files: ReadonlyMap<string, Uint8Array>): string {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'))
  writeFileSync(join(folder, 'case.asice'), writeZip(files))
  writeFileSync(join(folder, 'authority.pem'), authority.root)
  const script = `exec 2>&1\n${BLOCKS.join('\n')}\ntrue`
  return `${execFileSync('sh', ['-c', script], { cwd: folder })}`
}

describe.skipIf(!hasTools)('the commands of the auditor’s page', () => {
  it('accept a good case file, if unzip and openssl are installed', () => {
    const printed = runSteps(good)
    expect(printed).toContain('unchanged\n')
    expect(printed).toContain('complete\n')
    expect(printed).toMatch(/Time stamp: \w+/)
    expect(printed).toContain('Verification: OK')
  })

  it('report a changed file, an added file and a changed manifest, if unzip and openssl are installed', () => {
    const presentation = good.get('response/pid-1.sd-jwt')!.slice()
    presentation[5]! ^= 1
    const changed = runSteps(new Map(good).set('response/pid-1.sd-jwt', presentation))
    expect(changed).toContain('response/pid-1.sd-jwt: FAILED')
    expect(changed).not.toContain('unchanged')
    const added = runSteps(new Map(good).set('notes.txt', new Uint8Array(1)))
    expect(added).toContain('> notes.txt')
    expect(added).not.toContain('complete')
    const manifest = Buffer.from(good.get('META-INF/ASiCManifest.xml')!)
      .toString()
      .replace('statement.jws', 'statement.jwz')
    expect(runSteps(new Map(good).set('META-INF/ASiCManifest.xml', Buffer.from(manifest)))).not.toContain(
      'Verification: OK',
    )
  })
})
