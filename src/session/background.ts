// Where the failures of work end that nobody waits for. Such work is begun only after the write that owes it, and its alarm
// stands behind it: what failed is done again. The line names the kind of error alone: a message may quote what was sent.

/** Runs the work; logs what it throws or rejects with. Never rejects. */
export async function inBackground(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    console.error(JSON.stringify({ event: 'background_fault', error: name }))
  }
}
