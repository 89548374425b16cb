import { watch } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const CODE = /\b\d{4} \d{4}\b/
const TO = /^To: (.*)$/m

/**
 * Prints each sign-in code as its mail is written into the outbox folder: on one's own machine nobody would deliver it.
 * @returns what stops it
 */
export async function printCodes(outboxDir: string, say: (line: string) => void): Promise<Disposable> {
  await mkdir(outboxDir, { recursive: true })
  const watcher = watch(outboxDir, async (_event, name) => {
    if (!name?.startsWith('sign-in-') || !name.endsWith('.eml')) return
    const mail = await readFile(join(outboxDir, name), 'utf8').catch(() => '')
    const code = CODE.exec(mail)?.[0]
    if (code) say(`Sign-in code for ${TO.exec(mail)?.[1]?.trim()}: ${code}`)
  })
  return { [Symbol.dispose]: () => watcher.close() }
}
