import { describeFamilyTool, INSTRUCTIONS } from '../../services/gateway/src/mcp/family/methods.ts'
import { tools } from '../../services/gateway/src/mcp/family/tools/index.ts'
import type { Question } from './questions.ts'

/** An address of OpenAI’s chat completions, which most programs that serve models have, too. */
export type Model = { url: string; name: string; key?: string | undefined }

export type Verdict = { asks: string; isRight: boolean; called: Call[] }

type Call = [tool: string, args: Record<string, unknown>]
type ToolCall = { id: string; function: { name: string; arguments: string } }
type Message = { role: string; content: string | null; tool_calls?: ToolCall[]; tool_call_id?: string }

const MAX_STEPS = 5
const TIMEOUT_MS = 120_000

const functions = tools.map((tool) => {
  const { name, description, inputSchema } = describeFamilyTool(tool)
  return { type: 'function', function: { name, description, parameters: inputSchema } }
})

/** What tools answer: enough to go on, and the same names as in the questions. */
const ANSWERS: Record<string, object> = {
  list_loved_ones: {
    lovedOnes: [
      { id: '$rosa', name: 'Rosa Almeida, our mother', inboxAddress: 'rosa@inbox.example' },
      { id: '$jorge', name: 'Jorge Almeida, our father', inboxAddress: null },
    ],
  },
  list_inbox_messages: { messages: [{ id: '$message', subject: 'A letter', sender: 'Desk <desk@clinic.example>' }] },
}

/**
 * Asks a model a question with the tools of the catalogue, and whether it makes the call that answers it.
 * @throws Error if the model does not answer
 */
export async function askModel(model: Model, question: Question): Promise<Verdict> {
  const messages: Message[] = [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: question.asks },
  ]
  const called: Call[] = []
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const answer = await complete(model, messages)
    messages.push(answer)
    const calls = answer.tool_calls ?? []
    for (const { id, function: asked } of calls) {
      called.push([asked.name, readArguments(asked.arguments)])
      messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(ANSWERS[asked.name] ?? {}) })
    }
    if (calls.length === 0 || isAnswered(question, called)) break
  }
  return { asks: question.asks, isRight: isAnswered(question, called), called }
}

async function complete({ url, name, key }: Model, messages: Message[]): Promise<Message> {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
  const body = JSON.stringify({ model: name, temperature: 0, messages, tools: functions })
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${(await response.text()).slice(0, 300)}`)
  const { choices } = (await response.json()) as { choices: [{ message: Message }] }
  return choices[0].message
}

/** The deciding call, with at least the arguments that the question names. Values that begin with `$` may be anything. */
function isAnswered({ calls }: Question, called: Call[]): boolean {
  const [name, wanted] = calls.at(-1) ?? ['', {}]
  return called.some(
    ([tool, args]) =>
      tool === name &&
      Object.entries(wanted).every(([field, value]) => String(value).startsWith('$') || says(args[field], value)),
  )
}

/** Text counts when it holds what was wanted: a model words a reply or a search in its own way. */
function says(given: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'string') return JSON.stringify(given) === JSON.stringify(wanted)
  const words = wanted.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.every((word) => String(given).toLowerCase().includes(word))
}

function readArguments(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
