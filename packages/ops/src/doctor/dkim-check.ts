import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '@family-inbox/service-kit/config/config'
import { type DkimRecord, dkimKey, dkimRecord } from '@family-inbox/workspace-kit/dkim'
import { domainOf } from '@family-inbox/workspace-kit/same-sender'
import { type Finding, ok, problem, skipped } from './finding.ts'
import { readSetUp, type SetUp } from './set-up.ts'
import type { World } from './world.ts'

const CHECK = 'DKIM'

/** Whether receivers find the key that mail is signed with. */
export async function checkDkim(setUp: SetUp, domain: string, world: World): Promise<Finding> {
  if (setUp.dkim.selector === undefined)
    return skipped(
      CHECK,
      'The mail provider signs. If it does not sign for your domain, set DKIM_SELECTOR, and mail is signed here.',
    )
  const record = await ownRecord(setUp, world).catch((error: Error) => error)
  if (record instanceof Error) return problem(CHECK, record.message, 'Start the services, and run this again.')
  const { name, value } = record
  const todo = `Add a TXT record for ${name}: ${value}`
  const found = (await world.texts(name)).filter((text) => /(?:^|;)\s*p\s*=/.test(text))
  const [published] = found
  if (published === undefined)
    return problem(CHECK, `${name} has no key in DNS, so no receiver can check the signature of your mail.`, todo)
  if (found.length > 1) return problem(CHECK, `${name} has ${found.length} keys in DNS.`, `Keep one. ${todo}`)
  if (keyIn(published) !== keyIn(value))
    return problem(
      CHECK,
      `${name} has another key than mail is signed with, so receivers take your mail for forged.`,
      `Replace it. ${todo}`,
    )
  return ok(CHECK, `Mail from ${domain} is signed, and its key is at ${name}.`)
}

/** The record that belongs into DNS. @throws ConfigError */
export async function ownRecord(
  { dkim: { selector, key: configured }, dataDir, senderAddress }: SetUp,
  { readText }: Pick<World, 'readText'>,
): Promise<DkimRecord> {
  if (selector === undefined)
    throw new ConfigError('DKIM_SELECTOR is not set. Choose a name for the key, for example inbox.')
  const file = join(dataDir, 'secrets', 'DKIM_KEY.json')
  const kept = configured ?? (await readText(file).then(JSON.parse, () => undefined))
  const { data: key } = dkimKey.safeParse(kept)
  if (key === undefined) throw new ConfigError(`The key that signs mail is not in ${file} yet.`)
  return dkimRecord({ selector, domain: domainOf(senderAddress), key })
}

/** The same from the settings; undefined if mail is not signed here. @throws ConfigError */
export async function findOwnRecord(
  env: Readonly<Record<string, string | undefined>>,
): Promise<DkimRecord | undefined> {
  const setUp = readSetUp(env)
  return setUp.dkim.selector === undefined
    ? undefined
    : ownRecord(setUp, { readText: (file) => readFile(file, 'utf8') })
}

/** Spaces do not count (RFC 6376 3.6.1). */
function keyIn(record: string): string | undefined {
  return /(?:^|;)\s*p\s*=([^;]*)/.exec(record)?.[1]?.replace(/\s/g, '')
}
