import { PassThrough } from 'node:stream'
import { createFairBudget, type FairBudget } from '@family-inbox/service-kit/lifecycle/fair-budget'
import test from 'ava'
import type { SMTPServerDataStream } from 'smtp-server'
import { MAX_MAIL_BYTES, readData } from './read-data.ts'

/** A stream like smtp-server's, which counts its bytes. */
function dataStream() {
  const stream = Object.assign(new PassThrough(), { byteLength: 0, sizeExceeded: false }) as SMTPServerDataStream
  const send = (bytes: Buffer) => {
    stream.byteLength += bytes.length
    return stream.write(bytes) || new Promise((resolve) => stream.once('drain', resolve))
  }
  return { stream, send }
}

function shareOf(budget: FairBudget) {
  const share = budget.take(['peer'], 0)
  if (share === undefined) throw new Error('no share')
  return share
}

const TIMEOUT_MS = 60_000

const neverCutOff = () => {
  throw new Error('cut off')
}

test('a message is read whole from any chunks, and its memory is released', async (t) => {
  const budget = createFairBudget(10 * 1024 * 1024)
  const { stream, send } = dataStream()
  const reading = readData(stream, shareOf(budget), neverCutOff, TIMEOUT_MS)
  const pieces = Array.from({ length: 300 }, (_, index) => Buffer.alloc(index * 37, index))
  for (const piece of pieces) await send(piece)
  stream.end()
  const { raw, release } = await reading
  t.deepEqual(raw, Buffer.concat(pieces))
  t.true(budget.held > 0)
  release()
  release()
  t.is(budget.held, 0)
})

test('a message of the maximum size is accepted, and one byte more is refused', async (t) => {
  for (const extra of [0, 1]) {
    const { stream, send } = dataStream()
    const reading = readData(stream, shareOf(createFairBudget(MAX_MAIL_BYTES)), neverCutOff, TIMEOUT_MS)
    for (let sent = 0; sent < MAX_MAIL_BYTES; sent += 1024 * 1024) await send(Buffer.alloc(1024 * 1024))
    await send(Buffer.alloc(extra))
    stream.end()
    if (extra === 0) t.is((await reading).raw.length, MAX_MAIL_BYTES)
    else await t.throwsAsync(reading, { message: /5\.3\.4/ })
  }
})

test('when memory is full, a large message is deferred and a small one is accepted', async (t) => {
  const budget = createFairBudget(100_000)
  const large = dataStream()
  const readingLarge = readData(large.stream, shareOf(budget), neverCutOff, TIMEOUT_MS)
  await large.send(Buffer.alloc(200_000))
  const small = dataStream()
  const readingSmall = readData(small.stream, shareOf(createFairBudget(0)), neverCutOff, TIMEOUT_MS)
  await small.send(Buffer.alloc(30_000))
  large.stream.end()
  small.stream.end()
  await t.throwsAsync(readingLarge, { message: /4\.3\.1/ })
  t.is((await readingSmall).raw.length, 30_000)
  t.is(budget.held, 0)
})

test('a client that disconnects mid-message leaves no memory reserved', async (t) => {
  const budget = createFairBudget(1_000_000)
  const { stream, send } = dataStream()
  const reading = readData(stream, shareOf(budget), neverCutOff, TIMEOUT_MS)
  await send(Buffer.alloc(100_000))
  stream.destroy()
  await t.throwsAsync(reading)
  t.is(budget.held, 0)
})

test('a message that arrives byte by byte is cut off after its time', async (t) => {
  const budget = createFairBudget(1_000_000)
  const { stream, send } = dataStream()
  const refusals: string[] = []
  const reading = readData(stream, shareOf(budget), ({ message }) => refusals.push(message), 300)
  const drip = setInterval(() => stream.destroyed || void send(Buffer.from('a')), 20)
  await t.throwsAsync(reading, { message: /4\.4\.2/ })
  clearInterval(drip)
  t.is(refusals.length, 1)
  t.is(budget.held, 0)
})
