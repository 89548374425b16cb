// Runs in the network of a cluster: passes what comes to a socket of the file system, which every network sees, on to a port there.
// Usage: main.ts <path of the socket> <port>
import { relay } from './relay.ts'

const [path = '', port] = process.argv.slice(2)
await relay({ path }, { host: '127.0.0.1', port: Number(port) })
process.stdout.write('ready\n')
