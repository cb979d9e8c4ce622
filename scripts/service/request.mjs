// Sends a request to the local service. Its certificate is not checked, since it may be for another name. The
// boot id shows which process responds.

import * as http from 'node:http'
import * as https from 'node:https'

/**
 * Sends one request. Resolves to `{ status, text, json() }`; `json()` returns `undefined` for text that is
 * not JSON.
 */
export function request(
  method,
  url,
  { bearer, body, socketPath, headers: more = {}, timeoutMs = 5_000 } = {},
) {
  const { request: send } = url.startsWith('https:') ? https : http
  const headers = {
    ...more,
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(body && { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    const sent = send(url, {
      method,
      headers,
      agent: false,
      rejectUnauthorized: false,
      timeout: timeoutMs,
      socketPath,
    })
    sent.once('error', reject)
    sent.once('timeout', () => sent.destroy(new Error('timeout')))
    sent.once('response', (response) => {
      const chunks = []
      response.once('error', reject)
      response.on('data', (chunk) => chunks.push(chunk))
      response.once('end', () => resolve(responseOf(response.statusCode, Buffer.concat(chunks).toString())))
    })
    sent.end(body && JSON.stringify(body))
  })
}

function responseOf(status, text) {
  return {
    status,
    text,
    json() {
      try {
        return JSON.parse(text)
      } catch {
        return undefined
      }
    },
  }
}
