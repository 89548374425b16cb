import { createTransport } from 'nodemailer'
import type { Guest } from '../_family.ts'
import type { Visitor } from '../_visitor.ts'

export type Access = 'read' | 'approval' | 'write'

/** Creates a tool key on its page. */
export async function mintKey(visitor: Visitor, access: Access | undefined, name = 'Claude Code'): Promise<string> {
  const fields = { name, request: `req_${Math.random()}`, ...(access && { access }) }
  const { headers } = await visitor.insist('/settings/tool-keys', fields)
  const { text } = await visitor.get(String(headers.location))
  const [secret] = /sk-sand-[0-9A-Za-z]+/.exec(text) ?? []
  if (secret === undefined) throw new Error(`no key on the page: ${text}`)
  return secret
}

/** The id of a key or app among the person's assistants, newest first. */
export async function newestId(visitor: Visitor, page: 'tool-keys' | 'connected-apps'): Promise<string> {
  const { text } = await visitor.get('/settings/assistants')
  const [, id] = new RegExp(`/settings/${page}/([\\w-]+)"`).exec(text) ?? []
  if (id === undefined) throw new Error(`nothing on the page: ${text}`)
  return id
}

/** Delivers a mail to the family's first loved one. @returns its ids */
export async function receive(f: Guest<never>, from: string): Promise<{ messageId: string; lovedOneId: string }> {
  const [lovedOne] = f.family.lovedOnes
  const { id: lovedOneId = '', inboxAddress = '' } = lovedOne ?? {}
  const transport = createTransport({ host: '127.0.0.1', port: f.stack.smtpPort, ignoreTLS: true })
  const marker = `${Math.random()}`
  await transport.sendMail({ from, to: inboxAddress, text: marker, subject: 'Question' })
  for (;;) {
    const { json } = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId, limit: 50 })
    const found = json.result?.structuredContent.messages.find((one: { preview: string }) => one.preview === marker)
    if (found !== undefined) return { messageId: found.id, lovedOneId }
  }
}

export type Answered = { text: string; isError: boolean; data: Record<string, string> }

/** Calls a tool and reads its result; tries again while the machine is too busy. */
export async function callTool(f: Pick<Guest, 'call'>, key: string, tool: string, args: object): Promise<Answered> {
  const { status, json } = await f.call(key, tool, args)
  if (json.error?.code === -32_603) return callTool(f, key, tool, args)
  if (status !== 200 || json.result === undefined) throw new Error(`${status} ${JSON.stringify(json)}`)
  const { content, isError = false, structuredContent = {} } = json.result
  return { text: content[0].text, isError, data: structuredContent }
}
