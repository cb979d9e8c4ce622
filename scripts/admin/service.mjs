// The service that is meant, and one call of it.

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ROOT } from '../service/paths.mjs'

/**
 * `{ origin, token }`: BASE_URL and ADMIN_TOKEN; without BASE_URL the local service on PORT, without ADMIN_TOKEN the one kept in STATE_DIR. A
 * token of this machine goes to another address only where STATE_DIR is named, too. Or `{ fault }`.
 */
export function findService(env) {
  const origin = env.BASE_URL ?? `http://localhost:${env.PORT ?? '8787'}`
  if (!isSafe(origin))
    return { fault: 'BASE_URL must be https: the token goes along. (http on loopback alone.)' }
  if (env.ADMIN_TOKEN !== undefined) return { origin, token: env.ADMIN_TOKEN }
  if (env.BASE_URL !== undefined && env.STATE_DIR === undefined)
    return { fault: 'Set ADMIN_TOKEN beside BASE_URL.' }
  const path = join(resolve(ROOT, env.STATE_DIR ?? '.dev'), 'keys', 'admin-token')
  if (!existsSync(path)) return { fault: `There is no ${path}: start the service once, or set ADMIN_TOKEN.` }
  return { origin, token: readFileSync(path, 'utf8').trim() }
}

function isSafe(origin) {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return (
    protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
  )
}

/** Sends the call: `{ status, body }`, `body` undefined where there is none; `{ fault }` where no answer came. */
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
    return { fault: `${origin} did not answer: ${error.cause?.message ?? error.message}` }
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
