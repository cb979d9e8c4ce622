// Inflation on platforms that have `node:zlib`.

export { gunzipSync, inflateSync } from 'node:zlib'
