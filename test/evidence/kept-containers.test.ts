// Containers that an earlier version made (test/evidence/make-vector.ts), verified in 2031. Certificates of
// issuers and of the time-stamping authority have expired by then.

import { describe, expect, it } from 'vitest'
import { readTrust, verifyContainer } from '../../packages/evidence/src/evidence.ts'
import { UnreadableError } from '../../packages/evidence/src/zip-reader.ts'
import { writeZip } from '../../src/evidence/container/zip.ts'
import vector from '../vectors/evidence-containers.json' with { type: 'json' }
import { filesOf } from './complete.ts'

const AT = Date.parse('2031-06-01T00:00:00Z') / 1000
const { issuers, ...others } = vector.trust

/** Verifies with the auditor's trust. Only the issuer of the mdoc has a certificate to trust. */
async function verify(name: string, zip: Uint8Array) {
  const trusted = name.startsWith('mso_mdoc') ? { ...others, issuers } : others
  const { report } = await verifyContainer(zip, { at: AT, trust: readTrust(JSON.stringify(trusted)) })
  return report
}

describe.each(Object.entries(vector.containers))('the kept container of %s', (name, base64) => {
  const zip = new Uint8Array(Buffer.from(base64, 'base64'))

  it('passes every check in 2031, but the issuer is trusted only if it is in trust.json', async () => {
    const report = await verify(name, zip)
    const open = report.checks.filter(({ result }) => result !== 'pass')
    expect(open.map(({ id, result }) => [id, result])).toEqual(
      name.startsWith('mso_mdoc') ? [] : [['issuer', 'not_in_evidence']],
    )
    expect(report.checks.find(({ id }) => id === 'time_stamp')?.detail).toContain('certificate ended')
  })

  it('fails or cannot be read if one byte of a file outside META-INF is changed, and the report names the file', async () => {
    const files = filesOf(zip)
    files.delete('mimetype')
    for (const [path, content] of files) {
      if (path.startsWith('META-INF/')) continue
      const changed = content.slice()
      changed[changed.length >> 1]! ^= 1
      const report = await verify(name, writeZip(new Map(files).set(path, changed))).catch((error) => error)
      if (report instanceof UnreadableError) continue // the file is no JSON any more
      expect(report.checks).toContainEqual(
        expect.objectContaining({ id: 'file', result: 'fail', file: path }),
      )
    }
  })
})
