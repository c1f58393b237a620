import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const CHECK_MILLISECONDS = 50

/**
 * Closing a server ends connections that are idle then; one that is answered later would be kept alive, and waited for,
 * and so would one that nobody has asked anything on yet: clients and browsers open some ahead. What is given back sees to
 * both from when it is called until the server is closed.
 */
export function trackIdle(server: Server): () => void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const endIdle = () => {
    server.closeIdleConnections()
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  }
  return () => {
    endIdle()
    const timer = setInterval(endIdle, CHECK_MILLISECONDS).unref()
    server.once('close', () => clearInterval(timer))
  }
}
