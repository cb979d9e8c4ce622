// Trusted lists in XML judged by EU DSS, the validator of the European Commission. `npm run proof -- clients
// lists-dss` installs EU DSS, sets DSS_FOLDER, and takes all hostile lists (SIZES=full). `npm run proof --
// clients` takes every third, and all with CI_FULL=1. LISTS_FOLDER may name a folder with other lists, as
// `dss-tsl-validation/src/test/resources` of EU DSS, which may not be copied here.

import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readServices } from '../../../src/trust/lists/tl-services.ts'
import { verifyXmlList } from '../../../src/trust/lists/tl-signature.ts'
import { CHANGED_LISTS, FILTER2, OTHER_FORMS, SAME_LISTS } from '../../support/certificates/hostile-lists.ts'
import {
  canonicalText,
  pemOf,
  publishedList,
  readVector,
} from '../../support/certificates/published-lists.ts'
import { mintListSigner } from '../../support/certificates/trust-lists.ts'
import { signXmlList } from '../../support/certificates/xml-lists.ts'
import vectors from '../../vectors/trusted-lists.json' with { type: 'json' }

const { DSS_FOLDER, LISTS_FOLDER } = process.env

/** A list, and the certificate (PEM) that is pinned as its signer. */
type Case = { readonly name: string; readonly body: Uint8Array; readonly pem: string }

/** `passed`: the signature is accepted. Services: type, status, and SHA-256 of a certificate. */
type Verdict = { readonly passed: boolean; readonly why: string; readonly services: readonly string[] }

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dss-lists-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function judgeByDss(cases: readonly Case[]): readonly Verdict[] {
  const lines = cases.map(({ body, pem }, i) => {
    const paths = [join(folder, `${i}.xml`), join(folder, `${i}.pem`)] as const
    writeFileSync(paths[0], body)
    writeFileSync(paths[1], pem)
    return paths.join('\t')
  })
  const manifest = join(folder, 'manifest')
  writeFileSync(manifest, lines.join('\n'))
  const classes = ['packages/*', 'classes'].map((name) => join(DSS_FOLDER ?? '', name)).join(':')
  const options = { stdio: 'pipe', maxBuffer: 100_000_000 } as const
  const printed = `${execFileSync('java', ['-cp', classes, 'ListJudge', manifest], options)}`
  return printed
    .split('\n')
    .filter((line) => line.startsWith('DSS '))
    .map((line) => {
      const [why = '', services = ''] = line.slice(4).split('\t')
      const passed = why.startsWith('TOTAL_PASSED')
      return { passed, why, services: services === '' ? [] : services.split(',').toSorted() }
    })
}

