// The runs of `npm run proof`, in order, at full size and at the size of CI.

/**
 * Steps of a proof: the arguments of npm. With `small`, long runs have the size that CI has, and the load has
 * no peers, which come from the package registry. The faults are left out: `npm test` has them at small size.
 */
export function proofSteps({ small }) {
  const size = (full, least) => (small ? least : full)
  return [
    step('check', ['run', 'check']),
    step('test', ['test']),
    step('coverage', ['run', 'coverage']),
    step('simulate', ['run', 'simulate', '--', '--seed', '1', '--histories', size('100000', '2000')]),
    step('chaos', ['run', 'chaos', '--', '--kills', size('1000', '20')]),
    ...size([step('faults', ['run', 'faults'])], []),
    step('fuzz', ['run', 'fuzz', '--', '--requests', size('1000000', '10000')]),
    step('mutation', ['run', 'mutation', ...size([], ['--', 'state'])]),
    ...size([step('peers', ['ci', '--prefix', 'bench/peers'])], []),
    step('load', ['run', 'load', '--', ...size(['--peers'], ['--seconds', '10', '--rates', '5'])]),
    step('bench', ['run', 'bench']),
    step('clients', ['run', 'clients']),
  ]
}

function step(name, args) {
  return { name, args }
}

/**
 * Runs every step with `run`, which returns an exit code, or null where a signal ended the run. A failure
 * does not stop the steps after it.
 */
export function runSteps(steps, run, now = Date.now) {
  return steps.map(({ name, args }) => {
    const begun = now()
    const exit = run(args)
    return { name, command: `npm ${args.join(' ')}`, minutes: Math.round((now() - begun) / 6_000) / 10, exit }
  })
}

/** Returns the table of results, and the exit code of all: 0 only where each has 0. */
export function proofSummary(results) {
  const head = ['step', 'exit code', 'minutes', 'command']
  const cells = results.map(({ name, exit, minutes, command }) => [
    name,
    String(exit ?? 'signal'),
    minutes.toFixed(1),
    command,
  ])
  const widths = head.map((title, i) =>
    Math.max(...[[...head], ...cells].map((row) => row[i].length), title.length),
  )
  const line = (row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd()
  const isGood = results.length > 0 && results.every(({ exit }) => exit === 0)
  return { table: [head, ...cells].map(line).join('\n'), exitCode: isGood ? 0 : 1 }
}
