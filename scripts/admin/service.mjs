// Finds the service that a command is for, and sends one request to it.

import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { readOptions } from '../service/options.mjs'
import { ROOT } from '../service/paths.mjs'
import { request } from '../service/request.mjs'

const TIMEOUT_MS = 60_000

/**
 * Returns `{ origin, token, isLocal }` or `{ error }`. `origin` is the local service if BASE_URL is not set.
 * It is the local service, too, if STATE_DIR is set and a service has started there: BASE_URL is then the
 * public address of that service. The address of the local service follows from HOST, PORT and TLS_CERT, as
 * in `npm start`. Without ADMIN_TOKEN, `token` is the token in STATE_DIR. The token of the local service is
 * sent to another address only if STATE_DIR is set explicitly.
 */
export function findService(env) {
  const { origin, isLocal, error } = serviceOrigin(isHere(env) ? { ...env, BASE_URL: undefined } : env)
  if (error !== undefined) return { error }
  if (env.ADMIN_TOKEN !== undefined) return { origin, token: env.ADMIN_TOKEN, isLocal }
  if (!isLocal && env.STATE_DIR === undefined) return { error: 'BASE_URL needs ADMIN_TOKEN: set both.' }
  const path = join(resolve(ROOT, env.STATE_DIR ?? '.dev'), 'keys', 'admin-token')
  if (!existsSync(path))
    return { error: `${path} does not exist: start the service once, or set ADMIN_TOKEN.` }
  return { origin, token: readFileSync(path, 'utf8').trim(), isLocal }
}

/** Returns `true` if a service of this machine has started in STATE_DIR. */
function isHere({ STATE_DIR }) {
  return STATE_DIR !== undefined && existsSync(join(resolve(ROOT, STATE_DIR), 'launcher.lock'))
}

/** Returns `{ origin, isLocal }` or `{ error }`. */
export function serviceOrigin(env) {
  const isLocal = env.BASE_URL === undefined
  let origin = env.BASE_URL
  try {
    origin ??= readOptions(env).origin
  } catch (error) {
    return { error: error.message }
  }
  if (isLocal || isSafe(origin)) return { origin, isLocal }
  return {
    error: 'BASE_URL must be an https URL, because a secret is sent to it. http is allowed on loopback only.',
  }
}

function isSafe(origin) {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return (
    protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
  )
}

/**
 * Sends the request; `path` is below `root`. Returns `{ status, text, body }` with `body` undefined if it is
 * empty, or `{ error }` without a response. The certificate of the local service is for its public name, so
 * it is not checked here.
 */
export async function send({ origin, token, isLocal }, { method, path, query, body, root = '/v1/admin' }) {
  const url = new URL(`${root}${path}`, origin)
  url.search = new URLSearchParams(query).toString()
  const operator = operatorName()
  try {
    if (isLocal && url.protocol === 'https:') {
      const options = { bearer: token, body, timeoutMs: TIMEOUT_MS, headers: { operator } }
      return responseOf(await request(method, url.href, options))
    }
    const headers = {
      authorization: `Bearer ${token}`,
      operator,
      ...(body && { 'content-type': 'application/json' }),
    }
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const init = { method, headers, redirect: 'error', signal, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(url, init)
    return responseOf({ status: response.status, text: await response.text() })
  } catch (error) {
    return { error: `${origin} did not answer: ${error.cause?.message ?? error.message}` }
  }
}

/** Returns the name of the user, for the log of the service. */
function operatorName() {
  try {
    return userInfo()
      .username.replace(/[^\w.@+-]/g, '_')
      .slice(0, 64)
  } catch {
    return 'unknown' // a user without an entry, as in some containers
  }
}

function responseOf({ status, text }) {
  return { status, text, body: text === '' ? undefined : parse(text) }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
