// Evidence judged by foreign tools: openssl, EU DSS and jwcrypto. `npm run proof -- clients evidence`
// installs EU DSS and jwcrypto, and sets DSS_FOLDER and JWCRYPTO_PYTHON.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { readManifest } from '../../src/evidence/container/manifest.ts'
import { type SealingKey, sealContainer } from '../../src/evidence/container/seal.ts'
import { writeZip } from '../../src/evidence/container/zip.ts'
import { type Authority, judgeToken, makeAuthority } from './authority.ts'
import { ageMdl, agePid, agePidWithStatus } from './cases.ts'
import { asJwtVc, byValue, overAnnexC, overDcApi } from './channels.ts'
import { completeCase, filesOf } from './complete.ts'

const { DSS_FOLDER, JWCRYPTO_PYTHON } = process.env
const CASES = {
  ...{ pid: agePid, status: agePidWithStatus, mdl: ageMdl },
  ...{ overDcApi, overAnnexC, byValue, asJwtVc },
} as const

let authority: Authority
let folder: string
const containers: Record<string, Uint8Array<ArrayBuffer>> = {}

beforeAll(async () => {
  authority = makeAuthority()
  folder = mkdtempSync(join(tmpdir(), 'judges-'))
  for (const [name, make] of Object.entries(CASES)) {
    containers[name] = await completeCase(await make(), authority)
  }
})

it.each(Object.keys(CASES))('openssl verifies the time stamp over the manifest of the case %s', (name) => {
  const files = filesOf(containers[name]!)
  const manifest = files.get('META-INF/ASiCManifest.xml')!
  expect(judgeToken(authority, manifest, files.get('META-INF/timestamp.tst')!)).toBe('Verification: OK')
  const changed = manifest.slice()
  changed[100]! ^= 1
  expect(judgeToken(authority, changed, files.get('META-INF/timestamp.tst')!)).toMatch('failed')
})

it.skipIf(DSS_FOLDER === undefined)(
  'EU DSS reports an ASiC-E with an intact time stamp over every file, and finds a changed file, if EU DSS is installed',
  () => {
    const entries = Object.entries(containers)
    const good = entries.map(([name, zip]) => save(name, zip))
    const changed = entries.map(([name, zip]) => {
      const files = filesOf(zip)
      files.delete('mimetype')
      const path = [...files.keys()].find((one) => one.startsWith('response/') && !one.includes('key'))!
      const bytes = files.get(path)!.slice()
      bytes[10]! ^= 1
      return save(`${name}-changed`, writeZip(files.set(path, bytes)))
    })
    const reports = judgeByDss([...good, ...changed])
    for (const [i, [, zip]] of entries.entries()) {
      const manifest = readManifest(filesOf(zip).get('META-INF/ASiCManifest.xml') as never)!
      const names = ['META-INF/ASiCManifest.xml', ...manifest.digests.keys()]
      expect(reports[i]).toEqual({
        type: 'ASiC-E',
        // Nothing is fetched, so the revocation of the authority's certificate stays unknown.
        time_stamps: [
          {
            intact: true,
            result: 'INDETERMINATE/CERTIFICATE_CHAIN_GENERAL_FAILURE',
            scopes: expect.any(Array),
          },
        ],
      })
      expect(reports[i]!.time_stamps[0]!.scopes.toSorted()).toEqual(names.toSorted())
      expect(reports[entries.length + i]!.time_stamps[0]!.result).toBe('FAILED/HASH_FAILURE')
    }
  },
)

type DssReport = {
  readonly type: string
  readonly time_stamps: readonly { intact: boolean; result: string; scopes: readonly string[] }[]
}

function judgeByDss(paths: readonly string[]): readonly DssReport[] {
  const root = join(authority.folder, 'root.pem')
  const classes = ['packages/*', 'classes'].map((name) => join(DSS_FOLDER!, name)).join(':')
  const printed = `${execFileSync('java', ['-cp', classes, 'Judge', root, ...paths], { stdio: 'pipe' })}`
  const lines = printed.split('\n').filter((line) => line.startsWith('DSS '))
  return lines.map((line) => JSON.parse(line.slice(4)))
}

function save(name: string, zip: Uint8Array): string {
  const path = join(folder, `${name}.asice`)
  writeFileSync(path, zip)
  return path
}

const PYTHON = `
import sys, json
from jwcrypto import jwe, jwk
token = jwe.JWE()
token.deserialize(open(sys.argv[1]).read(), jwk.JWK.from_json(open(sys.argv[2]).read()))
open(sys.argv[3], 'wb').write(token.payload)
`

it.skipIf(JWCRYPTO_PYTHON === undefined).each([
  ['ECDH-ES+A256KW', { crv: 'P-256' }],
  ['ECDH-ES+A256KW', { crv: 'P-384' }],
  ['RSA-OAEP-256', {}],
])('jwcrypto opens the JWE with %s %j, if jwcrypto is installed', async (alg, options) => {
  const wanted = await generateKeyPair(alg, { extractable: true, ...options })
  const other = await generateKeyPair('RSA-OAEP-256', { extractable: true })
  const keys = await Promise.all(
    [other, wanted].map(
      async ({ publicKey }, i) => ({ ...(await exportJWK(publicKey)), kid: `k${i}` }) as SealingKey,
    ),
  )
  const sealed = await sealContainer(containers.pid!, keys)
  const [jwe, key, out] = ['jwe.json', 'key.json', 'out.zip'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(jwe, JSON.stringify(sealed))
  writeFileSync(key, JSON.stringify(await exportJWK(wanted.privateKey)))
  execFileSync(JWCRYPTO_PYTHON!, ['-c', PYTHON, jwe, key, out])
  expect(readFileSync(out).equals(Buffer.from(containers.pid!))).toBe(true)
})
