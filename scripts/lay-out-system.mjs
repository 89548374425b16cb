// Copies what Node.js needs of a Debian: itself, the libraries it is linked with, and what says which packages those are. There is no shell,
// no package manager and no other program, so whoever gets into a container finds nothing to run. Used by the Dockerfile and by `npm run cluster`.
// Usage: node scripts/lay-out-system.mjs <empty folder>
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { settle } from './settle.mjs'

/** Loaded by name: they look up names of hosts. */
const LOADED = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2']

const FILES = {
  'etc/passwd': 'root:x:0:0:root:/root:/sbin/nologin\nservice:x:10001:10001::/tmp:/sbin/nologin\n',
  'etc/group': 'root:x:0:\nservice:x:10001:\n',
  'etc/nsswitch.conf': 'hosts: files dns\n',
}

/** Where kubelets and runtimes mount something. */
const MOUNT_POINTS = ['dev', 'proc', 'sys', 'run', 'tmp', 'var/run']

const [out] = process.argv.slice(2)
if (out) layOutSystem(out)
else {
  process.stderr.write('Usage: node scripts/lay-out-system.mjs <empty folder>\n')
  process.exitCode = 1
}

function layOutSystem(out) {
  for (const folder of MOUNT_POINTS) mkdirSync(join(out, folder), { recursive: true })
  for (const [path, content] of Object.entries(FILES)) write(out, path, content)
  copy(process.execPath, out, 'usr/local/bin/node')
  const libraries = librariesOf(process.execPath)
  for (const path of libraries) copy(path, out, path)
  for (const name of packagesOf(libraries)) describePackage(name, out)
  settle(out, { '/tmp': 0o1777 })
}

function librariesOf(program) {
  const linked = [...query('ldd', program).matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path)
  const folder = dirname(linked.find((path) => basename(path).startsWith('libc.so')))
  const loaded = LOADED.map((name) => join(folder, name)).filter((path) => existsSync(path))
  return [...new Set([...linked, ...loaded])].sort()
}

function packagesOf(paths) {
  // dpkg knows a file by one of its names only, where /lib is a link to /usr/lib.
  const found = paths.flatMap((path) =>
    query('dpkg-query', '--search', `*/${basename(realpathSync(path))}`).split('\n'),
  )
  return [...new Set(found.map((line) => line.replace(/: .*/, '')).filter(Boolean))].sort()
}

/** As images without a package manager say it, where scanners look: https://github.com/GoogleContainerTools/distroless. */
function describePackage(name, out) {
  const own = name.replace(/:.*/, '')
  write(out, `var/lib/dpkg/status.d/${own}`, query('dpkg-query', '--status', name))
  const license = `usr/share/doc/${own}/copyright`
  if (existsSync(join('/', license))) copy(join('/', license), out, license)
}

function query(...[file, ...args]) {
  return execFileSync(file, args, { encoding: 'utf8' })
}

function write(out, path, content) {
  mkdirSync(dirname(join(out, path)), { recursive: true })
  writeFileSync(join(out, path), content)
}

function copy(from, out, to) {
  mkdirSync(dirname(join(out, to)), { recursive: true })
  copyFileSync(realpathSync(from), join(out, to))
}
