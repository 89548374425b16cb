import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Reply } from '../shell/visit.ts'
import type { WorkspaceHandler } from '../shell/workspace.ts'
import { fileFacts } from './file-words.ts'
import { isFromAnother } from './unsent-reply.ts'

/** Answers attach.js, which sends each file as it is chosen. */
export function addAttachment(): WorkspaceHandler {
  return async (visit, { session }): Promise<Reply> => {
    if (isFromAnother(visit, session)) return refuseStranger()
    const { stored, problem } = visit.files
    const [file] = stored
    if (file === undefined) throw new StatusError('INVALID_ARGUMENT', problem ?? 'Choose a file.')
    const shown = { id: file.id, name: file.filename, facts: fileFacts(file), size: file.size }
    return { headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: JSON.stringify(shown) }
  }
}

/** Also when nobody is signed in. */
export async function refuseStranger(): Promise<never> {
  throw new StatusError('PERMISSION_DENIED', 'Sign in as the person who wrote this, then add the file again.')
}
