// The container of evidence, judged by unzip, sha256sum and jose.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { exportJWK, generalDecrypt, generateKeyPair, importJWK, jwtVerify } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../../src/codec/bytes.ts'
import type { EvidenceInput } from '../../src/evidence/container/input.ts'
import { readManifest, writeManifest } from '../../src/evidence/container/manifest.ts'
import { queryName } from '../../src/evidence/container/names.ts'
import { readPresentation, writePresentation } from '../../src/evidence/container/presentation-file.ts'
import { type SealingKey, sealContainer } from '../../src/evidence/container/seal.ts'
import { type Container, writeContainer } from '../../src/evidence/container/write.ts'
import { ageMdlOnList, agePid, containerOf, makeJwk, SERVICE_KEY, signStatement } from './cases.ts'

const hasUnzip = has('unzip')

function has(command: string): boolean {
  try {
    execFileSync('which', [command])
    return true
  } catch {
    return false
  }
}

let input: EvidenceInput
let container: Container
let folder: string

beforeAll(async () => {
  input = await agePid()
  container = await containerOf(input)
  folder = mkdtempSync(join(tmpdir(), 'evidence-'))
  writeFileSync(join(folder, 'case.asice'), container.zip)
})

describe('container of evidence', () => {
  it('has at most 60 KB for an age check', () => {
    expect(container.zip.length).toBeLessThan(60_000)
  })

  it('begins with the stored mimetype, without an extra field and a data descriptor', () => {
    const head = Buffer.from(container.zip)
    expect(head.readUInt32LE(0)).toBe(0x04034b50)
    expect(head.readUInt16LE(6)).toBe(0) // flags: bit 3 would announce a data descriptor
    expect(head.readUInt16LE(8)).toBe(0) // stored
    expect(head.readUInt16LE(28)).toBe(0) // extra field
    expect(head.subarray(30, 38).toString()).toBe('mimetype')
    expect(head.subarray(38, 38 + 31).toString()).toBe('application/vnd.etsi.asic-e+zip')
  })

  it.skipIf(!hasUnzip)(
    'is unpacked by unzip, and sha256sum confirms the digests in its manifest, if unzip is installed',
    () => {
      execFileSync('unzip', ['-q', 'case.asice', '-d', 'out'], { cwd: folder })
      const out = join(folder, 'out')
      const manifest = readFileSync(join(out, 'META-INF/ASiCManifest.xml'), 'utf8')
      const named = [...manifest.matchAll(/URI="([^"]+)">.*?DigestValue>([^<]+)</g)]
      const sums = named.map(
        ([, name, digest]) => `${Buffer.from(digest!, 'base64').toString('hex')}  ${name}\n`,
      )
      const printed = execFileSync('sha256sum', ['--check', '--strict'], { cwd: out, input: sums.join('') })
      expect(`${printed}`.trim().split('\n')).toHaveLength(named.length)
      const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
      expect(files).toHaveLength(named.length + 2) // mimetype and the manifest
    },
  )

  it('has the same bytes as a ZIP that the library fflate writes', async () => {
    const { files } = await containerFiles(container)
    const written = zipSync(Object.fromEntries(files), { level: 0, mtime: new Date(1980, 0, 1) })
    expect(Buffer.from(container.zip).equals(Buffer.from(written))).toBe(true)
  })

  it('has the same bytes for the same input, apart from the signature', async () => {
    const sign = async () => 'e30.e30.AA'
    const [a, b] = await Promise.all([writeContainer(input, sign), writeContainer(input, sign)])
    expect(a).toEqual(b)
    expect(a.ok).toBe(true)
  })

  it('contains a statement, signed by the receipt key, that names every other file in the manifest', async () => {
    const files = (await containerFiles(container)).files
    const statement = Buffer.from(files.get('statement.jws')!).toString()
    const { d: _, ...key } = SERVICE_KEY
    const { payload, protectedHeader } = await jwtVerify(statement, await importJWK(key, 'ES256'))
    expect(protectedHeader.typ).toBe('verification-evidence+jwt')
    expect(payload.status).toBe('verified')
    const names = [...readManifest(container.manifest)!.digests.keys()]
    expect(Object.keys(payload.files as object)).toEqual(names.filter((name) => name !== 'statement.jws'))
  })

  it('has a manifest that does not contain the status, the state or the relying party', () => {
    const manifest = Buffer.from(container.manifest).toString()
    expect(manifest).not.toMatch(/verified|state-1|rp_1/)
  })

  it.each(['evidence', 'decision', 'session'] as const)(
    'has a different manifest if the salt of %s is different',
    async (name) => {
      const salts = { ...input.salts, [name]: new Uint8Array(16).fill(9) }
      expect((await containerOf({ ...input, salts })).manifestSha256).not.toBe(container.manifestSha256)
    },
  )

  it('has one material for a list that was fetched from two addresses, and its index names both addresses', async () => {
    const listed = await ageMdlOnList(utf8('a list'))
    const [material] = listed.materials
    const again = { ...material!, source: 'https://mirror.example/issuers' }
    const { zip, materials } = await containerOf({ ...listed, materials: [material!, again] })
    expect(materials.map(({ sha256 }) => sha256)).toEqual([material!.sha256])
    const index = JSON.parse(Buffer.from(unzipSync(zip)['evidence.json']!).toString())
    expect(index.materials.map(({ source }: { source: string }) => source)).toEqual([
      material!.source,
      again.source,
    ])
  })

  it('is refused if it exceeds 3 MiB', async () => {
    const certificates = [new Uint8Array(3 * 1024 * 1024)]
    expect(await writeContainer({ ...input, certificates }, signStatement)).toEqual({
      ok: false,
      error: 'too_large',
    })
  })
})

