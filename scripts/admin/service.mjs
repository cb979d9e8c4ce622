// Finds the service that a command is for, and sends one request to it.

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ROOT } from '../service/paths.mjs'

/**
 * Returns `{ origin, token }` or `{ error }`. Without BASE_URL it is the local service on PORT. Without
 * ADMIN_TOKEN it is the token in STATE_DIR. A local token goes to another address only if STATE_DIR is set
 * explicitly.
 */
export function findService(env) {
  const origin = env.BASE_URL ?? `http://localhost:${env.PORT ?? '8787'}`
  if (!isSafe(origin))
    return {
      error:
        'BASE_URL must be an https URL, because the token is sent to it. http is allowed on loopback only.',
    }
  if (env.ADMIN_TOKEN !== undefined) return { origin, token: env.ADMIN_TOKEN }
  if (env.BASE_URL !== undefined && env.STATE_DIR === undefined)
    return { error: 'BASE_URL needs ADMIN_TOKEN: set both.' }
  const path = join(resolve(ROOT, env.STATE_DIR ?? '.dev'), 'keys', 'admin-token')
  if (!existsSync(path))
    return { error: `${path} does not exist: start the service once, or set ADMIN_TOKEN.` }
  return { origin, token: readFileSync(path, 'utf8').trim() }
}

function isSafe(origin) {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return (
    protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
  )
}

/**
 * Sends the request. Returns `{ status, body }` with `body` undefined if it is empty, or `{ error }` without
 * a response.
 */
export async function send({ origin, token }, { method, path, query, body }) {
  const url = new URL(`/v1/admin${path}`, origin)
  url.search = new URLSearchParams(query).toString()
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  try {
    const signal = AbortSignal.timeout(60_000)
    const init = { method, headers, redirect: 'error', signal, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(url, init)
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : parse(text) }
  } catch (error) {
    return { error: `${origin} did not answer: ${error.cause?.message ?? error.message}` }
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
