// Limits of the inspector. The decoders of `src` have their own limits besides these.

/** Limits of one input. */
export const INPUT = {
  /** Bytes of a file, or characters of a text: those of the largest container of evidence. */
  bytes: 67_108_864,
  /** Characters of a form or a link: more than those of the largest response. */
  formCharacters: 2_097_152,
  json: { length: 8_388_608, depth: 64 },
  cbor: { bytes: 8_388_608, depth: 32, items: 200_000 },
  /** Given keys, anchors and status lists. */
  keys: 50,
  anchors: 1000,
  lists: 20,
} as const

/** Limits of a report, so that a page can show it. */
export const REPORT = { parts: 200, rows: 400, valueCharacters: 4000, nameCharacters: 300 } as const
