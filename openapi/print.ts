// Prints the content of assets/openapi.json. A build runs it as one file, because launchers run on older Node.

import { descriptionFile } from './files.ts'

process.stdout.write(descriptionFile())
