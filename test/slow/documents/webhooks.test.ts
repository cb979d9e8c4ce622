// docs/webhooks.md: the worked example is a real event of the service. The example code is run in each
// installed language. Node is always installed.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyWebhook } from '@wallet-verifier/client/webhook'
import { afterAll, describe, expect, it } from 'vitest'
import { buildEvent, terminalEvent } from '../../../src/session/delivery/event.ts'
import { readDocument } from '../../../src/session/document/document.ts'
import { serialiseEvent } from '../../../src/webhook/event.ts'
import { signatureHeaders } from '../../../src/webhook/signature.ts'
import { textsIn } from '../../documents/pages.ts'
import { checkSignature } from '../../support/service/receiver.ts'

const PAGE = 'docs/webhooks.md'
const [SECRET = '', HEADERS = ''] = textsIn(PAGE, 'text')
const [BODY = '', , STEP = ''] = textsIn(PAGE, 'json')
const headers = Object.fromEntries(HEADERS.split('\n').map((line) => line.split(': ')))
const SIGNATURE: string = headers['X-Service-Signature']
const T = 1_795_254_206
const ORIGIN = 'https://verifier.example'

const directory = mkdtempSync(join(tmpdir(), 'webhooks-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('the worked example of a webhook', () => {
  it('is the pending event of the session that docs/storage.md shows', () => {
    const [session = ''] = textsIn('docs/storage.md', 'json')
    const document = readDocument(JSON.parse(session))
    if (document === undefined || document.erased) throw new Error('not a session')
    expect(BODY).toBe(serialiseEvent(terminalEvent(document, document.deliveries[0]?.event_id ?? '', ORIGIN)))
  })

  it('has the signature that the service computes', async () => {
    const eventId = JSON.parse(BODY).event_id
    expect(headers).toEqual(
      await signatureHeaders({ body: BODY, secrets: [SECRET], eventId, now: T * 1000 + 330 }),
    )
  })

  it('has a body with the number of bytes that the page states', () => {
    expect(Buffer.byteLength(BODY)).toBe(847)
  })
})

it('the example of a step event is the verification.response_refused event of the session in docs/storage.md', () => {
  const [session = ''] = textsIn('docs/storage.md', 'json')
  const document = readDocument(JSON.parse(session))
  if (document === undefined || document.erased) throw new Error('not a session')
  const changed = { status: 'pending', outcome: null, verified_at: null, attempt_count: 1 } as const
  const { event_id, created_at } = JSON.parse(STEP) as { event_id: string; created_at: string }
  const named = {
    event_id,
    event_type: 'verification.response_refused',
    sequence: 3,
    at: Date.parse(created_at),
    reason: 'untrusted_issuer',
  } as const
  expect(JSON.parse(STEP)).toEqual(
    JSON.parse(serialiseEvent(buildEvent({ ...document, ...changed }, named, ORIGIN))),
  )
})

/** Another secret, and a header with both signatures, as during a rotation. */
const OTHER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const signed = await signatureHeaders({
  body: BODY,
  secrets: [OTHER, SECRET],
  eventId: 'evt_x',
  now: T * 1000,
})

const ROTATING = signed['X-Service-Signature'] ?? ''

/** Name, body, header, secret, time, and the expected result. */
const CASES = [
  ['unchanged', BODY, SIGNATURE, SECRET, T, true],
  ['five minutes later', BODY, SIGNATURE, SECRET, T + 300, true],
  ['during a rotation, with the new secret', BODY, ROTATING, OTHER, T, true],
  ['during a rotation, with the old secret', BODY, ROTATING, SECRET, T, true],
  ['with another body', BODY.replace('true', 'false'), SIGNATURE, SECRET, T, false],
  ['with another secret', BODY, SIGNATURE, OTHER, T, false],
  ['with another time', BODY, SIGNATURE.replace('06,', '07,'), SECRET, T, false],
  ['too late', BODY, SIGNATURE, SECRET, T + 301, false],
  ['too early', BODY, SIGNATURE, SECRET, T - 301, false],
  ['without a time', BODY, SIGNATURE.replace('t=', 'u='), SECRET, T, false],
  ['without a signature', BODY, `t=${T}`, SECRET, T, false],
  ['with a signature cut short', BODY, SIGNATURE.slice(0, -2), SECRET, T, false],
  ['with an empty header', BODY, '', SECRET, T, false],
] as const

