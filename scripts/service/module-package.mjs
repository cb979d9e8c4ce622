// The package of a module in a bundle.

/** Returns `node_modules/<name>` of the innermost package that a module belongs to, or an empty list. */
export function packageOf(id) {
  return /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(id)?.slice(0, 1) ?? []
}
