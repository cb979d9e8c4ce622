// Tests of generated inputs that run at a tenth of their size elsewhere, at their full size
// (test/support/runner/size.ts).

import '../../formats/jwt-vc-json/mutations.test.ts'
import '../../formats/mdoc/published-vectors.test.ts'
import '../../formats/mdoc/wallet-responses.test.ts'
import '../../formats/sd-jwt-vc/mutations.test.ts'
import '../../qr/render.test.ts'
import '../../wallets/lower.properties.test.ts'
