import type { Server } from 'node:http'

/** `portIn`: the setting that the port comes from; the host always comes from `HOST`. */
type Address = { host: string; port: number; portIn: 'PORT' | 'METRICS_PORT' }

/** Rejects with the setting to correct where the system refuses. At most `backlog` connections wait to be accepted. */
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
