import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { askModel } from './ask-model.ts'
import type { Question } from './questions.ts'

// biome-ignore lint/suspicious/noExplicitAny: what is posted to the stand-in
type Asked = any

/** A stand-in for a model: answers each request with the next of these calls, and then with words. */
async function standIn(calls: [tool: string, args: string][]) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    asked.push(JSON.parse(Buffer.concat(chunks).toString()))
    const [name, args] = calls.shift() ?? []
    const toolCalls =
      name === undefined ? undefined : [{ id: 'c', type: 'function', function: { name, arguments: args } }]
    const message = { role: 'assistant', content: name === undefined ? 'There you are.' : null, tool_calls: toolCalls }
    response.end(JSON.stringify({ choices: [{ message }] }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`
  return { url, asked, [Symbol.asyncDispose]: async () => void server.close() }
}

const QUESTION: Question = {
  asks: 'Find the letter about the INR.',
  calls: [
    ['list_loved_ones', {}],
    ['list_inbox_messages', { lovedOneId: '$rosa', query: 'INR' }],
  ],
}

test('a model is right when it makes the deciding call, after whatever it looked up', async (t) => {
  await using model = await standIn([
    ['list_loved_ones', '{}'],
    ['list_inbox_messages', '{"lovedOneId":"$rosa","query":"inr value","limit":5}'],
  ])
  const { isRight, called } = await askModel({ url: model.url, name: 'm' }, QUESTION)
  t.true(isRight)
  t.is(called.length, 2)
  t.is(model.asked[0].tools.length, 10)
  t.is(model.asked[0].messages[1].content, QUESTION.asks)
  t.regex(model.asked[1].messages.at(-1).content, /\$rosa/, 'it gets what the tool answers')
})

test('a model is wrong with another tool, without what was asked for, with broken arguments, and without a call', async (t) => {
  const wrong: [string, string][][] = [
    [['get_inbox_message', '{"query":"INR"}']],
    [['list_inbox_messages', '{"lovedOneId":"$rosa"}']],
    [['list_inbox_messages', '{"query":']],
    [],
  ]
  for (const calls of wrong) {
    await using model = await standIn([...calls])
    t.false((await askModel({ url: model.url, name: 'm' }, QUESTION)).isRight, JSON.stringify(calls))
  }
})

test('a model that never stops calling is asked five times', async (t) => {
  await using model = await standIn(Array.from({ length: 50 }, (): [string, string] => ['ping', '{}']))
  t.false((await askModel({ url: model.url, name: 'm' }, QUESTION)).isRight)
  t.is(model.asked.length, 5)
})
