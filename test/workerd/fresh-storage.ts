// Runs before each file of the `workers` project: the files share one workerd, and each starts with empty
// storage.

import { reset } from 'cloudflare:test'

await reset()
