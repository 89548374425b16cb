import { MongoBinary } from 'mongodb-memory-server-core/lib/util/MongoBinary.js'

// Run as a process of its own by find-mongod.ts: the library neither takes a timeout nor can be stopped half-way.
const [downloadDir, version] = process.argv.slice(2)
const path = await MongoBinary.getPath({ downloadDir, version, checkMD5: true })
process.stdout.write(`\n${path}\n`)
