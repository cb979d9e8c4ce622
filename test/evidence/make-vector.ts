// `node test/evidence/make-vector.ts`: writes test/vectors/evidence-containers.json, containers as this
// version makes them. Keys and signatures are new in each run. Do not run it to make a failing test pass:
// evidence that banks keep does not change, so later versions must verify the containers of today.

import { writeFileSync } from 'node:fs'
import type { EvidenceInput } from '../../src/evidence/container/input.ts'
import { VERSION } from '../../src/version.ts'
import * as mdl from '../formats/mdoc/good.ts'
import { mintIssuerPki } from '../support/certificates/certificates.ts'
import { type Authority, makeAuthority } from './authority.ts'
import { ageMdl, agePidWithStatus, SERVICE_KEY } from './cases.ts'
import { asSeveral } from './channels.ts'
import { completeCase } from './complete.ts'

/** End of all certificates: before the time at which the test verifies. */
const END = new Date('2028-01-01T00:00:00Z')

const leaf = { extendedKeyUsage: [mdl.SIGNER_USAGE], notAfter: END }
const pki = await mintIssuerPki({ root: { notAfter: END }, intermediate: { notAfter: END }, leaf })
const authority = makeAuthority({ days: 30, key: 'ec' })
const { d: _, ...serviceKey } = SERVICE_KEY
const elements = [['age_over_18', true]] as const

const vector = {
  source: `Made by test/evidence/make-vector.ts at version ${VERSION}.`,
  trust: {
    issuers: [pki.root.pem],
    time_stamping_authorities: [authority.root],
    service_keys: { keys: [serviceKey] },
  },
  containers: {
    'dc+sd-jwt with a status list': await write(await agePidWithStatus(), authority),
    'mso_mdoc with certificates': await write(await ageMdl(elements as never, { pki }), authority),
    'a multi-signed request': await write(await asSeveral(), authority),
  },
}

async function write(input: EvidenceInput, by: Authority): Promise<string> {
  return Buffer.from(await completeCase(input, by)).toString('base64')
}

writeFileSync('test/vectors/evidence-containers.json', `${JSON.stringify(vector, null, 2)}\n`)
