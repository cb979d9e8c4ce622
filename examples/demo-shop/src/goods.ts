// What the shop has on its shelf. None of it is real.

/** What is drawn on a bottle. `#rrggbb` each. */
export type Look = {
  readonly shape: 'wine' | 'flute' | 'beer' | 'juice'
  readonly glass: string
  readonly label: string
  readonly mark: string
}

export type Goods = {
  readonly name: string
  readonly kind: string
  readonly price: string
  /** Sold to adults only. */
  readonly forAdults: boolean
  readonly look: Look
}

export const GOODS = {
  plum: {
    name: 'Midnight Plum',
    kind: 'Red wine, 13.5 %',
    price: '€ 14.50',
    forAdults: true,
    look: { shape: 'wine', glass: '#3d1420', label: '#f6ecd9', mark: '#8a2444' },
  },
  meadow: {
    name: 'North Meadow',
    kind: 'Riesling, 11.5 %',
    price: '€ 11.90',
    forAdults: true,
    look: { shape: 'flute', glass: '#5d7a3a', label: '#fbf6e6', mark: '#c08a1e' },
  },
  packet: {
    name: 'Lost Packet',
    kind: 'Pale ale, 5.2 %',
    price: '€ 3.20',
    forAdults: true,
    look: { shape: 'beer', glass: '#7a4413', label: '#f3e3c3', mark: '#1f5a63' },
  },
  windfall: {
    name: 'Windfall',
    kind: 'Apple juice, 0.0 %',
    price: '€ 4.80',
    forAdults: false,
    look: { shape: 'juice', glass: '#d99a2b', label: '#fff8e8', mark: '#4c7a2a' },
  },
} as const satisfies Readonly<Record<string, Goods>>

export type GoodsId = keyof typeof GOODS

export const GOODS_IDS = Object.keys(GOODS) as readonly GoodsId[] // the keys of a literal are all there are

/** Tells whether something stands on the shelf. */
export function isGoodsId(name: string): name is GoodsId {
  return Object.hasOwn(GOODS, name)
}
