// Evidence in a foreign object store: moto's server with object lock, and boto3, which reads the object. `npm
// run proof -- clients evidence` installs both, and sets MOTO_PYTHON.

import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { utf8 } from '../../src/codec/bytes.ts'
import { sha256 } from '../../src/crypto/digest.ts'
import { objectUrl } from '../../src/evidence/push/object-store.ts'
import { signHead, signPut } from '../../src/evidence/push/signed-request.ts'
import { freePort } from '../support/service/server.ts'
import { WAIT } from '../support/wait.ts'

const { MOTO_PYTHON = '' } = process.env
const SCRIPT = 'test/clients/moto/store.py'
const BODY = utf8('{"object":"evidence","version":1}')

const boto = (...args: readonly string[]) =>
  JSON.parse(String(execFileSync(MOTO_PYTHON, [SCRIPT, ...args]))) as Readonly<Record<string, string>>

it.skipIf(MOTO_PYTHON === '')(
  'the S3 emulator moto accepts an object once, returns its checksum and keeps it locked, if moto is installed',
  async () => {
    const port = await freePort()
    const endpoint = `http://127.0.0.1:${port}`
    const server = spawn(MOTO_PYTHON, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
      env: { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: '4' },
      stdio: 'ignore',
    })
    try {
      await vi.waitFor(() => fetch(`${endpoint}/moto-api/`), WAIT)
      const { access_key_id = '', secret_access_key = '' } = boto('prepare', endpoint)
      const store = { endpoint, region: 'eu-central-1', bucket: 'case-files', prefix: 'bank', retain_days: 3 }
      const access = { ...store, access_key_id, secret_access_key }
      const url = objectUrl(store, 'v_1', Date.UTC(2027, 0, 31))
      const put = async (target: typeof access) => {
        const { headers, method } = await signPut(target, {
          url,
          digest: await sha256(BODY),
          now: Date.now(),
        })
        return fetch(url, { method, headers, body: BODY })
      }
      expect((await put({ ...access, secret_access_key: 'another' })).status).toBe(403)
      const stored = await put(access)
      expect(stored.status).toBe(200)
      const digest = createHash('sha256').update(BODY)
      const [hex, base64] = [digest.copy().digest('hex'), digest.digest('base64')]
      expect(stored.headers.get('x-amz-checksum-sha256')).toBe(base64)
      expect((await put(access)).status).toBe(412)
      const head = await signHead(access, url, Date.now())
      const shown = await fetch(url, { method: 'HEAD', headers: head.headers })
      expect(shown.headers.get('x-amz-checksum-sha256')).toBe(base64)
      const read = boto('read', endpoint, access_key_id, secret_access_key, 'bank/2027/01/v_1.json')
      expect(read).toMatchObject({
        sha256: hex,
        checksum: base64,
        mode: 'COMPLIANCE',
        deletion: 'AccessDenied',
      })
      expect(Math.abs(Date.parse(read.until ?? '') - Date.now() - 3 * 86_400_000)).toBeLessThan(600_000)
    } finally {
      server.kill()
    }
  },
)
