import { expect, it } from 'vitest'
import { decodeUtf8 } from '../../src/codec/bytes.ts'
import { readAtMost } from '../../src/net/bounded-read.ts'

const LIMIT = 131_072

/** Body of single letters, each sent as a chunk of its own. */
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

it('the bounded read returns a body as long as the limit, and undefined for a body that is one byte longer', async () => {
  const bytes = await readAtMost(lettersOneByOne(LIMIT), LIMIT)
  expect(bytes && decodeUtf8(bytes)).toBe('a'.repeat(LIMIT))
  expect(await readAtMost(lettersOneByOne(LIMIT + 1), LIMIT)).toBeUndefined()
})
