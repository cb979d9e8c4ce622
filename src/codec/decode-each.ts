// Lists of which every element must be readable.

/**
 * Decodes each of 1 to `limit` elements. `undefined` if there are none or too many, or if any element is
 * malformed.
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
