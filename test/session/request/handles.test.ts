import { describe, expect, it } from 'vitest'
import {
  HANDLE_LENGTH,
  MAXIMUM_NUMBER,
  makeHandle,
  readHandle,
} from '../../../src/session/request/handles.ts'

const KEY = new Uint8Array(32).fill(7)

describe('the handles in the addresses of requests', () => {
  it.each([1, 255, 256, 65_536, MAXIMUM_NUMBER])('contain the number %d of their request', async (number) => {
    const handle = await makeHandle(KEY, 'state', number)
    expect(handle).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(handle).toHaveLength(HANDLE_LENGTH)
    expect(await readHandle(KEY, 'state', handle)).toBe(number)
  })

  it('are unknown if they are for another purpose or made with another key', async () => {
    const handle = await makeHandle(KEY, 'state', 1)
    expect(await readHandle(KEY, 'kid', handle)).toBeUndefined()
    expect(await readHandle(KEY, 'request', handle)).toBeUndefined()
    expect(await readHandle(new Uint8Array(32).fill(8), 'state', handle)).toBeUndefined()
  })

  it('are unknown if any character is changed, added or missing', async () => {
    const handle = await makeHandle(KEY, 'request', 1)
    for (let i = 0; i < handle.length; i++) {
      const other = handle[i] === 'A' ? 'B' : 'A'
      expect(
        await readHandle(KEY, 'request', handle.slice(0, i) + other + handle.slice(i + 1)),
      ).toBeUndefined()
    }
    expect(await readHandle(KEY, 'request', `${handle}A`)).toBeUndefined()
    expect(await readHandle(KEY, 'request', handle.slice(0, -1))).toBeUndefined()
    expect(await readHandle(KEY, 'request', '')).toBeUndefined()
  })
})
