// The demo shop of a test's service: its relying party, which also trusts the test's authority.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedRelyingParty } from './server.ts'
import { expectStatus } from './service.ts'
import type { Stage } from './stage.ts'

/** Launcher variables of a service with a shop. */
export const WITH_SHOP = { DEMO: '1' }

export type ShopFile = CreatedRelyingParty & {
  readonly settings: { readonly webhook: { readonly url: string } }
}

/** Reads the launcher's file about the shop. */
export function shopOf({ service }: Stage): ShopFile {
  return JSON.parse(readFileSync(join(service.server.stateDir, 'demo-shop.json'), 'utf8'))
}

/** Makes the shop trust the test's authority. */
export async function trustAuthority(stage: Stage): Promise<void> {
  const { relying_party_id } = shopOf(stage)
  const trust_anchors = [stage.authority.anchor()]
  await expectStatus(await stage.service.admin('PATCH', `/${relying_party_id}`, { trust_anchors }), 200)
}
