// Notes of sessions in the memory of one process, if they cannot be stored.

import { withEnv } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import type { SessionNote } from '../../src/relying-party/session-counts.ts'
import { addNote, storeNotes } from '../../src/session/store/session-notes.ts'
import { bindingsWith } from '../workerd/one-process.ts'

it('notes that could not be stored are kept, and the next attempt stores the newest note of each session', async () => {
  const full = new Error('storage is full')
  const noteSessions = vi.fn<(notes: readonly SessionNote[]) => Promise<void>>()
  const bindings = bindingsWith({ noteSessions })
  const add = (note: SessionNote) => withEnv(bindings, () => addNote(note))
  add(note('v_a', 1))
  add(note('v_b', 1))
  noteSessions.mockImplementationOnce(async () => {
    add(note('v_a', 2))
    throw full
  })
  await expect(storeNotes(bindings)).rejects.toBe(full)
  noteSessions.mockResolvedValue()
  await storeNotes(bindings)
  await storeNotes(bindings) // has nothing to store
  expect(noteSessions.mock.calls).toEqual([
    [[note('v_a', 1), note('v_b', 1)]],
    [[note('v_b', 1), note('v_a', 2)]],
  ])
})

/** A note that only memory has, until all notes are stored. */
function note(id: string, pendingUntil: number): SessionNote {
  const waiting = { pending_until: pendingUntil, queued_events: 0, dead_events: 0 }
  return { verification_id: id, livemode: false, ...waiting }
}
