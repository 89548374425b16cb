import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export type Question = {
  host: string
  path: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

export type HttpAnswer = { status: number; headers: Record<string, unknown>; text: string }

/** A client that sends its requests one by one over one connection and retries nothing. */
export function openClient(port: number): Disposable & { ask(question: Question): Promise<HttpAnswer> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    ask: ({ host, path, method = 'POST', headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path, method, agent, headers: { ...headers, host } }
        const sent = request(options, (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk) => {
            text += chunk
          })
          response.once('error', reject)
          response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
        })
        sent.once('error', reject)
        sent.end(body)
      }),
    [Symbol.dispose]: () => agent.destroy(),
  }
}

export type Load = AsyncDisposable & {
  /** What went wrong. */
  failures: string[]
  answered(): number
  /** Resolves when so many more are answered, or one went wrong. */
  goesOn(answers: number): Promise<void>
  stop(): Promise<void>
}

const PACE_MS = 100

/**
 * Many clients that send requests one after another, each over its own connection.
 * @param question the Nth request
 * @param problemWith what is wrong with a response, if anything
 */
export function startLoad(
  port: number,
  clients: number,
  question: (nth: number) => Question,
  problemWith: (answer: HttpAnswer, asked: Question) => string | undefined,
): Load {
  const failures: string[] = []
  let asked = 0
  let answered = 0
  let isOn = true
  const work = Array.from({ length: clients }, async () => {
    using client = openClient(port)
    while (isOn) {
      const asking = question(asked++)
      const startedAt = Date.now()
      const problem = await client.ask(asking).then(
        (answer) => problemWith(answer, asking),
        (error) => `${error.code ?? error}`,
      )
      answered++
      if (problem !== undefined)
        failures.push(`${asking.path} ${asking.body?.slice(0, 120) ?? ''}: ${problem} (${Date.now() - startedAt} ms)`)
      await sleep(PACE_MS)
    }
  })
  async function stop() {
    isOn = false
    await Promise.all(work)
  }

  return {
    failures,
    answered: () => answered,
    async goesOn(answers) {
      const enough = answered + answers
      while (answered < enough && failures.length === 0) await sleep(20)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
