import { PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import { detectStreamLoss } from '@family-inbox/service-kit/nats/detect-stream-loss'
import type { GrpcServer } from '@family-inbox/service-kit/rpc/serve'
import type { Service } from '@family-inbox/service-kit/start/run'
import { serveBackend } from '@family-inbox/service-kit/start/serve-backend'
import { CARE_EVENT_STREAM } from '@family-inbox/workspace-kit/care-events'
import { consumeRemovals } from '@family-inbox/workspace-kit/removals'
import { resealSecrets } from './change-secrets.ts'
import { type Config, environmentToConfig } from './config.ts'
import { createContext } from './context.ts'
import { startEventConfirmation } from './delivery/confirm-events.ts'
import { startUnpublishedSweeper } from './delivery/republish.ts'
import { removeWorkspace, startPurgeSweeper } from './purge.ts'
import { addPartner } from './rpc/add-partner.ts'
import { checkSharing } from './rpc/check-sharing.ts'
import { ingestEvents } from './rpc/ingest-events.ts'
import { linkSubject } from './rpc/link-subject.ts'
import { listLinkedProviders } from './rpc/list-linked-providers.ts'
import { listPartners } from './rpc/list-partners.ts'
import { listSecrets } from './rpc/list-secrets.ts'
import { listSharedLinks } from './rpc/list-shared-links.ts'
import { purgeSubject } from './rpc/purge-subject.ts'
import { revokeSecret } from './rpc/revoke-secret.ts'
import { rotateSecret } from './rpc/rotate-secret.ts'
import { setFamilyShare } from './rpc/set-family-share.ts'
import { setPartnerActive } from './rpc/set-partner-active.ts'
import { unlinkProvider } from './rpc/unlink-provider.ts'

export const service: Service<Config> = { name: 'pipe', environmentToConfig, start: startPipe }

/** Starts the pipe: partners, their links, and the delivery of their events. */
export async function startPipe(config: Config): Promise<GrpcServer> {
  const ctx = await createContext(config)
  const resealed = await resealSecrets(ctx)
  if (resealed > 0) ctx.logger.info({ partners: resealed }, 're-encrypted secrets with the first key')
  return serveBackend({
    definition: PipeServiceService,
    handlers: {
      ingestEvents: ingestEvents(ctx),
      checkSharing: checkSharing(ctx),
      listSharedLinks: listSharedLinks(ctx),
      listLinkedProviders: listLinkedProviders(ctx),
      unlinkProvider: unlinkProvider(ctx),
      addPartner: addPartner(ctx),
      listPartners: listPartners(ctx),
      setPartnerActive: setPartnerActive(ctx),
      rotateSecret: rotateSecret(ctx),
      listSecrets: listSecrets(ctx),
      revokeSecret: revokeSecret(ctx),
      linkSubject: linkSubject(ctx),
      setFamilyShare: setFamilyShare(ctx),
      purgeSubject: purgeSubject(ctx),
    },
    context: ctx,
    background: [
      startUnpublishedSweeper(ctx),
      startEventConfirmation(ctx),
      // Its events come back through their confirmation.
      detectStreamLoss({
        connection: ctx.careEvents.connection,
        stream: CARE_EVENT_STREAM,
        database: ctx.connection,
        logger: ctx.logger,
      }),
      startPurgeSweeper(ctx),
      consumeRemovals({
        connection: ctx.careEvents.connection,
        natsReplicas: config.natsReplicas,
        identity: ctx.identity,
        service: 'pipe',
        logger: ctx.logger,
        handlers: { workspace: (id) => removeWorkspace(ctx, id) },
      }),
    ],
  })
}
