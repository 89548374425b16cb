import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { PassThrough, Readable, Writable } from 'node:stream'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { BusboyInstance } from '@fastify/busboy'
import test from 'ava'
import { readMultipart, readParts } from './multipart.ts'

const HEAD = 'Content-Disposition: form-data; name='
const FORM = Buffer.from(
  [
    `--x\r\n${HEAD}"key"\r\n\r\nk`,
    `--x\r\n${HEAD}"files"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n--\r\n`,
    `--x\r\n${HEAD}"files"; filename="b.png"\r\n\r\n--y--`,
    `--x\r\n${HEAD}"body"\r\n\r\nThank you.`,
    '--x--\r\n',
  ].join('\r\n'),
  'latin1',
)
const CLOSING = ['--x--', '--x--\r\n', '\r\n--x--\r\n', '\r\n\r\n--x--\r\n', '\r\n--x--\r\nafterwards']

type Outcome = { answer: 'read' | 'refused'; fields: string[]; files: string[] }

/** Reads a form that arrives in these chunks. Anything but a plain refusal fails the test. */
async function read(chunks: Buffer[], parser?: BusboyInstance): Promise<Outcome> {
  const body = Object.assign(Readable.from(chunks), { headers: headersOf('x') }) as unknown as IncomingMessage
  const fields = new URLSearchParams()
  const files: string[] = []
  const onFile = async (file: Readable, name: string) => {
    const bytes: Buffer[] = []
    for await (const chunk of file) bytes.push(chunk)
    files.push(`${name}: ${Buffer.concat(bytes).toString('latin1')}`)
  }
  const outcome = (answer: Outcome['answer']) => ({ answer, fields: [...fields].map(String), files })
  try {
    if (parser === undefined) await readMultipart(body, fields, onFile)
    else await readParts(body, parser, fields, onFile)
    return outcome('read')
  } catch (error) {
    if (!(error instanceof StatusError) || error.status !== 'INVALID_ARGUMENT') throw error
    return outcome('refused')
  }
}

function headersOf(boundary: string): IncomingHttpHeaders {
  return { 'content-type': `multipart/form-data; boundary=${boundary}` }
}

const WHOLE: Outcome = {
  answer: 'read',
  fields: ['key,k', 'body,Thank you.'],
  files: ['a.png: \x89PNG\r\n--\r\n', 'b.png: --y--'],
}

test('a form is read, in one piece and byte by byte', async (t) => {
  t.deepEqual(await read([FORM]), WHOLE)
  t.deepEqual(await read(Array.from(FORM, (_, index) => FORM.subarray(index, index + 1))), WHOLE)
})

test('a form that is cut anywhere is refused, and no file is stored in part', async (t) => {
  for (let length = 0; length < FORM.length - 2; length += 1) {
    const chunks = [FORM.subarray(0, length), FORM.subarray(length, length)]
    const { answer, files } = await read(length > 40 ? [FORM.subarray(0, 40), FORM.subarray(40, length)] : chunks)
    t.is(answer, 'refused', `after ${length} bytes`)
    t.deepEqual(files, WHOLE.files.slice(0, files.length), `after ${length} bytes`)
  }
})

test('a form that is cut anywhere and then closed is read or refused', async (t) => {
  for (let length = 0; length < FORM.length; length += 1)
    for (const closing of CLOSING) {
      const chunks = [FORM.subarray(0, length), Buffer.from(closing)]
      for (const sent of [chunks, [Buffer.concat(chunks)]])
        t.regex((await read(sent)).answer, /read|refused/, `${JSON.stringify(closing)} after ${length} bytes`)
    }
})

type Parse = (parser: Writable, done: () => void) => void

/** A parser that is finished only if it says so. */
function parserOf(parse: Parse): BusboyInstance {
  class Parser extends Writable {
    override _write(_chunk: Buffer, _encoding: string, done: () => void) {
      parse(this, done)
    }

    override emit(name: string | symbol, ...rest: unknown[]): boolean {
      return name !== 'finish' && super.emit(name, ...rest)
    }
  }
  return new Parser() as unknown as BusboyInstance
}

test('the end of the request ends its reading, whatever the parser does', async (t) => {
  const parsers: Record<string, Parse> = {
    'says nothing': (_parser, done) => done(),
    'takes nothing': () => {},
    throws: () => {
      throw new Error('a fault')
    },
    'begins one file after another': (parser, done) => {
      parser.emit('file', 'files', new PassThrough(), 'a.png')
      done()
    },
    'forgets the end of a file': (parser, done) => {
      parser.emit('file', 'files', new PassThrough(), 'a.png')
      Writable.prototype.emit.call(parser, 'finish')
      done()
    },
  }
  for (const [what, write] of Object.entries(parsers))
    for (const chunks of [[], [FORM], [FORM, FORM]])
      t.deepEqual(await read(chunks, parserOf(write)), { answer: 'refused', fields: [], files: [] }, what)
})

test('a client that disconnects, and a file that is refused, end the reading', async (t) => {
  const begin = () => {
    const body = Object.assign(new PassThrough(), { headers: headersOf('x') })
    body.write(FORM.subarray(0, FORM.indexOf('PNG') + 3))
    return body
  }
  const gone = begin()
  const reading = readMultipart(gone as unknown as IncomingMessage, new URLSearchParams(), async (file) => {
    for await (const _ of file) gone.destroy()
  })
  await t.throwsAsync(reading, { instanceOf: StatusError })

  const refused = begin()
  const refusal = new Error('no')
  const refusing = readMultipart(refused as unknown as IncomingMessage, new URLSearchParams(), () => {
    throw refusal
  })
  t.is(await t.throwsAsync(refusing), refusal, 'before the rest has come')
  refused.end(Buffer.alloc(1_000_000))
  await once(refused, 'end')
  t.pass('the rest is discarded')
})

test('a file arrives no faster than it is taken', async (t) => {
  const [taken, stalled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let sent = 0
  async function* form() {
    yield FORM.subarray(0, FORM.indexOf('PNG') + 3)
    for (; sent < 1000; sent += 1) {
      if (sent === 50) stalled.reject(new Error('far too much is held'))
      yield Buffer.alloc(64 * 1024)
    }
  }
  const body = Object.assign(Readable.from(form()), { headers: headersOf('x') }) as unknown as IncomingMessage
  const reading = readMultipart(body, new URLSearchParams(), async (file) => {
    await taken.promise
    file.resume()
    await once(file, 'close').catch(() => {})
  })
  // Each turn would read another chunk.
  const turns = (async () => {
    for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate)
  })()
  await Promise.race([turns, stalled.promise])
  t.true(sent < 10)
  taken.resolve()
  await t.throwsAsync(reading, { instanceOf: StatusError })
  t.is(sent, 1000)
})
