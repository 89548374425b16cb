import {
  type CareCircleServiceService,
  type EmergencyLink,
  EmergencyLinkState,
  type EmergencySheet,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { requirePrincipal, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Handlers } from '@family-inbox/service-kit/rpc/serve'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { World } from '../_world.ts'

export const LINK_CODE = '482913'

export type SheetWorld = { sheet: EmergencySheet; links: EmergencyLink[] }

export function newSheet(): SheetWorld {
  const sheet = { texts: undefined, version: 0, changedByName: '', checkedByName: '', checkedAt: undefined }
  return { sheet, links: [] }
}

/** A link that works for a day. */
export function openLink(id: string, words: Partial<EmergencyLink> = {}): EmergencyLink {
  return {
    id,
    state: EmergencyLinkState.OPEN,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 86_400_000),
    openedCount: 0,
    openedAt: [],
    ...words,
  }
}

export function emergencySheetHandlers(world: World): Partial<Handlers<typeof CareCircleServiceService>> {
  const isOwner = () => world.workspaces.find(({ id }) => id === world.workspaceId)?.role === Role.OWNER
  return {
    async getEmergencySheet(_request, call) {
      requirePrincipal(call)
      const { sheet, links } = world.emergency
      return { sheet, links: isOwner() ? links : [] }
    },
    async setEmergencySheet({ texts, version }, call) {
      requirePrincipal(call)
      const { sheet } = world.emergency
      if (version !== sheet.version) throw new StatusError('FAILED_PRECONDITION', 'Somebody else changed it.')
      Object.assign(sheet, { texts, version: version + 1, checkedAt: new Date() })
      return {}
    },
    async checkEmergencySheet(_request, call) {
      requirePrincipal(call)
      world.emergency.sheet.checkedAt = new Date()
      return {}
    },
    async createEmergencyLink(_request, call) {
      requirePrincipal(call)
      return { link: openLink('eml_new'), token: '7k'.repeat(16), code: LINK_CODE }
    },
    async revokeEmergencyLink({ linkId }, call) {
      requirePrincipal(call)
      for (const link of world.emergency.links) if (link.id === linkId) link.state = EmergencyLinkState.REVOKED
      return {}
    },
    async openEmergencyLink({ code }, call) {
      requireService(call, 'site')
      if (code.replaceAll(/\D/g, '') !== LINK_CODE) throw new StatusError('NOT_FOUND', 'It does not work.')
      const expiresAt = new Date(Date.now() + 86_400_000)
      return { lovedOneName: world.lovedOnes[0]?.name ?? '', sheet: world.emergency.sheet, expiresAt }
    },
  }
}
