import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import type { StackOptions } from '@family-inbox/local-stack/stack'
import type { DemoFamily, OtherMember } from '@family-inbox/ops/demo-seed'
import type { Sink } from './_mail-sink.ts'
import type { PresetName } from './_presets.ts'
import {
  type FamilyOptions,
  type LeasedStack,
  type MailOption,
  type MakeFamily,
  openSharedStack,
  type SharedStack,
} from './_shared-stack.ts'

export type Answer = {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  json: any
}

export type Family<On extends SharedStack = Stack, Other extends OtherMember = OtherMember> = AsyncDisposable & {
  stack: On
  family: DemoFamily<Other>
  /**
   * Seeds another family on the same stack, by default of only its owner and without mail. Its type has whom the test named,
   * whatever it is assigned to.
   */
  another<Wanted extends OtherMember = never>(options?: FamilyOptions<Wanted>): Promise<DemoFamily<NoInfer<Wanted>>>
  /** Calls a tool with a key. */
  call(key: string, tool: string, args?: object, id?: unknown): Promise<Answer>
  /** Posts any JSON-RPC message with a key. */
  post(key: string | undefined, message: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** A family on a shared stack. */
export type Guest<Other extends OtherMember = OtherMember> = Family<SharedStack, Other>

const LIMITS_LIFTED = {
  TOOL_CALLS_PER_MINUTE: '1000000',
  HTTP_MAX_CONNECTIONS_PER_PEER: '10000',
  NEW_FAMILY_INVITATIONS_PER_DAY: '1000',
  INVITATIONS_PER_NETWORK: '1000000',
}

/** Starts the whole system with one family, and demo mail. Rate limits are lifted unless set. */
export async function startFamily(options: StackOptions = {}): Promise<Family> {
  await using starting = new AsyncDisposableStack()
  // Most files join a stack, and never load this.
  const { startStack } = await import('@family-inbox/local-stack/stack')
  const { familyMaker } = await import('./_make-family.ts')
  const stack = starting.use(
    await startStack({
      ...options,
      env: { ...LIMITS_LIFTED, ...options.env },
    }),
  )
  const family = await begin(stack, familyMaker(stack), { withMail: true })
  starting.move()
  return family
}

/**
 * Seeds a family on a stack that test files share, by default the standard one of tests/_presets.ts; when a file runs alone,
 * starts one. For tests that need no other settings, stop nothing and read only their own data. A leased stack is nobody
 * else's until the family is disposed, and its services may be killed.
 */
export async function joinFamily(preset: 'mortal', options?: MailOption): Promise<Family<LeasedStack> & { sink: Sink }>
export async function joinFamily(preset?: PresetName, options?: MailOption): Promise<Guest & { sink: Sink }>
export async function joinFamily(
  preset: PresetName = 'standard',
  options: MailOption = {},
): Promise<Guest & { sink: Sink }> {
  await using joining = new AsyncDisposableStack()
  const shared = joining.use(await openSharedStack(preset))
  const { stack, sink, makeFamily, [Symbol.asyncDispose]: leave } = shared
  const guest = { ...(await begin(stack, makeFamily, options)), sink, [Symbol.asyncDispose]: leave }
  joining.move()
  return guest
}

async function begin<On extends SharedStack>(
  stack: On & Partial<AsyncDisposable>,
  makeFamily: MakeFamily,
  options: MailOption,
): Promise<Family<On>> {
  return {
    stack,
    family: await makeFamily(options),
    ...callsTo(stack.apiUrl),
    another: (wanted = {}) => makeFamily({ others: [], ...wanted }),
    [Symbol.asyncDispose]: async () => stack[Symbol.asyncDispose]?.(),
  }
}

/** Calls of tools at this address, such as that of a stack which a family moved to. */
export function callsTo(apiUrl: string): Pick<Family, 'call' | 'post'> {
  const post: Family['post'] = (key, message, headers = {}) =>
    send(`${apiUrl}/mcp/v1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }), ...headers },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    })
  const call: Family['call'] = (key, tool, args = {}, id = 1) =>
    post(key, { jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: args } })
  return { call, post }
}

export type SendOptions = {
  method?: string
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array
  /** The client's address: any 127.x.x.x. */
  from?: string
}

/** Sends one HTTP request: no redirects, no default headers except Host, header lists one by one. */
export function send(url: string, { method = 'GET', headers = {}, body, from }: SendOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const address = from === undefined ? {} : { localAddress: from, family: 4 }
    const request = httpRequest(url, { method, headers, agent: false, ...address }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) })
    })
    request.on('error', reject)
    request.end(body)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
