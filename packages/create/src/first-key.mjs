// Starts the service of a new folder once. The service creates a relying party in test mode, and keeps its
// state in `.dev`.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The service prints this before the first call. */
const READY = 'Create a session:\n\n'
const LIMIT_MS = 120_000

/**
 * Runs `scripts/<program>.mjs` until it has printed the first call, then ends it. Returns the API key, and
 * the call as a `curl` command that reads the key from its file.
 */
export async function firstKey(folder, program) {
  const child = spawn(process.execPath, [join('scripts', `${program}.mjs`)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  try {
    const call = await callPrintedBy(child, ended)
    return { apiKey: readKey(folder), call }
  } finally {
    clearTimeout(timer)
    child.kill('SIGTERM')
    await ended
  }
}

function callPrintedBy(child, ended) {
  let output = ''
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        const [, call] = output.split(READY)
        if (call?.includes('\n\n')) resolve(call.split('\n\n')[0].replace(/\n+$/, ''))
      })
    }
    child.once('error', reject)
    ended.then((code) => reject(new Error(`The service ended with ${code}:\n${output}`)))
  })
}

function readKey(folder) {
  return JSON.parse(readFileSync(join(folder, '.dev', 'demo-relying-party.json'), 'utf8')).api_key
}
