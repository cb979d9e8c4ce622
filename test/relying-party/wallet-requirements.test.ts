// Requirements of wallets. Each case leaves out one attribute of a good subject. @peculiar/x509 makes the
// certificates.

import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { lackingRequirements } from '../../src/relying-party/verifier/wallet-requirements.ts'
import { mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { TEST_ENVIRONMENT } from '../support/service/environment.ts'

const LEGAL = ['C=NL', 'O=Test Shop', '2.5.4.97=NTRNL-12345678', 'CN=Test Shop']
const NATURAL = ['C=NL', '2.5.4.4=Jansen', '2.5.4.42=Kim', '2.5.4.5=PNONL-1', 'CN=Kim Jansen']

const root = await mintRoot()
const lackingOf = async (subject: readonly string[]) =>
  lackingRequirements({}, (await mintLeaf(root, { subject: subject.join(',') })).pem)

describe('the subject of the access certificate', () => {
  it.each([[LEGAL], [NATURAL]])('names who asks: %j', async (subject) => {
    expect(await lackingOf(subject)).not.toContain('organization')
    for (const attribute of subject) {
      expect(await lackingOf(subject.filter((one) => one !== attribute))).toContain('organization')
    }
  })

  it('is read in the chain of the operator, with text around its certificates', async () => {
    const { pem } = await mintLeaf(root, { subject: LEGAL.join(',') })
    const text = `Bag Attributes\nsubject=CN=Test Shop\n${pem}\nissuer=CN=Root\n${root.pem}`
    const { verifier } = parseConfig({ ...TEST_ENVIRONMENT, VERIFIER_CERTIFICATE_CHAIN_PEM: text })
    expect(verifier.certificateChainPem).toBe([pem, root.pem].map((one) => one.trim()).join('\n'))
    expect(lackingRequirements({}, verifier.certificateChainPem)).not.toContain('organization')
  })

  it('is not reported where the certificate is not known, and is lacking where it cannot be read', () => {
    expect(lackingRequirements({}, undefined)).toEqual(['reader_certificate', 'google_wallet'])
    expect(lackingRequirements({}, 'no certificate')).toContain('organization')
  })
})
