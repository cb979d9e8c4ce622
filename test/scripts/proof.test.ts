// `npm run proof`, with a program in place of npm that records its arguments.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { PROOFS, proofSteps } from '../../scripts/service/proofs.mjs'

const directory = mkdtempSync(join(tmpdir(), 'proof-'))
afterAll(() => rmSync(directory, { recursive: true }))
writeFileSync(
  join(directory, 'npm'),
  '#!/bin/sh\necho "$@" >> "$LOG"\ncase "$*" in "$FAILS") eval "$END";; esac\n',
  {
    mode: 0o755,
  },
)

/** Runs the command. The step `fails` ends with the shell command `end`. */
function proof(args: readonly string[], fails = 'none', end = 'exit 3') {
  const LOG = join(directory, 'log')
  rmSync(LOG, { force: true })
  const env = { ...process.env, PATH: `${directory}:${process.env.PATH}`, LOG, FAILS: fails, END: end }
  const { status, stdout } = spawnSync(process.execPath, ['scripts/proof.mjs', ...args], {
    env,
    encoding: 'utf8',
  })
  return { status, stdout, steps: existsSync(LOG) ? readFileSync(LOG, 'utf8').trimEnd().split('\n') : [] }
}

describe('npm run proof', () => {
  it('prints the name of every proof, and the program of each proof exists', () => {
    const { status, stdout } = proof([])
    expect(status).toBe(0)
    for (const [name, { program }] of Object.entries(PROOFS)) {
      expect(stdout).toContain(`  ${name} `)
      expect(existsSync(program), program).toBe(true)
    }
  })

  it('refuses an unknown proof name, and runs nothing', () => {
    expect(proof(['luck'])).toMatchObject({ status: 2, steps: [] })
    expect(proof(['all', '--tiny'])).toMatchObject({ status: 2, steps: [] })
  })

  it.each([
    [['all'], false],
    [['all', '--small'], true],
  ] as const)('runs each step once for the arguments %j', (args, small) => {
    expect(proof(args)).toMatchObject({ status: 0, steps: proofSteps({ small }) })
  })

  it.each(['exit 3', 'kill -9 $$'])(
    'still runs the steps after a step that ends with %s, and then fails',
    (end) => {
      expect(proof(['all'], 'run check', end)).toMatchObject({
        status: 1,
        steps: proofSteps({ small: false }),
      })
    },
  )

  it('runs the proofs in the sizes that docs/proof.md promises', () => {
    const steps = proofSteps({ small: false })
    for (const run of [
      ...['own', 'shared'].flatMap((form) => [
        `simulate --form ${form} --seed 1 --histories 100000`,
        `chaos --form ${form} --kills 1000`,
      ]),
      'fuzz --requests 1000000',
    ]) {
      expect(steps).toContain(`run proof -- ${run}`)
    }
    const others = ['coverage', 'faults', 'mutation', 'load --peers', 'bench', 'clients', 'clients keycloak']
    for (const name of others) {
      expect(steps).toContain(`run proof -- ${name}`)
    }
  })
})
