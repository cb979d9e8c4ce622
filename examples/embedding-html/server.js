// The server behind both examples of embedding. It creates the verification and reads its outcome: what the
// browser reports decides nothing. See README.md.

import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const PORT = Number(process.env.PORT ?? 3000)
const VERIFIER_URL = required('VERIFIER_URL')
const API_KEY = required('VERIFIER_API_KEY')

/** Files of the page. The element is a file of the installed package: dist/element.js. */
const folder = new URL(`${process.argv[2] ?? 'public'}/`, import.meta.url)
const FILES = {
  '/': ['text/html; charset=utf-8', new URL('index.html', folder)],
  '/app.js': ['text/javascript; charset=utf-8', new URL('app.js', folder)],
  '/wallet-verifier.js': [
    'text/javascript; charset=utf-8',
    new URL('../../packages/client/dist/element.js', import.meta.url),
  ],
}

/** The page may frame the verifier, and loads nothing from elsewhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  `frame-src ${new URL(VERIFIER_URL).origin}`,
].join('; ')

/** Visitor → id of their verification. A real site has sessions and a database. */
const verifications = new Map()

createServer(async (request, response) => {
  try {
    await route(request, response)
  } catch (error) {
    console.error(error)
    send(response, 502, { error: 'The verifier did not answer as expected.' })
  }
}).listen(PORT, '127.0.0.1', () => console.log(`The page is open: http://localhost:${PORT}`))

async function route(request, response) {
  const call = `${request.method} ${request.url}`
  if (call === 'POST /verification') return createVerification(response)
  if (call === 'GET /outcome') return readOutcome(request, response)
  const file = request.method === 'GET' ? FILES[request.url] : undefined
  if (file === undefined) return send(response, 404, { error: 'not found' })
  const [type, path] = file
  response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': POLICY })
  response.end(await readFile(fileURLToPath(path)))
}

// 1. Ask. The page shows `session_url` in the element.
async function createVerification(response) {
  const visitor = randomUUID()
  const { verification_id, session_url } = await callVerifier('POST', '/v1/verify', {
    credential_types: ['age_attestation'],
    scope: ['age_over_18'],
    purpose: 'We sell wine to adults only.',
  })
  verifications.set(visitor, verification_id)
  response.setHeader('Set-Cookie', `visitor=${visitor}; HttpOnly; SameSite=Lax; Path=/`)
  send(response, 201, { session_url })
}

// 2. Decide, by what this server reads.
async function readOutcome(request, response) {
  const [, visitor] = /(?:^|; )visitor=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.cookie ?? '') ?? []
  const id = verifications.get(visitor)
  if (id === undefined) return send(response, 404, { error: 'not found' })
  const { status, checks } = await callVerifier('GET', `/v1/verify/${id}`)
  send(response, 200, { status, isAdult: status === 'verified' && checks.age_over_18 === true })
}

async function callVerifier(method, path, body) {
  const response = await fetch(VERIFIER_URL + path, {
    method,
    headers: { Authorization: `Bearer ${API_KEY}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.code}`)
  return answer
}

function send(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end(JSON.stringify(body))
}

function required(name) {
  const value = process.env[name]
  if (value) return value
  console.error(`Set ${name}: see README.md.`)
  process.exit(1)
}
