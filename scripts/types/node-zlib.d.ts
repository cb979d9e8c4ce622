// What the core uses of node:zlib: all that it knows of Node, where it is compiled without Node's types.

declare module 'node:zlib' {
  type Limit = { readonly maxOutputLength: number }
  export function inflateSync(compressed: Uint8Array, limit: Limit): Uint8Array<ArrayBuffer>
  export function gunzipSync(compressed: Uint8Array, limit: Limit): Uint8Array<ArrayBuffer>
}