async function judgeByUs({ body, pem }: Case): Promise<Verdict> {
  const verified = await verifyXmlList(body, [pem])
  if (!verified.ok) return { passed: false, why: verified.error, services: [] }
  const services = readServices(verified.value.root).flatMap(({ type, status, certificates }) =>
    certificates.flatMap((certificate) => {
      if (certificate === undefined) return []
      const digest = createHash('sha256').update(certificate).digest('hex')
      return [`${type} ${status} ${digest}`]
    }),
  )
  return { passed: true, why: '', services: [...new Set(services)].toSorted() }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** The certificate (PEM) that a list names as its signer; that of another list if there is none. */
function signerOf(body: Uint8Array): string {
  const [, certificate = ''] = /X509Certificate>([^<]+)</.exec(textOf(body).split('KeyInfo')[1] ?? '') ?? []
  try {
    return new X509Certificate(pemOf(certificate)) && pemOf(certificate)
  } catch {
    return publishedList('SE').signer
  }
}

/** Published lists with their own signer and with another one, and every hostile list with its change. */
async function ownCases(): Promise<readonly Case[]> {
  const names = ['SE', 'IS', 'EL', 'EU'] as const
  const se = publishedList('SE')
  const changed = (name: string, change: (text: string) => string) => ({
    name,
    body: bytesOf(change(se.text)),
    pem: se.signer,
  })
  const signer = await mintListSigner()
  const text = canonicalText('SE')
  const reindented = readVector(vectors.reindented.file)
  return [
    ...names.map((name) => ({ name, body: publishedList(name).bytes, pem: publishedList(name).signer })),
    { name: 'the signer of another list', body: se.bytes, pem: publishedList('IS').signer },
    { name: 'indented again', body: reindented, pem: signerOf(reindented) },
    ...CHANGED_LISTS.map(([name, , change]) => changed(name, change)),
    ...SAME_LISTS.map(([name, change]) => changed(name, change)),
    { name: 'the form of the tests', body: signXmlList(text, signer), pem: signer.pem },
    { name: 'XPath Filter 2.0', body: signXmlList(text, signer, FILTER2), pem: signer.pem },
    ...OTHER_FORMS.map(([name, , options]) => ({
      name,
      body: signXmlList(text, signer, options),
      pem: signer.pem,
    })),
  ]
}

const IS_FULL = process.env.SIZES === 'full'

/** Hostile lists that EU DSS accepts and this reader refuses, with the reason. It never accepts more. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'the signature inside another element': 'published lists have it as the last child of the root',
  'a declaration of version 1.1': 'lists are XML 1.0',
  'the Id of the root in place of the whole document': 'ids are never looked up',
  'a transform more': 'one form of transforms is accepted',
  'a transform twice': 'one form of transforms is accepted',
  'no canonicalization': 'this means the inclusive one',
  'XPath 1.0': 'no expression is evaluated',
  'inclusive canonicalization': 'no list has it',
  'canonicalization with comments': 'comments are no content of a list',
  InclusiveNamespaces: 'no list has it',
  'two filters': 'one form of the filter is accepted',
  'SHA-1 of the certificate': 'SHA-1 is not accepted anywhere',
  'another target of the properties': 'properties must be those of this signature',
  'no Id of the signature': 'properties must be those of this signature',
  'two SignedProperties': 'the signed ones must be the only ones',
  'another object': 'an object may hide a second tree',
}

it.skipIf(DSS_FOLDER === undefined)(
  'EU DSS and this reader both accept or both refuse each good and hostile list, except for known differences, if EU DSS is installed',
  async () => {
    const cases = (await ownCases()).filter((_, i) => IS_FULL || i % 3 === 0)
    const foreign = judgeByDss(cases)
    expect(foreign).toHaveLength(cases.length)
    const own = await Promise.all(cases.map(judgeByUs))
    const isLooser = (_: Case, i: number) => own[i]?.passed === true && foreign[i]?.passed === false
    const isStricter = (_: Case, i: number) => own[i]?.passed === false && foreign[i]?.passed === true
    expect(cases.filter(isLooser).map(({ name }) => name)).toEqual([])
    const names = cases.map(({ name }) => name)
    const known = Object.keys(DIFFERENCES).filter((name) => names.includes(name))
    expect(cases.filter(isStricter).map(({ name }) => name)).toEqual(known)
    for (const [i, { passed, services }] of own.entries())
      if (passed) expect(services, cases[i]?.name).toEqual(foreign[i]?.services)
  },
)

/** Reasons for which a list that EU DSS accepts is refused here: its text, our fault, and why. */
const STRICTER: readonly (readonly [text: RegExp, fault: string, why: string])[] = [
  [/CertDigest>\s*<[^>]*xmldsig#sha1/, 'unsupported_algorithm', 'SHA-1 of the certificate'],
  [/Reference URI="#/, 'unsupported_algorithm', 'the Id of the root in place of the whole document'],
  [/SignedProperties"[^>]*>\s*<[^>]*DigestMethod/, 'unsupported_algorithm', 'properties without a transform'],
]

it.skipIf(DSS_FOLDER === undefined || LISTS_FOLDER === undefined)(
  'EU DSS and this reader both accept or both refuse each list of LISTS_FOLDER, except for known differences, if EU DSS is installed',
  async () => {
    const found = readdirSync(LISTS_FOLDER ?? '', { recursive: true, encoding: 'utf8' })
    const cases = found
      .filter((path) => path.endsWith('.xml'))
      .map((name) => {
        const body = new Uint8Array(readFileSync(join(LISTS_FOLDER ?? '', name)))
        return { name, body, pem: signerOf(body) }
      })
    const foreign = judgeByDss(cases)
    const reasons = new Map<string, number>()
    const count = (reason: string) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    for (const [i, one] of cases.entries()) {
      const [ours, theirs] = [await judgeByUs(one), foreign[i]]
      const known = STRICTER.find(([text, fault]) => fault === ours.why && text.test(textOf(one.body)))
      if (ours.passed === theirs?.passed) count(ours.passed ? 'accepted by both' : 'refused by both')
      else count(known?.[2] ?? `${one.name}: ${ours.why || 'accepted'} here, ${theirs?.why}`)
      // Its library reads no certificate of an RSA key with the exponent 3, so it may have fewer.
      if (ours.passed) expect(theirs?.services.filter((each) => !ours.services.includes(each))).toEqual([])
    }
    console.log(Object.fromEntries(reasons))
    const explained = ['accepted by both', 'refused by both', ...STRICTER.map(([, , why]) => why)]
    expect([...reasons.keys()].filter((reason) => !explained.includes(reason))).toEqual([])
  },
)
