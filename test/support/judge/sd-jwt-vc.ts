import { createHash, type JsonWebKey, type KeyObject } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { Asked } from './judge.ts'
import { expectCurrent, issuerKeys, keyOf, SKEW, verifyJws } from './trust.ts'

/** Throws the library's error unless @sd-jwt/sd-jwt-vc accepts the presentation. */
export async function judgeSdJwtVc(presentation: string, asked: Asked): Promise<void> {
  const [jwt = ''] = presentation.split('~')
  const { iss, vct } = decodeJwt(jwt)
  const keys = issuerKeys(decodeProtectedHeader(jwt), iss, asked.trusted([String(vct)]), asked)
  const kb = presentation.slice(presentation.lastIndexOf('~') + 1)
  if (kb !== '') expectCurrent(decodeJwt(kb), asked)
  const isBound = asked.holderBinding || kb !== ''
  const instance = new SDJwtVcInstance({
    hasher: (data, alg) => createHash(alg.replace('sha-', 'sha')).update(bytesOf(data)).digest(),
    verifier: (data, signature) => isSigned(`${data}.${signature}`, keys),
    kbVerifier: (data, signature, { cnf }) => {
      const { jwk } = (cnf ?? {}) as { jwk?: JsonWebKey }
      if (jwk === undefined) throw new Error('reads cnf.jwk only')
      return isSigned(`${data}.${signature}`, [keyOf(jwk)])
    },
    statusListFetcher: () => Promise.reject(new Error('fetches no status list')),
  })
  await instance.verify(presentation, {
    currentDate: asked.now,
    skewSeconds: SKEW,
    ...(isBound && { keyBindingNonce: asked.nonce }),
  })
}

async function isSigned(jws: string, keys: readonly KeyObject[]): Promise<boolean> {
  return (await verifyJws(jws, keys)) !== undefined
}

function bytesOf(data: string | ArrayBuffer): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data) : new Uint8Array(data)
}
