// Runs in the threads that read what strangers wrote. Each thread loads only what it was asked for.
import type { AuthenticationTask } from '../authenticity/authentication-worker.ts'
import type { Opened, OpenTask } from '../open-mail.ts'
import type { ParseTask } from '../parse-message.ts'
import type { PreviewTask } from '../preview/make-preview.ts'
import type { FileTextTask } from '../preview/read-pages.ts'

export async function parse(task: ParseTask) {
  return (await import('../parse-message.ts')).runParseTask(task)
}

export async function open(task: OpenTask): Promise<Opened> {
  return (await import('../open-mail.ts')).openMail(task) as Opened
}

/** Apart from `open`: a stranger's mail starts this work, so it must not cost the family its turn. */
export const openCalendar = open

export async function preview(task: PreviewTask) {
  return (await import('../preview/make-preview.ts')).makePreview(task)
}

export async function readFile(task: FileTextTask): Promise<string | undefined> {
  return (await import('../preview/read-pages.ts')).readFileText(task)
}

export async function authenticate(task: AuthenticationTask) {
  return (await import('../authenticity/authentication-worker.ts')).runAuthentication(task)
}
