// Output of workerd. It is held back while the service starts, so that log lines do not stand between the
// texts of the start, and a start that fails prints its reason alone.

/** Most bytes that are held back. What exceeds them is printed at once. */
const HELD_BYTES = 262_144

/** Returns `attach(child)`, `release()` and `discard()`. A released output is passed on at once. */
export function holdOutput() {
  let held = []
  let bytes = 0
  const release = () => {
    for (const { stream, chunk } of held ?? []) stream.write(chunk)
    held = undefined
  }
  const pass = (stream) => (chunk) => {
    if (held === undefined) return stream.write(chunk)
    held.push({ stream, chunk })
    bytes += chunk.length
    if (bytes > HELD_BYTES) release()
  }
  return {
    attach(child) {
      child.stdout.on('data', pass(process.stdout))
      child.stderr.on('data', pass(process.stderr))
    },
    release,
    discard() {
      held &&= []
    },
  }
}
