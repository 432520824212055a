import type { Server } from 'node:http'

/** `portIn`: the setting which the operator gives this port with; the host is always `HOST`. */
type Address = { host: string; port: number; portIn: 'PORT' | 'METRICS_PORT' }

/** Fails with the setting to look at where the system lets nobody listen there. At most `backlog` wait to be taken up. */
export async function listen(server: Server, address: Address, backlog?: number): Promise<void> {
  const { host, port } = address
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(toProblem(error, address))
    server.once('error', fail)
    server.listen({ host, port, backlog }, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function toProblem(error: NodeJS.ErrnoException, { host, port, portIn }: Address): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(`${portIn}: something else listens on port ${port} of ${host}`)
    case 'EACCES':
      return new Error(`${portIn}: port ${port} is not open to the user whom the service runs as`)
    case 'EADDRNOTAVAIL':
      return new Error(`HOST: ${host} is no address of this machine`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(`HOST: the name ${host} can't be looked up`)
    default:
      return error
  }
}
