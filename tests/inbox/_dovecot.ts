import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, isListening } from '@family-inbox/local-stack/free-port'
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../_localhost-certificate.ts'
import { until } from '../_wait.ts'

/** Dovecot drops root for each account, which only root can do. CI installs it (`.ci/run`). */
export const HAS_DOVECOT =
  userInfo().uid === 0 &&
  (await promisify(execFile)('dovecot', ['--version']).then(
    () => true,
    () => false,
  ))

/** Every account has it. */
export const PASSWORD = 'abcdefghijklmnop'
/** Debian's user that owns nothing. */
const NOBODY = 65_534

export type Dovecot = AsyncDisposable & {
  host: 'localhost'
  tlsPort: number
  plainPort: number
  /** A PEM file for NODE_EXTRA_CA_CERTS. */
  caFile: string
  account(userName: string): Account
  /** How often somebody signed in to an account. */
  logins(userName: string): Promise<number>
  stop(): Promise<void>
  start(): Promise<void>
}

export type Account = {
  userName: string
  /** Delivers as a mail server does: into `new` by a rename. @returns when it was there, epoch ms */
  deliver(mail: string | Buffer, folder?: string): Promise<number>
  /** How many messages a folder has, and how many of them are read. */
  count(folder?: string): Promise<{ all: number; seen: number }>
  /** Makes the messages of the inbox as old as this. */
  age(to: Date): Promise<void>
  /** Gives every message of the inbox another UID and the inbox another UIDVALIDITY, as a restored server does. */
  forgetUids(): Promise<void>
}

/** Starts a real IMAP server with a Maildir for each account. @param introspectionUrl asked about access tokens (RFC 7662); without it, it knows none */
export async function startDovecot(introspectionUrl?: string): Promise<Dovecot> {
  const dir = await mkdtemp(join(tmpdir(), 'dovecot-'))
  await chmod(dir, 0o755)
  const [tlsPort, plainPort] = [await freePort(), await freePort()]
  const file = (name: string) => join(dir, name)
  await writeFile(file('cert.pem'), LOCALHOST_CERTIFICATE)
  await writeFile(file('key.pem'), LOCALHOST_KEY)
  await writeFile(file('dovecot.conf'), configOf(dir, tlsPort, plainPort))
  await writeFile(file('tokens.conf'), introspectionUrl === undefined ? '' : tokensIn(dir))
  await writeFile(file('oauth2.conf'), tokenConfigOf(introspectionUrl))
  await mkdir(file('mail'))
  await chown(file('mail'), NOBODY, NOBODY)
  let ended: Promise<unknown> | undefined
  let child: ReturnType<typeof spawn> | undefined

  async function start(): Promise<void> {
    const started = spawn('dovecot', ['-F', '-c', file('dovecot.conf')], { stdio: 'ignore' })
    child = started
    ended = new Promise((resolve) => started.once('exit', resolve))
    await until(async () => (await isListening(tlsPort)) && (await isListening(plainPort)))
  }
  async function stop(): Promise<void> {
    child?.kill('SIGTERM')
    await ended
  }
  await start()
  return {
    host: 'localhost',
    tlsPort,
    plainPort,
    caFile: file('cert.pem'),
    async logins(userName) {
      const log = await readFile(file('log'), 'utf8')
      return log.split('\n').filter((line) => line.includes('Login: ') && line.includes(`<${userName}>`)).length
    },
    account: (userName) => accountIn(join(dir, 'mail', userName), userName),
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function accountIn(home: string, userName: string): Account {
  const folderOf = (folder: string) => join(home, folder === 'INBOX' ? '' : `.${folder}`)
  return {
    userName,
    async deliver(mail, folder = 'INBOX') {
      for (const path of [home, folderOf(folder)])
        for (const name of ['', 'tmp', 'new', 'cur']) {
          await mkdir(join(path, name), { recursive: true })
          await chown(join(path, name), NOBODY, NOBODY)
        }
      const name = `${Date.now()}.${randomUUID()}.test`
      await writeFile(join(folderOf(folder), 'tmp', name), mail)
      await chown(join(folderOf(folder), 'tmp', name), NOBODY, NOBODY)
      await rename(join(folderOf(folder), 'tmp', name), join(folderOf(folder), 'new', name))
      return Date.now()
    },
    async count(folder = 'INBOX') {
      const [fresh, current] = await Promise.all(
        ['new', 'cur'].map((name) => readdir(join(folderOf(folder), name)).catch(() => [] as string[])),
      )
      const seen = current?.filter((name) => /:2,.*S/.test(name)).length ?? 0
      return { all: (fresh?.length ?? 0) + (current?.length ?? 0), seen }
    },
    async age(to) {
      for (const name of await readdir(join(home, 'new'))) await utimes(join(home, 'new', name), to, to)
    },
    async forgetUids() {
      const before = await readFile(join(home, 'dovecot-uidlist'), 'utf8').catch(() => '')
      if (before === '') throw new Error('nobody opened this folder yet')
      for (const name of await readdir(home)) if (/^dovecot[.-]/.test(name)) await rm(join(home, name))
    },
  }
}

function configOf(dir: string, tlsPort: number, plainPort: number): string {
  return `
base_dir = ${dir}/run
log_path = ${dir}/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <${dir}/cert.pem
ssl_key = <${dir}/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
mail_location = maildir:${dir}/mail/%u
first_valid_uid = ${NOBODY}
first_valid_gid = ${NOBODY}
mail_max_userip_connections = 100
!include ${dir}/tokens.conf
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=${dir}/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${plainPort}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
service anvil {
  chroot =
}
namespace inbox {
  inbox = yes
  separator = /
}
`
}

/** Sign-in with an access token (RFC 7628), beside the password. */
function tokensIn(dir: string): string {
  return `
auth_mechanisms = plain xoauth2 oauthbearer
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = ${dir}/oauth2.conf
}
`
}

function tokenConfigOf(introspectionUrl = ''): string {
  return `
introspection_mode = post
introspection_url = ${introspectionUrl}
username_attribute = username
active_attribute = active
active_value = true
`
}
