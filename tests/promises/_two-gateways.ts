import anyTest, { type TestFn } from 'ava'
import { type Answer, send } from '../_family.ts'
import { type SecondGateway, startSecondGateway } from '../_second-gateway.ts'
import { type AuthStack, joinBehindGateway } from '../auth/_auth.ts'

export type World = { s: AuthStack; second: SecondGateway }

/** An address of the tool server, through one of the gateways. */
export type Route = { url: string; host: string }

/** The serial tests of a file, on the shared stack with a second gateway. */
export function openTwoGateways() {
  const test = (anyTest as TestFn<World>).serial
  test.before(async (t) => {
    const s = await joinBehindGateway()
    t.context = { s, second: await startSecondGateway(s.stack, { TOOL_CALLS_PER_MINUTE: '1000000' }) }
  })
  test.after.always(async (t) => {
    await t.context.second?.[Symbol.asyncDispose]()
    await t.context.s?.[Symbol.asyncDispose]()
  })
  return test
}

/** The same address through both gateways. */
export function routesTo(address: string, second: SecondGateway): [Route, Route] {
  const { host, pathname } = new URL(address)
  return [
    { url: address, host },
    { url: `http://${second.address}${pathname}`, host },
  ]
}

export function callTool(
  { url, host }: Route,
  credential: Record<string, string>,
  tool: string,
  args: object,
): Promise<Answer> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }
  const headers = { host, 'content-type': 'application/json', ...credential }
  return send(url, { method: 'POST', headers, body: JSON.stringify(message) })
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

export function isGood({ status, json }: Answer): boolean {
  return status === 200 && json?.result !== undefined && json.result.isError === undefined
}

/** Nothing was done, and the client is asked to try again. */
export function isUnanswered({ json }: Answer): boolean {
  return json?.error?.code === -32_603
}

/**
 * Tries something so many times in parallel lanes; each lane takes the next when it is done. A lane founds a family, so few trials take
 * few lanes.
 * @param enter sets up a lane and returns its trial
 */
export async function inLanes(
  trials: number,
  mostLanes: number,
  enter: () => Promise<(nth: number) => Promise<void>>,
): Promise<void> {
  let begun = 0
  const lane = async () => {
    const tryOut = await enter()
    for (let nth = begun++; nth < trials; nth = begun++) await tryOut(nth)
  }
  await Promise.all(Array.from({ length: Math.min(mostLanes, Math.ceil(trials / 4)) }, lane))
}

/** Resolves when so many of the calls have ended: at once for none. */
export function untilEnded(calls: readonly Promise<unknown>[], count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = count
  if (left === 0) resolve()
  const end = () => {
    left -= 1
    if (left === 0) resolve()
  }
  for (const call of calls) call.then(end, end)
  return promise
}
