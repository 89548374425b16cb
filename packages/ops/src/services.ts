import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import { dial } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import type { Target } from './target.ts'

export type Services = Awaited<ReturnType<typeof connect>>

export async function connect(target: Target) {
  const identity = await createIdentity(target.serviceKey, target.serviceKeys, target.tlsDir)
  const auth = dial(AuthServiceService, target.addresses.auth, identity)
  const careCircle = dial(CareCircleServiceService, target.addresses['care-circle'], identity)
  const inbox = dial(InboxServiceService, target.addresses.inbox, identity)
  const pipe = dial(PipeServiceService, target.addresses.pipe, identity)
  return {
    auth,
    careCircle,
    inbox,
    pipe,
    [Symbol.dispose]() {
      for (const client of [auth, careCircle, inbox, pipe]) client.close()
    },
  }
}
