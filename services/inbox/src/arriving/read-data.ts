import type { Share } from '@family-inbox/service-kit/lifecycle/fair-budget'
import type { SMTPServerDataStream } from 'smtp-server'
import { type Refusal, refusals } from './refusals.ts'

/** 20 MB of attachments plus a third for base64 and line breaks. */
export const MAX_MAIL_BYTES = 28 * 1024 * 1024

/** Bytes that are not counted, so ordinary mail still gets through when large mail uses all the memory. */
const FREE_BYTES = 32 * 1024
/** A sender beyond this is disconnected; below it, the refusal comes after DATA, as SMTP requires. */
const CUT_OFF_BYTES = 2 * MAX_MAIL_BYTES
type ReadMail = { raw: Buffer; release: () => void }

/** Oversized data is read to its end but not kept. Any error but a Refusal means the client disconnected. */
export async function readData(
  stream: SMTPServerDataStream,
  memory: Share,
  cutOff: (refusal: Refusal) => void,
  timeoutMs: number,
): Promise<ReadMail> {
  const kept = createGrowingBuffer(memory)
  const breakOff = (reason: Refusal) => {
    cutOff(reason)
    stream.destroy(reason)
  }
  const deadline = setTimeout(() => breakOff(refusals.tooSlow()), timeoutMs)
  let refusal: Refusal | undefined
  try {
    for await (const chunk of stream) {
      if (stream.byteLength > CUT_OFF_BYTES) breakOff(refusals.tooLarge())
      else if (stream.byteLength > MAX_MAIL_BYTES) refusal = refusals.tooLarge()
      else if (refusal === undefined && !kept.append(chunk)) refusal = refusals.memoryFull()
      if (refusal !== undefined) kept.release()
    }
    if (refusal !== undefined) throw refusal
    return { raw: kept.bytes(), release: kept.release }
  } catch (error) {
    kept.release()
    throw error
  } finally {
    clearTimeout(deadline)
  }
}

/** Copies chunks: a client that sends single bytes must not cost an object for each. */
function createGrowingBuffer(memory: Share) {
  let buffer = Buffer.allocUnsafeSlow(FREE_BYTES)
  let length = 0

  function grow(needed: number): boolean {
    const capacity = Math.max(needed, Math.min(buffer.length * 2, MAX_MAIL_BYTES))
    if (!memory.resize(capacity - FREE_BYTES)) return false
    const larger = Buffer.allocUnsafeSlow(capacity)
    buffer.copy(larger, 0, 0, length)
    buffer = larger
    return true
  }

  return {
    append(chunk: Buffer): boolean {
      if (length + chunk.length > buffer.length && !grow(length + chunk.length)) return false
      chunk.copy(buffer, length)
      length += chunk.length
      return true
    },
    bytes: () => buffer.subarray(0, length),
    release() {
      memory[Symbol.dispose]()
      length = 0
      buffer = Buffer.alloc(0)
    },
  }
}
