// Mdocs for the tests inside workerd, made by node:crypto outside it: one for each algorithm of issuer and
// device, and one with a device MAC. Each has its anchor, and a variant whose proof has one bit flipped.

import type { TestProject } from 'vitest/node'
import { ANCHOR, EXPECTED, MAC_MAKING, make, SIGNER_USAGE } from '../formats/mdoc/good.ts'
import { type Making, makePrivateKey, type Value } from '../formats/mdoc/maker.ts'
import { mintIssuerPki } from '../support/certificates/certificates.ts'

const ALGORITHMS = [
  [-7, 'P-256'],
  [-9, 'P-256'],
  [-35, 'P-384'],
  [-51, 'P-384'],
  [-36, 'P-521'],
  [-52, 'P-521'],
  [-8, 'Ed25519'],
  [-19, 'Ed25519'],
] as const

export type MdocInWorkerd = {
  readonly name: string
  readonly anchor: typeof ANCHOR
  readonly good: string
  /** With the reason that its one changed bit must be refused for. */
  readonly forged: readonly [presentation: string, reason: string]
}

declare module 'vitest' {
  interface ProvidedContext {
    mdocs: readonly MdocInWorkerd[]
    mdocExpected: typeof EXPECTED
  }
}

/** vitest's global setup: hands the presentations into workerd. */
export default async function setup({ provide }: TestProject): Promise<void> {
  const issuers = ALGORITHMS.map(async ([issuerAlg, keyKind]): Promise<MdocInWorkerd> => {
    const pki = await mintIssuerPki({ leaf: { extendedKeyUsage: [SIGNER_USAGE], keyKind } })
    const making = { pki, issuerAlg }
    const forged = make({ issuerAuth: flipProof }, making)
    return {
      name: `issuer ${issuerAlg} (${keyKind})`,
      anchor: { ...ANCHOR, x509_ca_pem: pki.root.pem },
      good: make({}, making),
      forged: [forged, 'invalid_issuer_signature'],
    }
  })
  const devices = ALGORITHMS.map(([alg, curve]) => {
    const key = makePrivateKey(curve)
    return madeByDevice(`device ${alg} (${curve})`, { deviceKey: key, device: { key, alg } })
  })
  provide('mdocs', [...(await Promise.all(issuers)), ...devices, madeByDevice('device MAC', MAC_MAKING)])
  provide('mdocExpected', EXPECTED)
}

function madeByDevice(name: string, making: Partial<Making>): MdocInWorkerd {
  const forged = make({ deviceMessage: flipProof }, making)
  return { name, anchor: ANCHOR, good: make({}, making), forged: [forged, 'invalid_holder_signature'] }
}

function flipProof(message: Value[]): void {
  const proof = Uint8Array.from(message[3] as Uint8Array)
  proof[5] = (proof[5] ?? 0) ^ 1
  message[3] = proof
}
