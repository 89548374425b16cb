import type { Appointment, ToDo } from '@family-inbox/proto/carecircle/v1/care_circle'
import { readComingDays } from '../appointments/coming-days.ts'
import type { Context } from '../context.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import type { TimelineEvent } from '../timeline/event.ts'
import { readEventPages, startCursors } from '../timeline/event-pages.ts'
import { type DosesToday, dosesToday } from '../timeline/medication-today.ts'
import { readOpenToDos } from '../to-dos/next-list.ts'

/** More people would make the page slow. */
const MAX_LOVED_ONES = 4
const SHOWN = ['visit_ended', 'med_administered', 'vital_recorded'] as const

/** The parts beside mail. A part is undefined if it could not be read in time. */
export type UpNext = {
  appointments: Appointment[] | undefined
  /** Open ones, with the earliest day first. */
  toDos: ToDo[] | undefined
  latest: Latest[] | undefined
}

/** The latest of its kind; of medication, what came today. */
export type Latest = { event: TimelineEvent; doses?: DosesToday }

export async function readUpNext(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  lovedOne: LovedOne | undefined,
): Promise<UpNext> {
  const [appointments, toDos, latest] = await Promise.all([
    readComingDays(ctx, visit, workspace, lovedOne).catch(() => undefined),
    readOpenToDos(ctx, visit, workspace, lovedOne).catch(() => undefined),
    readLatest(ctx, visit, workspace, lovedOne).catch(() => undefined),
  ])
  return { appointments, toDos, latest }
}

/** The latest visit, medication and reading of each loved one, from the last week. */
async function readLatest(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  about: LovedOne | undefined,
): Promise<Latest[]> {
  const lovedOnes = (about ? [about] : workspace.lovedOnes).slice(0, MAX_LOVED_ONES)
  const starts = startCursors(undefined, lovedOnes)
  const pages = await readEventPages(ctx, visit, workspace, { starts, filter: { period: 'week' } })
  return pages.flatMap(({ events }) => latestOf(events, visit.clock))
}

/** @param events newest first */
function latestOf(events: TimelineEvent[], clock: ReaderClock): Latest[] {
  const found = SHOWN.flatMap((kind) => events.find(({ details }) => details?.kind === kind) ?? [])
  return found.map((event) =>
    event.details?.kind === 'med_administered'
      ? { event, doses: dosesToday(events, event.lovedOne, clock) }
      : { event },
  )
}
