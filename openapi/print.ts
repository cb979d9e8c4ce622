// Prints the content of assets/openapi.json. A build runs it as one file, because launchers also run on an
// older Node.

import { descriptionFile } from './files.ts'

process.stdout.write(descriptionFile())
