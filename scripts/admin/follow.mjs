// Reads the event log for a relying party. The reads continue after an outage of the service.

import { readableProblem } from './print.mjs'

/** Time between two reads of the event log. */
const PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 60_000
const TIMEOUT_MS = 30_000

/**
 * Calls `onEvent` for each event in order. With `once`, ends after the newest event. Otherwise reads until
 * the process ends, and returns old events only with `all`. If the service does not respond, or responds with
 * 429 or 5xx, waits and repeats the read.
 */
export async function follow(call, { once = false, all = false }, onEvent, pause = wait) {
  let after = once || all ? '' : 'latest'
  for (;;) {
    const page = await readPage(call, after, once ? undefined : pause)
    for (const event of page.events) await onEvent(event)
    if (after === 'latest') console.error('Waiting for new events.')
    after = page.next
    if (page.has_more) continue
    if (once) return 0
    await pause(PAUSE_MS)
  }
}

async function readPage(call, after, pause) {
  for (;;) {
    try {
      return await call('/v1/events', new URLSearchParams({ after, limit: '100' }))
    } catch (error) {
      if (pause === undefined || error.retryMs === undefined) throw error
      console.error(`${error.message}\nThe next attempt is in ${error.retryMs / 1000} s.`)
      await pause(error.retryMs)
    }
  }
}

/**
 * Returns the JSON of a response. Throws an error with the exit code of the command. `retryMs` is set if a
 * later call may succeed.
 */
export async function readApi(origin, key, path, query) {
  const url = new URL(path, origin)
  url.search = query.toString()
  const headers = { authorization: `Bearer ${key}` }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const { response, text } = await fetch(url, { headers, redirect: 'error', signal })
    .then(async (response) => ({ response, text: await response.text() }))
    .catch((error) => {
      const reason = error.cause?.message || error.message
      const message = `${origin} did not respond: ${reason}`
      throw Object.assign(new Error(message), { exitCode: 3, retryMs: PAUSE_MS })
    })
  const body = parse(text)
  if (response.ok && body !== undefined) return body
  const isTemporary = response.status === 429 || response.status >= 500
  const members = { exitCode: 1, ...(isTemporary && { retryMs: retryAfter(response) }) }
  throw Object.assign(new Error(readableProblem(response.status, body)), members)
}

/** Returns the wait of `Retry-After` in seconds, within bounds. Other forms count as absent. */
function retryAfter({ headers }) {
  const seconds = Number(headers.get('retry-after') ?? 0)
  return Math.min(Math.max((seconds || 0) * 1000, PAUSE_MS), LONGEST_PAUSE_MS)
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