/**
 * Builds and runs a program with the page's lines. It reads body, header, secret and time of each case, and
 * prints each result.
 */
const LANGUAGES = {
  js: {
    file: 'check.mjs',
    command: (file: string) => [process.execPath, file],
    program: (lines: string) =>
      `${lines}\nfor (let a = process.argv.slice(2); a.length; a = a.slice(4)) console.log(isGenuine(a[0], a[1], a[2], Number(a[3])))`,
  },
  python: {
    file: 'check.py',
    command: (file: string) => ['python3', file],
    program: (lines: string) =>
      `import sys\n${lines}\na = sys.argv[1:]\nfor i in range(0, len(a), 4):\n    print(str(is_genuine(a[i].encode(), a[i + 1], a[i + 2], float(a[i + 3]))).lower())`,
  },
  go: {
    file: 'check.go',
    command: (file: string) => ['go', 'run', file],
    program: (lines: string) =>
      `package main\nimport ("crypto/hmac"; "crypto/sha256"; "encoding/hex"; "fmt"; "math"; "os"; "regexp"; "slices"; "strconv"; "time")\n${lines}
func main() { for a := os.Args[1:]; len(a) > 0; a = a[4:] { now, _ := strconv.ParseInt(a[3], 10, 64); fmt.Println(isGenuine([]byte(a[0]), a[1], a[2], time.Unix(now, 0))) } }`,
  },
  java: {
    file: 'Check.java',
    command: (file: string) => ['java', file],
    program: (lines: string) =>
      `import static java.nio.charset.StandardCharsets.UTF_8; import java.security.*; import java.util.*; import java.util.regex.*; import javax.crypto.*; import javax.crypto.spec.*;
class Check { ${lines}
public static void main(String[] a) throws Exception { for (int i = 0; i < a.length; i += 4) System.out.println(isGenuine(a[i].getBytes(UTF_8), a[i + 1], a[i + 2], Long.parseLong(a[i + 3]))); } }`,
  },
  php: {
    file: 'check.php',
    command: (file: string) => ['php', file],
    program: (lines: string) =>
      `<?php\n${lines}\nforeach (array_chunk(array_slice($argv, 1), 4) as $a) echo is_genuine($a[0], $a[1], $a[2], (int) $a[3]) ? "true\\n" : "false\\n";`,
  },
} as const

const installed = Object.entries(LANGUAGES).filter(([, { command }]) => isInstalled(command('')[0] ?? ''))
const missing = Object.keys(LANGUAGES).filter((name) => !installed.some(([found]) => found === name))
if (missing.length > 0) console.log(`Not installed, so not tested: ${missing.join(', ')}.`)

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v "${program}"`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('the example code', () => {
  it.each(installed)(
    'accepts a genuine webhook and rejects any other: %s',
    (language, { file, command, program }) => {
      const [lines = ''] = textsIn(PAGE, language)
      const path = join(directory, file)
      writeFileSync(path, program(lines))
      const [executable = '', ...args] = command(path)
      const cases = CASES.flatMap(([, body, header, secret, now]) => [body, header, secret, String(now)])
      const output = execFileSync(executable, [...args, ...cases], {
        cwd: directory,
        encoding: 'utf8',
        env: { ...process.env, GOTOOLCHAIN: 'local' }, // downloads no other Go
      })
      const results = output.trim().split('\n')
      expect(CASES.map(([name], i) => [name, results[i]])).toEqual(
        CASES.map(([name, , , , , genuine]) => [name, String(genuine)]),
      )
    },
  )

  it('gives the same result as the typed client and foreign libraries', async () => {
    for (const [, body, header, secret, now, genuine] of CASES) {
      const checked = await verifyWebhook(body, header, { secrets: [secret], now: now * 1000 })
      expect(checked.ok).toBe(genuine)
    }
    // The libraries use the clock, so this webhook is signed now.
    const fresh = await signatureHeaders({ body: BODY, secrets: [SECRET], eventId: 'evt_x', now: Date.now() })
    const request = { headers: fresh, body: Buffer.from(BODY) }
    expect(checkSignature(request, SECRET)).toMatchObject({
      standardwebhooks: { accepted: JSON.parse(BODY) },
      svix: { accepted: JSON.parse(BODY) },
    })
  })
})
