// A time-stamping authority made with the openssl command: its certificates, and its replies to queries.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Members of an authority that tests change. */
export type AuthorityOptions = {
  readonly key?: 'rsa' | 'ec' | 'ec384' | 'rsa1024'
  /** Lines of the extensions of the signer's certificate. */
  readonly usage?: string
  readonly days?: number
  readonly essHash?: 'sha1' | 'sha256' | 'sha512'
  readonly digest?: 'sha1' | 'sha256' | 'sha384' | 'sha512'
  /** A certification authority between the root and the signer. */
  readonly intermediate?: boolean
  readonly accepted?: string
}

export type Authority = {
  readonly folder: string
  /** PEM of the root. */
  readonly root: string
  /** Returns the DER of a TimeStampResp. */
  readonly reply: (query: Uint8Array) => Uint8Array<ArrayBuffer>
  /** Returns the DER of a TimeStampToken. */
  readonly token: (query: Uint8Array) => Uint8Array<ArrayBuffer>
}

const KEYS = {
  rsa: ['rsa:2048'],
  rsa1024: ['rsa:1024'],
  ec: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  ec384: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
} as const

export const TIME_STAMPING = 'extendedKeyUsage=critical,timeStamping'

/** Makes an authority. */
export function makeAuthority(options: AuthorityOptions = {}): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'authority-'))
  const { key = 'rsa', usage = TIME_STAMPING, days = 3650, intermediate = false } = options
  const { essHash = 'sha256', digest = 'sha256', accepted = 'sha256' } = options
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const make = (name: string, extensions: string, issuer: string | null, lasting: number) => {
    writeFileSync(join(folder, `${name}.ext`), extensions)
    const kind = name === 'signer' ? KEYS[key] : KEYS.ec
    run(
      'req',
      '-new',
      '-newkey',
      ...kind,
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-subj',
      `/C=DE/O=Test/CN=${name}`,
      '-out',
      `${name}.csr`,
    )
    const by =
      issuer === null
        ? ['-signkey', `${name}.key`]
        : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial']
    run(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...by,
      '-days',
      `${lasting}`,
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    )
  }
  const authority = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n'
  make('root', authority, null, 7300)
  if (intermediate) make('middle', authority, 'root', 3650)
  const signer = `basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\n${usage}\n`
  make('signer', signer, intermediate ? 'middle' : 'root', days)
  const chain = ['root', ...(intermediate ? ['middle'] : [])].map((name) =>
    readFileSync(join(folder, `${name}.pem`)),
  )
  writeFileSync(join(folder, 'chain.pem'), Buffer.concat(chain))
  writeFileSync(
    join(folder, 'tsa.cnf'),
    `[tsa]\ndefault_tsa=t\n[t]\nserial=${folder}/serial\ncrypto_device=builtin\nsigner_cert=${folder}/signer.pem\n` +
      `certs=${folder}/chain.pem\nsigner_key=${folder}/signer.key\nsigner_digest=${digest}\ndefault_policy=1.2.3.4.1\n` +
      `digests=${accepted}\naccuracy=secs:1\nordering=no\ntsa_name=yes\ness_cert_id_chain=no\ness_cert_id_alg=${essHash}\n`,
  )
  writeFileSync(join(folder, 'serial'), '01\n')
  const answer = (query: Uint8Array, ...how: string[]) => {
    writeFileSync(join(folder, 'query.tsq'), query)
    run('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', '-out', 'reply.tsr', ...how)
    return new Uint8Array(readFileSync(join(folder, 'reply.tsr')))
  }
  return {
    folder,
    root: readFileSync(join(folder, 'root.pem'), 'utf8'),
    reply: (query) => answer(query),
    token: (query) => answer(query, '-token_out'),
  }
}

/**
 * Returns a token with the content of another token, signed by `openssl cms`. It signs for certificates that
 * `openssl ts` refuses. `padding`: of RSA.
 */
export function signToken(authority: Authority, token: Uint8Array, padding: 'pkcs1' | 'pss' = 'pkcs1') {
  const { folder } = authority
  const run = (...args: string[]) => execFileSync('openssl', ['cms', ...args], { cwd: folder, stdio: 'pipe' })
  writeFileSync(join(folder, 'good.tst'), token)
  run('-verify', '-noverify', '-inform', 'DER', '-in', 'good.tst', '-out', 'content')
  const type = ['-econtent_type', '1.2.840.113549.1.9.16.1.4', '-nodetach', '-binary', '-cades']
  const signer = ['-signer', 'signer.pem', '-inkey', 'signer.key', '-md', 'sha256', '-nosmimecap']
  const how = padding === 'pss' ? ['-keyopt', 'rsa_padding_mode:pss', '-keyopt', 'rsa_pss_saltlen:32'] : []
  run('-sign', '-in', 'content', ...type, ...signer, ...how, '-outform', 'DER', '-out', 'signed')
  return new Uint8Array(readFileSync(join(folder, 'signed')))
}

/** Returns what `openssl ts -verify` prints about a token. */
export function judgeToken({ folder }: Authority, data: Uint8Array, token: Uint8Array): string {
  writeFileSync(join(folder, 'data'), data)
  writeFileSync(join(folder, 'token.tst'), token)
  const args = ['ts', '-verify', '-data', 'data', '-in', 'token.tst', '-token_in', '-CAfile', 'root.pem']
  try {
    return `${execFileSync('openssl', [...args, '-untrusted', 'chain.pem'], { cwd: folder, stdio: 'pipe' })}`.trim()
  } catch (error) {
    return `failed: ${(error as { stderr: Buffer }).stderr}`
  }
}
