import { expect, it } from 'vitest'
import { readText } from '../../src/sandbox/bounded-body.ts'

const LIMIT = 131_072

/** A body of so many letters, each sent by itself. */
function lettersOneByOne(length: number): Request {
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      if (sent++ === length) controller.close()
      else controller.enqueue(Uint8Array.of(0x61))
    },
  })
  return new Request('https://sandbox.invalid', { method: 'POST', body, duplex: 'half' } as RequestInit)
}

it('a body that comes byte by byte is read up to the limit, and no byte further', async () => {
  expect(await readText(lettersOneByOne(LIMIT), LIMIT)).toBe('a'.repeat(LIMIT))
  expect(await readText(lettersOneByOne(LIMIT + 1), LIMIT)).toBeUndefined()
})
