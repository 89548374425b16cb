import type { ToDo } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { shortCalendarDay } from '../shell/moment.ts'
import { withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { type Visit, withTimeout } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { toDoPath } from '../to-dos/to-do-words.ts'
import type { FoundTask } from './invitation-card.ts'

/** The page does not wait longer for the to-dos. */
const TIMEOUT_MS = 1000

type MessageIds = { lovedOneId: string; messageId: string }

/** What a message says is to be done, with the to-do that the family made of it. */
export type MessageTask = FoundTask & { toDo?: ToDo | undefined }

/** Without to-dos while they are away: each task is then offered again. */
export async function readMessageTasks(
  ctx: Context,
  visit: Visit,
  { session, canWrite }: Workspace,
  { messageId }: MessageIds,
  tasks: FoundTask[],
): Promise<MessageTask[]> {
  if (tasks.length === 0 || !canWrite) return []
  const person = asPerson(session, withTimeout(visit, TIMEOUT_MS))
  const lists = await Promise.all(
    [false, true].map((done) =>
      ctx.careCircle.listToDos({ lovedOneId: '', done }, person).catch(() => ({ toDos: [] })),
    ),
  )
  const made = lists.flatMap(({ toDos }) => toDos).filter((toDo) => toDo.messageId === messageId)
  return tasks.map((task) => ({ ...task, toDo: made.find(({ text }) => text === task.text) }))
}

/** Offers each task that is not a to-do yet; a person adds it or not. */
export function taskOffers(
  tasks: MessageTask[],
  { lovedOneId, messageId }: MessageIds,
  clock: ReaderClock,
): Html | undefined {
  if (tasks.length === 0) return undefined
  const hrefOf = ({ index, place }: FoundTask) =>
    withQuery('/to-dos/new', { for: lovedOneId, message: messageId, task: `${index}-${place}` })
  return html`<ul class="in-calendar">${tasks.map((task) => {
    const { text, day, toDo } = task
    const byDay = day !== '' && html`, by ${shortCalendarDay(day, clock)}`
    if (toDo) return html`<li>On your to-do list: <a href="${toDoPath(toDo)}"><bdi>${text}</bdi></a>${byDay}</li>`
    return html`<li>To do: <bdi>${text}</bdi>${byDay}. <a href="${hrefOf(task)}">Add a to-do<span class="unseen">: <bdi>${text}</bdi></span></a></li>`
  })}</ul>`
}
