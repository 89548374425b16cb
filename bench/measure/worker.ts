import { fork } from 'node:child_process'
import { once } from 'node:events'

export type Worker<Question, Answer> = AsyncDisposable & {
  pid: number
  ask(question: Question): Promise<Answer>
}

/** Starts a file of the benchmark as a process. Resolves with its first message. */
export async function startWorker<Question, Answer, Hello>(file: string, options: unknown) {
  const child = fork(file, { serialization: 'advanced' })
  const heard = async <T>(): Promise<T> => {
    const aborted = new AbortController()
    const { signal } = aborted
    const ended = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`${file} ended with exit code ${code}`)
    })
    try {
      const [message] = await Promise.race([once(child, 'message', { signal }), ended])
      return message as T
    } finally {
      ended.catch(() => {})
      aborted.abort()
    }
  }
  child.send({ options })
  const hello = await heard<Hello>()
  const worker: Worker<Question, Answer> = {
    pid: child.pid as number,
    ask(question) {
      const answer = heard<Answer>()
      child.send(question as object)
      return answer
    },
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      if (child.kill()) await gone
    },
  }
  return { worker, hello }
}

export async function workerOptions<T>(): Promise<T> {
  const [{ options }] = await once(process, 'message')
  return options as T
}

/** In the worker: sends a first message, then answers each question in turn; ends with its parent. */
export function answerQuestions<Question>(hello: object, answer: (question: Question) => Promise<object>): void {
  process.on('message', async (question) => process.send?.(await answer(question as Question)))
  process.on('disconnect', () => process.exit(0))
  process.send?.(hello)
}
