// `npm run admin -- reader-csr`: makes the key of a reader certificate, and the request that Apple's process
// asks for. It calls no service.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadX509 } from '../service/verifier-certificate.mjs'

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Attributes of the subject, in their order, and their flags. */
const SUBJECT = [
  { flag: 'country', attribute: 'C', words: 'two letters, such as FR', pattern: /^[A-Z]{2}$/ },
  { flag: 'state', attribute: 'ST', words: 'state or province; --state or --locality is required' },
  { flag: 'locality', attribute: 'L', words: 'city' },
  { flag: 'organization', attribute: 'O', words: 'official name of the company' },
  { flag: 'unit', attribute: 'OU', words: 'department (optional)' },
  {
    flag: 'domain',
    attribute: 'CN',
    words: 'host name of the page, such as shop.example',
    pattern: /^[a-z0-9.-]+$/,
  },
  {
    flag: 'email',
    attribute: 'E',
    words: 'of the administrator of the domain',
    pattern: /^[^\s@]+@[^\s@]+$/,
  },
]

const REQUIRED = ['country', 'organization', 'domain', 'email']

export const READER_CSR = {
  does: 'makes the key and the certificate signing request of a reader certificate',
  flags: {
    ...Object.fromEntries(SUBJECT.map(({ flag, words }) => [flag, words])),
    out: 'folder of reader-key.json and reader.csr; default: the current one',
  },
}

/** Parses the flags. Throws an error about the first invalid flag. */
export function parseReaderCsr(args) {
  const options = Object.fromEntries(Object.keys(READER_CSR.flags).map((name) => [name, { type: 'string' }]))
  const { values } = parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } } })
  if (values.help) return { help: true }
  const missing = REQUIRED.find((name) => !values[name])
  if (missing !== undefined) throw new Error(`--${missing} is required.`)
  if (!values.state && !values.locality) throw new Error('--state or --locality is required.')
  const wrong = SUBJECT.find(({ flag, pattern }) => pattern && values[flag] && !pattern.test(values[flag]))
  if (wrong !== undefined) throw new Error(`--${wrong.flag} must be ${wrong.words}.`)
  const named = SUBJECT.filter(({ flag }) => values[flag])
  const subject = named.map(({ flag, attribute }) => ({ [attribute]: [values[flag]] }))
  return { subject, folder: values.out ?? '.' }
}

/** Creates a key pair and a request. Returns the private key as JWK, and the request as PEM. */
export async function createReaderCsr(subject) {
  const x509 = await loadX509()
  const keys = await crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: P256,
  })
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', keys.privateKey)
  return { jwk: { kty, crv, x, y, d }, pem: `${request.toString('pem')}\n` }
}

/** Runs the command. Returns the exit code. */
export async function runReaderCsr(args) {
  let parsed
  try {
    parsed = parseReaderCsr(args)
  } catch (error) {
    console.error(`${error.message}\n\n${helpText()}`)
    return 2
  }
  if (parsed.help) {
    console.log(helpText())
    return 0
  }
  const [keyFile, csrFile] = ['reader-key.json', 'reader.csr'].map((name) => join(parsed.folder, name))
  if (existsSync(keyFile)) {
    console.error(
      `${keyFile} exists. Choose another folder with --out: a lost key makes its certificate useless.`,
    )
    return 2
  }
  const { jwk, pem } = await createReaderCsr(parsed.subject)
  writeFileSync(keyFile, `${JSON.stringify(jwk, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  writeFileSync(csrFile, pem)
  console.log(`${keyFile}: the private key. Store it as a secret.`)
  console.log(
    `${csrFile}: send this to the issuer of the certificate. docs/apple-wallet.md has the next steps.`,
  )
  return 0
}

function helpText() {
  const rows = Object.entries(READER_CSR.flags).map(([name, words]) => `  --${name.padEnd(14)}${words}`)
  return [`npm run admin -- reader-csr: ${READER_CSR.does}`, '', ...rows].join('\n')
}
