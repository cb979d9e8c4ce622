// Verifies a list in a file, and prints the verdict, the processor time, and the growth of resident memory as
// JSON. test/slow/xml-reader.test.ts starts it for each list, with a limited heap.

import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { TRUST_LIST } from '../../../src/limits.ts'
import { verifyEtsiTl } from '../../../src/trust/lists/etsi-tl.ts'
import { LIST_NOW } from '../../support/certificates/trust-lists.ts'
import { EAA_Q } from '../../support/certificates/xml-lists.ts'

const [file = '', pem = ''] = process.argv.slice(2)
const body = new Uint8Array(readFileSync(file))
const signer = readFileSync(pem, 'utf8')
const grant = { type: EAA_Q, credential_types: ['pid'], assurance_level: 'high' } as const
const rules = {
  signers: [signer],
  listTypes: null,
  territory: null,
  services: Array.from({ length: TRUST_LIST.services }, () => grant),
  last: null,
  now: LIST_NOW,
}
await wait(0)
const before = process.memoryUsage.rss()
const started = process.cpuUsage()
const verified = await verifyEtsiTl(body, rules)
const { user, system } = process.cpuUsage(started)
const mebibytes = (process.resourceUsage().maxRSS * 1024 - before) / 1_048_576
const verdict = verified.ok ? (verified.value.ended ?? true) : verified.error
console.log(JSON.stringify({ verdict, seconds: (user + system) / 1e6, mebibytes: Math.round(mebibytes) }))
