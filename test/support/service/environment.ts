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

const OIDC_KEYS = [
  {
    kty: 'EC',
    crv: 'P-256',
    x: 'Q81_GOTaFDjBFiCl_qvo8pbY4MnYbsppLCYmWp8zxx4',
    y: '0Q48zJ67QEHJ8UxK3MRg3nnha_zRw-yLHw-r8neKqcQ',
    d: 'dd6vclcGe7OEFa-T6xvasSkBdv3YrG1Bhcino0DQF6w',
    kid: 'oidc-es256',
  },
  {
    kty: 'RSA',
    n: 'nB8CI282ln6EtTkDjr5rZBlZDQDGIqomRTC9ljwWo8rl_YXE8q9dw3RKqidYSvc17E0F2ZbF2lIIJbj8zJ7OJGJDvIVlUgbECyqEJ13HQY57D02Cm3xFK9-r2ctW-7ezKxkPXlPtblB39j_yuQ6bBexh6IZQ53vgeVzkLmk9lMPDY5NQBlcnQGcgX5UZzVmB4V_-n6GTdb9xmPxa4hM_sCwcbzMIS0gnLrQoUGVPhh8JjJgCixKW8mxuOneAqa5_IAptmV6-JD6cyC44v5QlrUNji05dXKo_6ysU9ISBpxBGthvq6nHPPFLencwU3gHgnwgWcdkD3y_GLRN8c-N8Xw',
    e: 'AQAB',
    d: 'At0GuwOlKqlzYaeECzAu5A0a9wQWnjgkr4wvTfwYJjTodvfnHtRckeMmI2zJT8as9IKNIuqDAngSsi5sZIxdF4m92E1SCGkbW2ESP26W4vrsAuHXDWcAFcfqbPovxDogTSAOihpb9nP_X0LY_s_nw_oL6anc_gHlohQ0Ey3W9U2Cf4ro4_o7BT79bmCHMTCBPyKD_2rfy_lxDiAh8rCTnTW3wWvriVbvNx2Z7HNgDYOY-c2ec29_DmG6nhjzGOldMplaO6wk6W5HQ6T_kbYgHBSvKq8maDPZ6hWXnh4RQmF88GkC8JpnCK4t9x2zi2UXwp68DBRk7Mm_yiHLqbueQQ',
    p: '3HyD7YZ9QcY9K-gBZYuZk_MgcMIYIz-iMTu7V2EBMwjeQXjKHzTapi2XqRVSn2-1b78BfPCmnCVtnrZu-VMQcbe4UoY8d5zjgLnYW2aLkenkAz0L07NYbEnCb4Y_eFmPpHjQbRUV2wSR_YBZ5isPjDoAy_u9LQEM01ijR65X83E',
    q: 'tUR4gPq2wWHh0vOJ_7YZtqINedwSw4SnCskxqeDMjcOPPz7kO-GCQfO7lV6TpT_OBbKgQ8gCqeUbkBXNff8ysCF-p2wUGDCiGKot_f7LtBeK--oXtaw_D0c2BVU0joggFh8P_vr7w9qi7MQQ7HE2qaWrJGC3hok6QM4jJtDF5M8',
    dp: 'UY-R8eSFIzak3EAHfDvGxO7z-iIica-RXOr-oxUUL3_BT7DR-_c-Rqio6Hglxyq4kCy07TXMPAiwYzyTEpHCjH5spcJYTdrwYWbd_PmS-Zfuq7ACVv6J4Azs6vpbMjbXJv02BJP_MLShGIhJORaGutWeA9cMpMA1sVyhkduRV1E',
    dq: 'hW3GSiLCveyAHxjXvtvbZ5030DiXs0YE86KPpR1tVPjbi9GOjSl9CXEQ5m18vwoNbBJFeD9U_pw_wrrZzWI5fH7bTP_4dqnt17wFKM8SQRmHW9G_7CHDNUrUz-4dRsGa5M2up6E2C7_3Z9MXJgRcGVpydM-gqC6BK8zRATRyRu8',
    qi: 'GX7tUIAfkTfJFTG9RvICf1WzpETt8fRk_hI1ndG6MOF5sYKtfBlaDANnTxUAdEEAV1LT1zqeyvNe9yp9UiUVlKdjx9dXWBCI54uUP6X5MnoSNXjSJOc8ASXhhsfNzzQR3DAw4qJom9vL2cze6d2YtDdG-rAnFmalUSlp5lujDzw',
    kid: 'oidc-rs256',
  },
]

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
  OIDC_KEYS: JSON.stringify({ keys: OIDC_KEYS }),
  OIDC_SUBJECT_KEY: 'HxwaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQAfHh0',
  VERIFIER_SIGNING_JWK: JSON.stringify(VERIFIER_SIGNING_JWK),
  VERIFIER_CERTIFICATE_CHAIN_PEM: VERIFIER_CERTIFICATE_PEM,
  ALLOW_LOOPBACK: '1',
  CONSOLE: '1',
  BOOT_ID: 'test-boot',
}
