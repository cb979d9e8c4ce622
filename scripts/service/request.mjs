// A request to the service this launcher started. Its certificate is not checked: it may be for another name, and who answers
// is known by the boot id.

import * as http from 'node:http'
import * as https from 'node:https'

/** Sends one request; resolves to `{ status, text, json() }`, where `json()` is `undefined` for other text. */
export function request(method, url, { bearer, body } = {}) {
  const { request: send } = url.startsWith('https:') ? https : http
  const headers = {
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(body && { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    const sent = send(url, { method, headers, agent: false, rejectUnauthorized: false, timeout: 5_000 })
    sent.once('error', reject)
    sent.once('timeout', () => sent.destroy(new Error('timeout')))
    sent.once('response', (response) => {
      const chunks = []
      response.once('error', reject)
      response.on('data', (chunk) => chunks.push(chunk))
      response.once('end', () => resolve(answer(response.statusCode, Buffer.concat(chunks).toString())))
    })
    sent.end(body && JSON.stringify(body))
  })
}

function answer(status, text) {
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