async function containerFiles({ zip }: Container) {
  return { files: new Map(Object.entries(unzipSync(zip))) }
}

describe('manifest', () => {
  it('names the time stamp only if a time stamp will be added', async () => {
    expect(`${Buffer.from(container.manifest)}`).not.toContain('SigReference')
    const stamped = await containerOf({ ...input, time_stamp: true })
    expect(`${Buffer.from(stamped.manifest)}`).toContain(
      '<asic:SigReference URI="META-INF/timestamp.tst" MimeType="application/vnd.etsi.timestamp-token"/>',
    )
    expect(readManifest(stamped.manifest)?.timeStamp).toBe(true)
  })

  it('is rejected after a change of any byte that is not part of a digest', () => {
    const good = readManifest(container.manifest)!
    for (let i = 0; i < container.manifest.length; i++) {
      const changed = container.manifest.slice()
      changed[i]! ^= 1
      const read = readManifest(changed)
      const isSame = read !== undefined && Buffer.from(writeManifest(read)).equals(Buffer.from(changed))
      expect(read === undefined || isSame, `byte ${i}`).toBe(true)
      expect(read, `byte ${i}`).not.toEqual(good)
    }
  })
})

describe('names of presentations', () => {
  it.each([
    ['pid', 'response/pid-'],
    ['PID', 'response/q3-'],
    ['q3', 'response/q3-'],
    ['../x', 'response/q3-'],
    ['a/b', 'response/q3-'],
    ['a\0b', 'response/q3-'],
    ['', 'response/q3-'],
  ])('contain the query id %j only if the id has simple characters', (id, name) => {
    expect(queryName({ id }, 3)).toBe(name)
  })

  it.each([
    ['dc+sd-jwt', 'a~b~'],
    ['mso_mdoc', 'o2Ro'],
    ['mso_mdoc', 'not base64url'],
    ['jwt_vc_json', 'a.b.c'],
    ['ldp_vc', { type: 'x' }],
  ])(
    'a presentation in the format %s is the same after it is written to a file and read',
    (format, presentation) => {
      expect(readPresentation(writePresentation(format, presentation))).toEqual(presentation)
    },
  )
})

describe('sealed container', () => {
  it.each(['EC P-256', 'EC P-384', 'RSA'])(
    'is decrypted by jose with the private key of each recipient: %s',
    async (name) => {
      const keys = await sealingKeys()
      const sealed = await sealContainer(
        container.zip,
        Object.values(keys).map(({ jwk }) => jwk),
      )
      expect(sealed.recipients.map(({ header }) => header.alg)).toEqual([
        'ECDH-ES+A256KW',
        'ECDH-ES+A256KW',
        'RSA-OAEP-256',
      ])
      const { plaintext, protectedHeader } = await generalDecrypt(
        JSON.parse(JSON.stringify(sealed)),
        keys[name]!.privateKey,
      )
      expect(protectedHeader).toMatchObject({ enc: 'A256GCM', cty: 'application/zip' })
      expect(Buffer.from(plaintext).equals(Buffer.from(container.zip))).toBe(true)
    },
  )

  it('is decrypted if it has only one recipient', async () => {
    const { RSA } = await sealingKeys()
    const sealed = await sealContainer(container.zip, [RSA!.jwk])
    const { plaintext } = await generalDecrypt(JSON.parse(JSON.stringify(sealed)), RSA!.privateKey)
    expect(plaintext.length).toBe(container.zip.length)
  })

  it('is not created for a public key whose point is not on the curve', async () => {
    const { d: _, ...key } = await makeJwk()
    const jwk = { ...key, kid: 'k', y: key.x } as SealingKey
    await expect(sealContainer(container.zip, [jwk])).rejects.toThrow()
  })
})

async function sealingKeys() {
  const make = async (alg: string, kid: string, options: object) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true, ...options })
    return { jwk: { ...(await exportJWK(publicKey)), kid } as SealingKey, privateKey }
  }
  return {
    'EC P-256': await make('ECDH-ES+A256KW', 'a', { crv: 'P-256' }),
    'EC P-384': await make('ECDH-ES+A256KW', 'b', { crv: 'P-384' }),
    RSA: await make('RSA-OAEP-256', 'c', {}),
  } as Record<string, { jwk: SealingKey; privateKey: CryptoKey }>
}
