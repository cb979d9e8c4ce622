// A W3C credential as JWT, alone or in a VP JWT (VCDM 1.1 §6.3.1).

import { isJsonObject, member } from '../../../../src/codec/json.ts'
import type { Context } from '../context.ts'
import { JWT_CLAIMS } from '../meanings.ts'
import type { Part } from '../report.ts'
import { readToken, tokenParts } from './jws.ts'

/** Credentials of one presentation that are shown. */
const SHOWN = 10

/** Returns the parts of a VC JWT or VP JWT. `of`: words before each title. */
export async function jwtVcParts(compact: string, context: Context, of = ''): Promise<readonly Part[]> {
  const vp = member(readToken(compact)?.payload ?? {}, 'vp')
  const title = isJsonObject(vp) ? 'presentation (VP JWT)' : 'credential (VC JWT)'
  const clause = isJsonObject(vp) ? 'OpenID4VP 1.0 B.1.3.1.5' : 'VCDM 1.1 6.3.1'
  const own = await tokenParts(compact, context, { title: `${of}${title}`, clause, names: JWT_CLAIMS })
  const inner = isJsonObject(vp) ? member(vp, 'verifiableCredential') : undefined
  const texts = (Array.isArray(inner) ? inner : []).filter((text) => typeof text === 'string').slice(0, SHOWN)
  const credentials = await Promise.all(
    texts.map((text) =>
      tokenParts(text, context, {
        title: `${of}credential (VC JWT)`,
        clause: 'VCDM 1.1 6.3.1',
        names: JWT_CLAIMS,
      }),
    ),
  )
  return [...own, ...credentials.flat()]
}
