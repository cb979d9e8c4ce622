import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { pollView } from '../../../src/session/views/poll.ts'
import { VERIFIED } from '../recorded-sessions.ts'

describe('the view for a poll', () => {
  const config = loadConfig(env)

  it('is serialised only once for each stored state', async () => {
    const document = VERIFIED
    const view = await pollView(document, config)
    expect(await pollView(document, config)).toBe(view)
    const other = await pollView({ ...document }, config)
    expect(other).not.toBe(view)
    expect(other).toEqual(view)
  })

  it('shows the state that the caller passes, even after a call with another state', async () => {
    const document = VERIFIED
    await pollView(document, config)
    const changed = { ...document, status: 'pending', version: document.version + 1 } as const
    const view = await pollView(changed, config)
    expect(view.version).toBe(document.version + 1)
    expect(JSON.parse(view.json)).toMatchObject({ status: 'pending', version: document.version + 1 })
  })
})
