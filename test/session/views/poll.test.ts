import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { configOf } from '../../../src/config.ts'
import { pollView } from '../../../src/session/views/poll.ts'
import { VERIFIED } from '../recorded-sessions.ts'

describe('what a relying party polls', () => {
  const config = configOf(env)

  it('is written once for a document, and again for another', async () => {
    const document = VERIFIED
    const view = await pollView(document, config)
    expect(await pollView(document, config)).toBe(view)
    const other = await pollView({ ...document }, config)
    expect(other).not.toBe(view)
    expect(other).toEqual(view)
  })

  it('is the state of the document it is asked for, whichever was asked for before', async () => {
    const document = VERIFIED
    await pollView(document, config)
    const changed = { ...document, status: 'pending', version: document.version + 1 } as const
    const view = await pollView(changed, config)
    expect(view.version).toBe(document.version + 1)
    expect(JSON.parse(view.json)).toMatchObject({ status: 'pending', version: document.version + 1 })
  })
})
