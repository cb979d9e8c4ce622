// The service's environment in tests inside workerd. Every key here is public: it was created for tests and
// protects nothing.

const VERIFIER_SIGNING_JWK = {
  kty: 'EC',
  crv: 'P-256',
  x: 'AD4ODODlUOz7zomeVvloIV16pPhPdRr9Oas913KTyCg',
  y: 'Qz8O8PB1qhmlgum5SFXtcvm7v7GSmkltbfzbnihLLp4',
  d: 'Jsk7EG6KGfpxYHPpOffkTPdNYiBEwQXhoNfKTFWmPrU',
}

const ACCESS_TOKEN_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'TyBIpQRoTfaNQ_n_m7V7Dca3RLupaNFA3XR0wA7qkkM',
  y: 't9X06YskdC71EtK5LgVhvBW6sAJCJp4dOyu7jdKSGJs',
  d: 'UwdK53D37BwPsoX_fGvhKc2xcq_e0AX56i7gjNVNUvQ',
  kid: 'test-1',
}

/** The verifier's leaf, for `verifier.example`, valid from 2020 to 2120. */
export const VERIFIER_CERTIFICATE_PEM = `-----BEGIN CERTIFICATE-----
MIIBtzCCAV2gAwIBAgIQZ+iXwho2CSGR3A64wSqTOzAKBggqhkjOPQQDAjAiMSAw
HgYDVQQDExdUZXN0IHZlcmlmaWVyIGF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
GA8yMTIwMDEwMTAwMDAwMFowGDEWMBQGA1UEAxMNVGVzdCB2ZXJpZmllcjBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABAA+Dgzg5VDs+86Jnlb5aCFdeqT4T3Ua/Tmr
Pddyk8goQz8O8PB1qhmlgum5SFXtcvm7v7GSmkltbfzbnihLLp6jfTB7MAwGA1Ud
EwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMBsGA1UdEQQUMBKCEHZlcmlmaWVyLmV4
YW1wbGUwHQYDVR0OBBYEFEzwptbLZkeQ4R9Z2c1Ic7IGDJ3iMB8GA1UdIwQYMBaA
FAxUoKLTTJQB1rfVdOqvbq9R/G5UMAoGCCqGSM49BAMCA0gAMEUCIQCsYhpWWBkL
32H1fB1k/WF60bMN/PDCcob/s1XhDtWurwIgZOARwpFQg8e+2vvtl1e0j/3PVTFh
s+1HGhO+l7nAFiY=
-----END CERTIFICATE-----
`

/** The authority that signed the leaf. */
export const VERIFIER_CA_PEM = `-----BEGIN CERTIFICATE-----
MIIBijCCAS+gAwIBAgIQDY9EaZ/hBVjMLJXC5oUCiDAKBggqhkjOPQQDAjAiMSAw
HgYDVQQDExdUZXN0IHZlcmlmaWVyIGF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
GA8yMTIwMDEwMTAwMDAwMFowIjEgMB4GA1UEAxMXVGVzdCB2ZXJpZmllciBhdXRo
b3JpdHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQvwsXJnkrp7PE/Rr4Wh7Gs
zSz8e3z4HFMloW1nkYtyid5DO86EIqKU3yqzwDCEe86KSrzXc7SfrH4qcjffQrNx
o0UwQzASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4E
FgQUDFSgotNMlAHWt9V06q9ur1H8blQwCgYIKoZIzj0EAwIDSQAwRgIhANiMVn/q
3qSjJvb3Ycmd97K+Vbz54QSqMMIjm/Uczoy9AiEArIqgPLwuZiPtibKuCP0FI7lK
Z6qRjShIWPfJMNqP/Nw=
-----END CERTIFICATE-----
`

/** Variables as `src/config.ts` parses them. */
export const TEST_ENVIRONMENT = {
  BASE_URL: 'https://verifier.example',
  ADMIN_TOKEN: 'test-admin-token-of-more-than-32-characters',
  METRICS_TOKEN: 'test-metrics-token-of-more-than-32-characters',
  SERVER_SECRET: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
  ACCESS_TOKEN_KEYS: JSON.stringify({ keys: [ACCESS_TOKEN_KEY] }),
  VERIFIER_SIGNING_JWK: JSON.stringify(VERIFIER_SIGNING_JWK),
  VERIFIER_CERTIFICATE_CHAIN_PEM: VERIFIER_CERTIFICATE_PEM,
  ALLOW_LOOPBACK: '1',
  BOOT_ID: 'test-boot',
}
