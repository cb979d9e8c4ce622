// What the sandbox issuer publishes below its origin.

/** The resource at a path; `undefined` where there is none. */
export async function issuerResource(path: string): Promise<Response | undefined> {
  switch (path) {
    case '/hello':
      return new Response('This is the sandbox.\n')
    case '/down':
      return new Response(null, { status: 500 })
    default:
      return undefined
  }
}
