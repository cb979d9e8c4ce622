// Programs of the Debian package `prometheus`. Tests that need them are skipped where they are not installed,
// except with CI_FULL=1.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../scripts/service/demo-shop.mjs'
import { diesWithParent } from '../../../scripts/service/workerd.mjs'

export const RULES = join(import.meta.dirname, '../../../docs/prometheus.rules.yml')

/** True if the tests with this program are to be skipped. */
export function isMissing(program: 'prometheus' | 'promtool'): boolean {
  return process.env.CI_FULL !== '1' && spawnSync(program, ['--version']).error !== undefined
}

/** Runs promtool. Returns its exit code and its output. */
export function promtool(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/** A Prometheus that reads one service, with the rules of docs/prometheus.rules.yml. */
export type Prometheus = {
  /** Returns the alerts that fire now. */
  readonly firing: () => Promise<readonly string[]>
  /** Returns the value of a query; undefined if there is none. */
  readonly value: (query: string) => Promise<number | undefined>
  readonly stop: () => Promise<void>
}

/** Starts Prometheus. `rules`: text of the rules. It scrapes every 15 s, as Debian's configuration does. */
export async function startPrometheus(
  target: string,
  { tokenFile, rules = readFileSync(RULES, 'utf8') }: { readonly tokenFile: string; readonly rules?: string },
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'))
  writeFileSync(join(folder, 'rules.yml'), rules)
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 15s, evaluation_interval: 1s }
rule_files: [rules.yml]
scrape_configs:
  - job_name: wallet-verifier
    authorization: { credentials_file: ${tokenFile} }
    static_configs: [{ targets: ['${target}'] }]
`,
  )
  const address = `127.0.0.1:${await freePort(0)}`
  const options = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ]
  const [command = '', ...args] = [...diesWithParent(), 'prometheus', ...options]
  const child = spawn(command, args, { stdio: 'ignore' })
  const read = async (path: string) => {
    // biome-ignore lint/suspicious/noExplicitAny: responses of a foreign program
    const { data } = (await (await fetch(`http://${address}/api/v1/${path}`)).json()) as any
    return data
  }
  return {
    firing: async () =>
      (await read('alerts')).alerts
        .filter(({ state }: { state: string }) => state === 'firing')
        .map(({ labels }: { labels: { alertname: string } }) => labels.alertname),
    value: async (query) => {
      const [first] = (await read(`query?query=${encodeURIComponent(query)}`)).result
      return first === undefined ? undefined : Number(first.value[1])
    },
    stop: async () => {
      await ended(child)
      rmSync(folder, { recursive: true })
    },
  }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
