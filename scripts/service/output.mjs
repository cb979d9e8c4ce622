// Output of workerd that the launcher reads: errors, and on a terminal also log lines. It is delayed while
// the service starts, so that no line is printed between the texts of the start. A start that fails prints
// only its reason.

import { createInterface } from 'node:readline'

/** Largest number of delayed lines. Then all lines are printed. */
const HELD_LINES = 1_000
/** A log line of level `info` (src/metrics/log-line.ts). */
const INFO = /^\{"time":"[^"]*","level":"info",/

/**
 * Returns `attach(child)`, `release()` and `discard()`. A released output is passed on at once. Lines of
 * level `info` before the release are dropped: the start has caused them itself.
 *
 * @param {Record<'stdout' | 'stderr', NodeJS.WritableStream>} streams where released output goes
 */
export function holdOutput({ stdout, stderr } = process) {
  let held = []
  const release = () => {
    for (const print of held ?? []) print()
    held = undefined
  }
  const hold = (from, to) => {
    createInterface({ input: from }).on('line', (line) => {
      const print = () => to.write(`${line}\n`)
      if (held === undefined) return print()
      if (INFO.test(line)) return
      held.push(print)
      if (held.length > HELD_LINES) release()
    })
  }
  return {
    attach(child) {
      if (child.stdout !== null) hold(child.stdout, stdout)
      hold(child.stderr, stderr)
    },
    release,
    discard() {
      held &&= []
    },
  }
}
