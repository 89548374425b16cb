import test from 'ava'
import { mailsArrived, observeMail, observeRecipient } from './mail-metrics.ts'
import { refusals } from './refusals.ts'

type Counts = Record<'accepted' | 'refused' | 'deferred', number>

/** What was counted for what was awaited, which may fail. */
async function counted(work: () => Promise<unknown>): Promise<Counts> {
  const before = await read()
  await work().catch(() => {})
  const after = await read()
  return Object.fromEntries(
    Object.entries(after).map(([key, value]) => [key, value - before[key as keyof Counts]]),
  ) as Counts
}

async function read(): Promise<Counts> {
  const { values } = await mailsArrived.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value])) as Counts
}

const NONE = { accepted: 0, refused: 0, deferred: 0 }

test.serial('a mail counts as accepted, refused because of itself, or deferred because of us', async (t) => {
  t.deepEqual(await counted(() => observeMail(Promise.resolve())), { ...NONE, accepted: 1 })
  t.deepEqual(await counted(() => observeMail(Promise.reject(refusals.tooLarge()))), { ...NONE, refused: 1 })
  t.deepEqual(await counted(() => observeMail(Promise.reject(refusals.tryLater()))), { ...NONE, deferred: 1 })
})

test.serial('a sender that hangs up is no failure of ours', async (t) => {
  t.deepEqual(await counted(() => observeMail(Promise.reject(new Error('aborted')))), NONE)
})

test.serial('of a mail for several recipients by LMTP, one that must wait makes it deferred', async (t) => {
  const outcomes = [undefined, refusals.tryLater()]
  t.deepEqual(await counted(() => observeMail(Promise.resolve(outcomes))), { ...NONE, deferred: 1 })
  t.deepEqual(await counted(() => observeMail(Promise.resolve([undefined]))), { ...NONE, accepted: 1 })
})

test.serial(
  'a recipient that cannot be looked up counts as deferred mail, and an unknown one does not count',
  async (t) => {
    t.deepEqual(await counted(() => observeRecipient(Promise.reject(refusals.tryLater()))), { ...NONE, deferred: 1 })
    t.deepEqual(await counted(() => observeRecipient(Promise.reject(new Error('MongoDB')))), { ...NONE, deferred: 1 })
    t.deepEqual(await counted(() => observeRecipient(Promise.reject(refusals.unknownRecipient()))), NONE)
    t.deepEqual(await counted(() => observeRecipient(Promise.resolve('sender'))), NONE)
  },
)
