// The three functions of `reflect-metadata` that @peculiar/x509 needs to register its extensions, based on a
// weak map. Import this before @peculiar/x509.

const metadata = new WeakMap<object, Map<unknown, unknown>>()

function defineMetadata(key: unknown, value: unknown, target: object): void {
  const entries = metadata.get(target) ?? new Map<unknown, unknown>()
  metadata.set(target, entries.set(key, value))
}

function getOwnMetadata(key: unknown, target: object): unknown {
  return metadata.get(target)?.get(key)
}

if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, { defineMetadata, getOwnMetadata, getMetadata: getOwnMetadata })
}
