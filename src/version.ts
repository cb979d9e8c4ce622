// Version of the service, that of package.json. A test compares them.

export const VERSION = '0.2.0'
