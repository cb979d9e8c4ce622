// Decodes lists in which every element must be valid.

/**
 * Decodes every element of a list of 1 to `limit` elements. Returns `undefined` for an empty or a longer
 * list, and if an element is malformed.
 */
export function decodeEach<Element, T>(
  elements: readonly Element[],
  decode: (element: Element) => T | undefined,
  limit = Number.POSITIVE_INFINITY,
): readonly T[] | undefined {
  if (elements.length === 0 || elements.length > limit) return undefined
  const decoded = elements.map((element) => decode(element))
  return decoded.every((value) => value !== undefined) ? decoded : undefined
}
