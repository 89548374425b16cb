import type { Replicas } from './_replicas.ts'
import type { HttpAnswer, Question } from './_steady-load.ts'

export type Questions = {
  /** The Nth request: tools that read, one that writes, a sandbox, an event, pages. */
  nth(nth: number): Question
  /** What is wrong with a response, if anything. */
  problemWith(answer: HttpAnswer, asked: Question): string | undefined
  /** The body of each acknowledged reply. */
  replied: string[]
}

/** The requests of assistants, partners and people. */
export function questionsFor({ family, http }: Replicas, messageId: string): Questions {
  const lovedOneId = family.lovedOnes[0]?.id ?? ''
  const tool = toolOf(http.apiHost, family.keys.owner)
  const sandbox = { sandbox: true, lovedOneFirstName: 'Rosa', lovedOneLastName: 'Silva' }
  const kinds: ((nth: number) => Question)[] = [
    () => tool('list_loved_ones'),
    () => tool('list_inbox_messages', { lovedOneId }),
    (nth) => tool('reply_to_inbox_message', { messageId, body: `${REPLY} ${nth}.` }),
    () => tool('list_care_events', { lovedOneId }),
    () => tool('list_family_members'),
    () => ({ host: http.inboxHost, path: '/sign-in', method: 'GET' }),
    () => tool('get_inbox_message', { messageId, lovedOneId }),
    () => ({ host: http.inboxHost, path: '/.well-known/oauth-authorization-server', method: 'GET' }),
    // The service behind the gateway rejects unsigned events; if it were down, the response would be 503.
    () => ({ host: http.apiHost, path: EVENTS, headers: JSON_TYPE, body: '{}' }),
    () => ({
      host: http.inboxHost,
      path: '/api/mcp/public',
      headers: JSON_TYPE,
      body: callOf('start_family_care_workspace', sandbox),
    }),
  ]
  const replied: string[] = []
  return {
    nth: (nth) => kinds[nth % kinds.length]?.(nth) as Question,
    problemWith({ status, text }, { path, body = '' }) {
      const isWell = path === EVENTS ? status === 401 : status === 200 && !/"error":\{|"isError":true/.test(text)
      const [words] = new RegExp(`${REPLY} \\d+\\.`).exec(body) ?? []
      if (isWell && words !== undefined) replied.push(words)
      return isWell ? undefined : `${status} ${text.slice(0, 200)}`
    },
    replied,
  }
}

/** Calls tools with a key. */
export function toolOf(host: string, key: string): (name: string, args?: object) => Question {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` }
  return (name, args = {}) => ({ host, path: '/mcp/v1', headers, body: callOf(name, args) })
}

const REPLY = 'See you on Sunday, as I said in mail'
const EVENTS = '/pipe/v1/events'
const JSON_TYPE = { 'content-type': 'application/json' }

function callOf(name: string, args: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
}
