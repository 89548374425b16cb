import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { untilNoMailIsDue } from '../_due-mail.ts'
import type { World } from './_assistants.ts'

type Marks = {
  _id: string
  personId: string
  networks?: string[]
  networkAlarmAt?: Date
  firstWriteAt?: Date
  alarms?: Record<string, Date>
  alarmDueAt?: Date
}

export const FIRST_WRITE = /wrote for the first time$/
export const NEW_NETWORK = /was used from a new network$/
export const BURST = /made unusually many calls$/
export const ALARM = new RegExp([FIRST_WRITE, NEW_NETWORK, BURST].map(({ source }) => source).join('|'))

/** A new family, and what one does with its keys. */
export async function newScene<Other extends OtherMember = never>({ f, auth }: World, ...others: Other[]) {
  const family = await f.another({ others })
  const keys = auth.collection<Marks>('tool_keys')
  const emails = auth.collection<{ _id: string; email: string }>('people')
  const lovedOneId = family.lovedOnes[0]?.id
  const keyOf = async (email: string) => {
    const person = await emails.findOne({ email })
    return keys.findOne({ personId: person?._id ?? '' }).then((row) => row as Marks)
  }
  const write = (key: string) => f.call(key, 'create_provider_code', { lovedOneId })
  const callFrom = (key: string, address: string, tool = 'ping') =>
    f.post(
      key,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } },
      { 'x-forwarded-for': address },
    )
  const untilQuiet = () => untilNoMailIsDue(f.stack, family.workspaceId)
  return { ...family, rows: keys, keyOf, write, callFrom, untilQuiet }
}
