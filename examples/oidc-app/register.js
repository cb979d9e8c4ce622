// Registers this app as a client of your relying party, once. Values are sent only to an app that can decrypt
// them, so it makes a key pair first. See README.md.

import { writeFileSync } from 'node:fs'
import { CALLBACK, REGISTRATION, required } from './settings.js'

const keys = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])
const jwkOf = (key) => crypto.subtle.exportKey('jwk', key)
const { kty, crv, x, y } = await jwkOf(keys.publicKey)

const response = await fetch(`${required('VERIFIER_URL')}/v1/oidc_clients`, {
  method: 'POST',
  headers: {
    Authorization: `Bearer ${required('VERIFIER_API_KEY')}`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    name: 'Wine club',
    redirect_uris: [CALLBACK],
    policies: [
      {
        name: 'member',
        credential_types: ['pid'],
        scope: ['given_name', 'family_name', 'age_over_18'],
        purpose: 'Members of the wine club are adults.',
      },
    ],
    id_token_encrypted_response_alg: 'ECDH-ES',
    jwks: { keys: [{ kty, crv, x, y, kid: 'app-1', use: 'enc' }] },
  }),
})
const registered = await response.json()
if (!response.ok) {
  console.error(registered)
  process.exit(1)
}
const { issuer, client_id, client_secret } = registered
const decryption_jwk = await jwkOf(keys.privateKey)
const file = JSON.stringify({ issuer, client_id, client_secret, decryption_jwk }, null, 2)
writeFileSync(REGISTRATION, `${file}\n`, { mode: 0o600 })
console.log(`Registered ${client_id} at ${issuer}. Its secret and its key are in ${REGISTRATION}.`)
