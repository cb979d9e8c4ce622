// The goods of the shop. None of them exist.

/** Shape and colours of a drawn bottle. Each colour is `#rrggbb`. */
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

export const GOODS_IDS = Object.keys(GOODS) as readonly GoodsId[] // `Object.keys` loses the literal types

export function isGoodsId(name: string): name is GoodsId {
  return Object.hasOwn(GOODS, name)
}
