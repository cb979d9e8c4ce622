// Stores the order of one visit and erases it after an hour. All rules are in order.ts.

import { DurableObject } from 'cloudflare:workers'
import type { CreatedVerification, Verification, VerificationEvent } from '@wallet-verifier/client/wire'
import type { GoodsId } from './goods.ts'
import {
  type Call,
  newOrder,
  type Order,
  type Webhook,
  withProof,
  withRecord,
  withVerification,
  withWebhook,
} from './order.ts'

/** Lifetime of a visit. */
export const VISIT_SECONDS = 3600

export class ShopVisit extends DurableObject {
  /** Starts the visit. */
  async open(goods: GoodsId, secret: string): Promise<void> {
    this.#save(newOrder(goods, secret))
    await this.ctx.storage.setAlarm(Date.now() + VISIT_SECONDS * 1000)
  }

  /** Returns the order for the visitor's secret, null for another one. */
  read(secret: string): Order | null {
    const order = this.#load()
    return order !== undefined && isEqual(order.secret, secret) ? order : null
  }

  /** Stores a call of the shop to the service, and its result; null for a failed call. */
  called(call: Call, result: CreatedVerification | Verification | null): Order | null {
    return this.#change((order) => {
      const recorded = withRecord(order, call)
      if (result === null) return recorded
      if ('client_token' in result) return withProof(recorded, result, call.at)
      return withVerification(recorded, result, call)
    })
  }

  /** Stores a webhook whose signature has been verified. */
  storeWebhook(event: VerificationEvent, webhook: Webhook): void {
    this.#change((order) => withWebhook(order, event, webhook))
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll()
  }

  /** Changes the order. An erased visit stays erased. */
  #change(change: (order: Order) => Order): Order | null {
    const order = this.#load()
    if (order === undefined) return null
    const changed = change(order)
    this.#save(changed)
    return changed
  }

  #load(): Order | undefined {
    return this.ctx.storage.kv.get<Order>(ORDER)
  }

  #save(order: Order): void {
    this.ctx.storage.kv.put(ORDER, order)
  }
}

const ORDER = 'order'

/** Compares in constant time. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i)
  return difference === 0
}
