// The runs behind docs/proof.md, for `npm run proof`.

/** By name, in the order of `all`: program, what the run shows, and its arguments in `all` at both sizes. */
export const PROOFS = {
  coverage: proof('test/support/counters/main.mjs', 'lines and branches of src that tests reach'),
  simulate: proof(
    'test/simulation/main.ts',
    'objects of the service over a simulated platform with faults',
    inBothForms('--seed 1 --histories 100000'),
    inBothForms('--seed 1 --histories 1000'),
  ),
  chaos: proof(
    'test/slow/crash/chaos.ts',
    'kills at random moments under mixed load, with a ledger',
    inBothForms('--kills 1000'),
    '--kills 20',
  ),
  // At the size of CI, the faults are part of the tests.
  faults: proof(
    'test/faults/main.mjs',
    'full disk, overdue sessions, hanging receivers; 90 minutes',
    '',
    null,
  ),
  year: proof(
    'test/slow/year/main.ts',
    'a year of sessions on one machine, with a clock that is moved; half an hour',
    '',
    '--days 4 --a-day 10 --step 2 --every 1',
  ),
  'start-size': proof(
    'test/slow/year/start-size.ts',
    'starts with 100,000 stored sessions and a million files of erased ones; minutes',
    '',
    '--sessions 1000 --erased 10000 --starts 2',
  ),
  sizes: proof(
    'test/support/runner/sizes.mjs',
    'changes of lists in XML and of evidence, the library against the service; an hour',
    '',
    null,
  ),
  fuzz: proof(
    'test/system/fuzz/main.ts',
    'requests to every operation, and good responses, with one change',
    '--requests 1000000',
    '--requests 10000',
  ),
  mutation: proof(
    'test/mutation/main.mjs',
    'changes of the sources that no test notices; hours',
    '',
    'state',
  ),
  load: proof(
    'bench/load/main.ts',
    'load on the service and on its floors; with --peers, on other verifiers',
    '--peers',
    '--seconds 10 --rates 5 --rounds 1',
  ),
  bench: proof('bench/main.ts', 'cost of the service and of libraries, on workerd'),
  // Keycloak takes minutes, and runs only if it is named.
  clients: proof(
    'scripts/clients/main.ts',
    'generated clients, oauth2-proxy and examples against a service',
    ['', 'keycloak'],
  ),
  screenshots: proof(
    'test/browser/screenshots.mjs',
    'pictures of the pages for docs/screenshots',
    null,
    null,
  ),
  sample: proof(
    'scripts/sample.mjs',
    'comments and test titles by chance, for a reader to judge',
    null,
    null,
  ),
}

/** Returns the arguments of two runs: with an object for each session, and with shared objects. */
function inBothForms(options) {
  return ['own', 'shared'].map((form) => `--form ${form} ${options}`)
}

/** `null` instead of arguments leaves the run out of `all`. A list has the arguments of several runs. */
function proof(program, shows, full = '', small = '') {
  return { program, shows, full, small }
}

/**
 * Returns the commands of `npm run proof -- all` in order, without the leading `npm`. With `small`, long runs
 * have the size of CI, and the load has no peers, which come from the package registry.
 */
export function proofSteps({ small }) {
  const runs = Object.entries(PROOFS).map(([name, { [small ? 'small' : 'full']: options }]) => [
    name,
    options,
  ])
  return [
    'run check',
    'test -- --all',
    ...runs
      .filter(([, options]) => options !== null)
      .flatMap(([name, options]) => [options].flat().map((one) => [name, one]))
      .flatMap(([name, options]) => [
        ...(options === '--peers' ? ['ci --prefix bench/peers'] : []),
        `run proof -- ${name} ${options}`.trim(),
      ]),
  ]
}
