import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { until } from '../tests/_wait.ts'

/** A checkout in a folder with a space in its name, with fakes for installing packages and generating code. */
async function withCheckout() {
  const dir = await mkdtemp(join(tmpdir(), 'family inbox checkout-'))
  const log = join(dir, 'log')
  const program = async (path: string, script: string) => {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), `#!/bin/sh\n${script}\n`)
    await chmod(join(dir, path), 0o755)
  }
  const filter = (path: string) => basename(path) !== 'node_modules'
  await cp(import.meta.dirname, join(dir, 'scripts'), { recursive: true, filter })
  await writeFile(join(dir, 'package.json'), '{ "packageManager": "pnpm@1.2.3" }')
  await writeFile(join(dir, 'pnpm-lock.yaml'), '')
  await writeFile(join(dir, 'pnpm-workspace.yaml'), '')
  await writeFile(join(dir, 'app.mjs'), 'console.log(process.argv.slice(2).join("|")); process.exitCode = 7')
  const install = `mkdir -p scripts/node_modules/node/bin; ln -sf '${process.execPath}' scripts/node_modules/node/bin/node`
  await program(
    'bin/npx',
    `echo "npx $*" >> '${log}'; env > '${dir}/npx-env'; while [ -e '${dir}/hold' ]; do sleep 0.05; done; ${install}`,
  )
  await program('scripts/node_modules/.bin/buf', `echo "buf $*" >> '${log}'; mkdir -p src/generated`)
  await mkdir(join(dir, 'proto'))
  await writeFile(join(dir, 'proto/buf.gen.yaml'), '')
  await writeFile(join(dir, 'proto/a.proto'), 'syntax = "proto3";')
  return {
    dir,
    program,
    log: async () => (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean),
    start(args: string[], env: NodeJS.ProcessEnv = {}) {
      const path = [join(dir, 'bin'), process.env.PATH].join(delimiter)
      return spawn(process.execPath, [join(dir, 'scripts/with-node.mjs'), ...args], {
        cwd: dir,
        env: { PATH: path, ...env },
      })
    },
    run(args: string[], env: NodeJS.ProcessEnv = {}) {
      return this.finish(this.start(args, env))
    },
    /** Starts the second while the first installs. */
    async runTogether(firstArgs: string[], secondArgs: string[]) {
      await writeFile(join(dir, 'hold'), '')
      const first = this.run(firstArgs)
      await until(async () => (await this.log()).length > 0)
      const waiting = this.start(secondArgs)
      const finished = this.finish(waiting)
      await once(waiting.stderr, 'data')
      await rm(join(dir, 'hold'))
      return { first: await first, second: await finished }
    },
    async finish(child: ChildProcessWithoutNullStreams) {
      const output = { out: '', err: '' }
      child.stdout.on('data', (chunk) => {
        output.out += chunk
      })
      child.stderr.on('data', (chunk) => {
        output.err += chunk
      })
      const [code] = await once(child, 'close')
      return { code, ...output }
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  }
}

const INSTALL = 'npx --yes pnpm@1.2.3 install --frozen-lockfile --config.confirmModulesPurge=false'

test('in a fresh checkout, packages and code are prepared, then the file runs with its arguments and exit code', async (t) => {
  await using checkout = await withCheckout()
  const { code, out, err } = await checkout.run(['app.mjs', 'one', 'two words'])
  t.is(code, 7)
  t.is(out, 'one|two words\n')
  t.regex(err, /Installing packages…\nInstalling packages: done in .* s\nGenerating code from proto\/…\n/)
  t.deepEqual(await checkout.log(), [INSTALL, 'buf generate'])
})

test('pnpm is downloaded once, and runs only if it is the one that is pinned', async (t) => {
  await using checkout = await withCheckout()
  const { dir, program, run, log } = checkout
  /** A package of pnpm that passes its arguments on. */
  const pack = async (name: string, passOnTo: string) => {
    const script = `require('child_process').spawnSync('${passOnTo}', process.argv.slice(2))`
    await program(`${name}/package/bin/pnpm.cjs`, script)
    await promisify(execFile)('tar', ['-czf', join(dir, `${name}.tgz`), '-C', join(dir, name), 'package'])
    return join(dir, `${name}.tgz`)
  }
  const send = (file: string) =>
    program('bin/npm', `echo "npm $*" >> '${join(dir, 'log')}'; cp '${file}' .cache/pnpm-1.2.3.tgz`)
  const [right, other] = [await pack('right', 'npx'), await pack('other', 'false')]
  const sha512 = createHash('sha512')
    .update(await readFile(right))
    .digest('hex')
  await writeFile(join(dir, 'package.json'), `{ "packageManager": "pnpm@1.2.3+sha512.${sha512}" }`)
  await send(other)
  const refused = await run.call(checkout, ['app.mjs'])
  t.regex(refused.err, /pnpm@1\.2\.3 is not what package\.json pins: its sha512 differs/)
  t.is(refused.out, '')
  const download = `npm pack pnpm@1.2.3 --pack-destination ${join(dir, '.cache')}`
  t.deepEqual(await log(), [download])
  await send(right)
  t.is((await run.call(checkout, ['app.mjs', 'one'])).out, 'one\n')
  await appendFile(join(dir, 'pnpm-lock.yaml'), '\n')
  await run.call(checkout, [])
  const install = INSTALL.replace('--yes pnpm@1.2.3 ', '')
  t.deepEqual(await log(), [download, download, install, 'buf generate', install])
})

