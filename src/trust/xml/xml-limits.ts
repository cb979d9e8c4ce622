// Limits of documents in XML.

/** A trusted list in XML (ETSI TS 119 612). The largest of 31 published lists has 2.9 MB. */
export const XML = {
  bytes: 8_388_608,
  /** Published lists have up to 20,774 elements, 17 levels, and 9 attributes of an element. */
  elements: 200_000,
  depth: 32,
  attributes: 64,
  /** Characters of one attribute, comment or CDATA section. */
  partCharacters: 32_768,
  /** Attributes of all elements together. */
  allAttributes: 200_000,
} as const
