// The demonstration shop of a test's service: its relying party, which also trusts the test's own authority.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedRelyingParty } from './server.ts'
import { expectStatus } from './service.ts'
import type { Stage } from './stage.ts'

/** The launcher's variables for a service with a shop. */
export const WITH_SHOP = { DEMO: '1' }

export type ShopFile = CreatedRelyingParty & {
  readonly settings: { readonly webhook: { readonly url: string } }
}

/** What the launcher keeps of the shop. */
export function shopOf({ service }: Stage): ShopFile {
  return JSON.parse(readFileSync(join(service.server.stateDir, 'demo-shop.json'), 'utf8'))
}

/** Lets it believe the credentials of the test's person. */
export async function trustAuthority(stage: Stage): Promise<void> {
  const { relying_party_id } = shopOf(stage)
  const trust_anchors = [stage.authority.anchor()]
  await expectStatus(await stage.service.admin('PATCH', `/${relying_party_id}`, { trust_anchors }), 200)
}