test('a prepared checkout is not prepared again, and nothing is printed', async (t) => {
  await using checkout = await withCheckout()
  await checkout.run([])
  const { err } = await checkout.run(['app.mjs'])
  t.is(err, '')
  t.is((await checkout.log()).length, 2)
})

test('only outdated parts are prepared again', async (t) => {
  await using checkout = await withCheckout()
  await checkout.run([])
  await appendFile(join(checkout.dir, 'proto/a.proto'), '\n')
  await checkout.run([])
  t.deepEqual(await checkout.log(), [INSTALL, 'buf generate', 'buf generate'])
  await mkdir(join(checkout.dir, 'packages/new'), { recursive: true })
  await writeFile(join(checkout.dir, 'packages/new/package.json'), '{}')
  await checkout.run([])
  t.deepEqual((await checkout.log()).slice(3), [INSTALL])
})

const PRODUCT = 'packages/local-stack/src/start.ts'

/** A checkout with a program of the product. */
async function withProduct() {
  const checkout = await withCheckout()
  await mkdir(dirname(join(checkout.dir, PRODUCT)), { recursive: true })
  await writeFile(join(checkout.dir, PRODUCT), 'console.log("started")')
  return checkout
}

test('npm start installs what it runs on, and a test adds the rest', async (t) => {
  await using checkout = await withProduct()
  t.is((await checkout.run([PRODUCT])).out, 'started\n')
  await checkout.run([PRODUCT])
  t.deepEqual(await checkout.log(), [`${INSTALL} --prod`, 'buf generate'])
  await checkout.run(['app.mjs'])
  t.deepEqual((await checkout.log()).slice(2), [INSTALL])
})

test('npm start after a test removes nothing, not even when packages are out of date', async (t) => {
  await using checkout = await withProduct()
  await checkout.run(['app.mjs'])
  await checkout.run([PRODUCT])
  t.deepEqual(await checkout.log(), [INSTALL, 'buf generate'])
  await appendFile(join(checkout.dir, 'pnpm-lock.yaml'), '\n')
  await checkout.run([PRODUCT])
  t.deepEqual((await checkout.log()).slice(2), [INSTALL])
})

test('npm start that waited for a test’s installation keeps it', async (t) => {
  await using checkout = await withProduct()
  await checkout.runTogether(['app.mjs'], [PRODUCT])
  t.deepEqual(await checkout.log(), [INSTALL, 'buf generate'])
})

test('the headers that come with Node.js are not kept', async (t) => {
  await using checkout = await withCheckout()
  const headers = join(checkout.dir, 'scripts/node_modules/node/node_modules')
  await mkdir(headers, { recursive: true })
  await checkout.run([])
  await t.throwsAsync(stat(headers), { code: 'ENOENT' })
})

test('two concurrent starts prepare once', async (t) => {
  await using checkout = await withCheckout()
  const { first, second } = await checkout.runTogether(['app.mjs', '1'], ['app.mjs', '2'])
  t.deepEqual([first.out, second.out], ['1\n', '2\n'])
  t.is((await checkout.log()).length, 2)
  t.regex(second.err, /Waiting for another process/)
})

test('a start killed during preparation does not block the next one', async (t) => {
  await using checkout = await withCheckout()
  await mkdir(join(checkout.dir, '.cache/prepare.lock'), { recursive: true })
  const ended = spawn('true')
  await once(ended, 'close')
  await writeFile(join(checkout.dir, '.cache/prepare.lock/pid'), `${ended.pid}`)
  t.is((await checkout.run(['app.mjs'])).code, 7)
})

test('a failed step shows its output and one clear line, and runs again next time', async (t) => {
  await using checkout = await withCheckout()
  await checkout.program('bin/npx', 'echo "ERR_PNPM_OUTDATED_LOCKFILE" >&2; exit 3')
  const { code, err } = await checkout.run(['app.mjs'])
  t.is(code, 1)
  t.regex(
    err,
    /ERR_PNPM_OUTDATED_LOCKFILE\nInstalling packages failed after .* s: npx --yes pnpm@1\.2\.3 .* \(exit code 3\)\n$/,
  )
  t.not((await checkout.run([])).code, 0)
})

test('npm’s settings do not reach pnpm, except those about registries', async (t) => {
  await using checkout = await withCheckout()
  await checkout.run([], {
    npm_config_registry: 'https://registry.example/',
    npm_config_https_proxy: 'http://proxy.example',
    npm_config_cafile: '/etc/ca.pem',
    npm_config_noproxy: '',
    npm_config_user_agent: 'npm/10',
    npm_config_init_module: '/x',
    npm_lifecycle_event: 'start',
  })
  const env = await readFile(join(checkout.dir, 'npx-env'), 'utf8')
  for (const kept of ['registry=', 'https_proxy=', 'cafile=', 'noproxy=']) {
    t.true(env.includes(`npm_config_${kept}`), kept)
  }
  t.notRegex(env, /npm_config_user_agent|npm_config_init_module|npm_lifecycle_event/)
})

test('a signal reaches the file that runs', async (t) => {
  await using checkout = await withCheckout()
  const app = `process.on('SIGTERM', () => process.exit(42)); setInterval(() => {}, 1000); console.log('up')`
  await writeFile(join(checkout.dir, 'app.mjs'), app)
  const child = checkout.start(['app.mjs'])
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const [code] = await once(child, 'close')
  t.is(code, 42)
})
