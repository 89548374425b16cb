import { appendFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { services } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { startAttackingFamily } from './_attacking-family.ts'
import { startMailSink, type Verdict } from './_mail-sink.ts'
import { familyMaker } from './_make-family.ts'
import { PRESETS, type PresetName } from './_presets.ts'
import { type Facts, HANDED_OVER, type Shared } from './_shared-stack.ts'

/** Another family attacks the standard stack this often while tests run. */
const ATTACKS_PER_SECOND = 'TEST_ATTACKS_PER_SECOND'

export type Started = Shared<Stack> & { facts(): Facts }

/** Starts a stack and a mail server that writes its mail to a file, for other processes. */
export async function startPreset(name: PresetName): Promise<Started> {
  await using cleanUp = new AsyncDisposableStack()
  let mailFile: string | undefined
  const sink = cleanUp.use(
    await startMailSink((mail, tries) => {
      const verdict = verdictOn(mail.to[0] ?? '', tries)
      if (mailFile !== undefined && verdict === undefined) appendFileSync(mailFile, `${JSON.stringify(mail)}\n`)
      return verdict
    }),
  )
  const { options } = PRESETS[name]
  const stack = cleanUp.use(await startStack({ ...options, env: { ...options.env, SMTP_URL: sink.url } }))
  const file = join(stack.dataDir, 'mails.jsonl')
  await writeFile(file, '')
  mailFile = file
  const perSecond = Number(process.env[ATTACKS_PER_SECOND] ?? 0)
  if (perSecond > 0 && name === 'standard') cleanUp.use(await startAttackingFamily(stack, sink, perSecond))
  const owners = services.filter(({ database }) => database !== undefined)
  const facts = (): Facts => ({
    stack: Object.fromEntries(HANDED_OVER.map((key) => [key, stack[key]])) as Facts['stack'],
    databases: Object.fromEntries(owners.map((owner) => [owner.name, stack.databaseUri(owner.name)])),
    mailFile: file,
    mailOffset: statSync(file).size,
    sinkUrl: sink.url,
  })
  const owned = cleanUp.move()
  return { stack, sink, facts, makeFamily: familyMaker(stack), [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const LATER = { code: 451, text: '4.3.2 Try again later' }

/** The shared mail server refuses mail to these addresses, and takes what is for `busy@` anywhere at the second try. */
function verdictOn(to: string, tries: number): Verdict {
  return to.startsWith('busy@') && tries < 2 ? LATER : VERDICTS[to]
}

const VERDICTS: Readonly<Record<string, Verdict>> = {
  'gone@clinic.example': { code: 550, text: '5.1.1 No such user' },
  'full@clinic.example': { code: 552, text: '5.2.2 Mailbox full' },
}
