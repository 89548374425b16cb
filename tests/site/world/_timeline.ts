import type { CareCircleServiceService, CareEvent } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { LinkedProvider, PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import { requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Handlers } from '@family-inbox/service-kit/rpc/serve'
import type { World } from '../_world.ts'

const HOUR_MS = 3_600_000

/** An agency linked to a loved one. */
export function linked(lovedOneId: string, name: string, shared: boolean): LinkedProvider {
  const linkedAt = new Date('2026-04-02T09:00:00Z')
  return { linkId: `lnk_${name}`, lovedOneId, institutionId: `agency-${name}`, name, shared, linkedAt }
}

/** An event some hours ago. */
export function careEvent(
  lovedOneId: string,
  hoursAgo: number,
  details: Partial<CareEvent>,
  words: { source?: string; lateHours?: number } = {},
): CareEvent & { lovedOneId: string } {
  const occurredAt = new Date(Date.now() - hoursAgo * HOUR_MS)
  const receivedAt = new Date(occurredAt.getTime() + (words.lateHours ?? 0.01) * HOUR_MS)
  const source = words.source ?? 'Sunrise Home Care'
  const id = `evt_${lovedOneId}_${hoursAgo}`
  return { lovedOneId, id, eventType: '', occurredAt, receivedAt, source, urgent: false, takenBy: '', ...details }
}

export const visitStarted = (location = '') => ({
  eventType: 'visit_started',
  visitStarted: { location, scheduledStart: undefined, actualStart: undefined },
})

export const visitEnded = (durationMinutes: number) => ({
  eventType: 'visit_ended',
  visitEnded: { durationMinutes, actualEnd: undefined },
})

export const note = (noteText: string, structuredSummary = '') => ({
  eventType: 'note_added',
  noteAdded: { noteText, structuredSummary },
})

export const medication = (medicationName: string, doseAmount: string, doseUnit: string, scheduledAt?: Date) => ({
  eventType: 'med_administered',
  medicationAdministered: { medicationName, doseAmount, doseUnit, scheduledAt },
})

export const vital = (vitalType: string, value: string, unit: string, secondaryValue = '') => ({
  eventType: 'vital_recorded',
  vitalRecorded: { vitalType, value, unit, secondaryValue },
})

export function timelineHandlers(world: World): Partial<Handlers<typeof CareCircleServiceService>> {
  return {
    async listCareEvents({ several, pageSize, since, eventTypes, ...single }, call) {
      requirePrincipal(call)
      const page = ({ lovedOneId, pageToken }: { lovedOneId: string; pageToken: string }) => {
        const all = world.careEvents
          .filter((event) => event.lovedOneId === lovedOneId)
          .filter(({ eventType }) => eventTypes.length === 0 || eventTypes.includes(eventType))
          .filter(({ occurredAt }) => since === undefined || (occurredAt ?? since) >= since)
          .toSorted((a, b) => (b.occurredAt?.getTime() ?? 0) - (a.occurredAt?.getTime() ?? 0))
        const from = Number(pageToken || 0)
        const nextPageToken = from + pageSize < all.length ? `${from + pageSize}` : ''
        return { events: all.slice(from, from + pageSize), nextPageToken }
      }
      const pipeAvailable = world.providers.length > 0
      if (several === undefined || world.isOlder) return { ...page(single), pipeAvailable }
      return { events: [], nextPageToken: '', pipeAvailable, several: { pages: several.cursors.map(page) } }
    },
    async listUrgentEvents(_request, call) {
      requirePrincipal(call)
      const urgent = world.careEvents.filter((event) => event.urgent && event.takenBy === '')
      return { events: urgent.map(({ lovedOneId, ...event }) => ({ lovedOneId, event })) }
    },
    async setUrgentEventTaken({ eventId, taken }, call) {
      const takenBy = taken ? requirePrincipal(call).personId : ''
      for (const event of world.careEvents) if (event.id === eventId) event.takenBy = takenBy
      return { takenBy }
    },
  }
}

export function pipeHandlers(world: World): Partial<Handlers<typeof PipeServiceService>> {
  return {
    async listLinkedProviders(_request, call) {
      requirePrincipal(call)
      return { providers: world.providers }
    },
    async unlinkProvider({ linkId }, call) {
      requirePrincipal(call)
      world.providers = world.providers.filter((provider) => provider.linkId !== linkId)
      return {}
    },
  }
}
