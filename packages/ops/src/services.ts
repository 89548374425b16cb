import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import type { Definition } from '@family-inbox/service-kit/rpc/definition'
import { dial, type RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { transportSecurity } from '@family-inbox/service-kit/rpc/transport-security'
import { openTlsFolder } from '@family-inbox/service-kit/tls/tls-folder'
import { findConnectionFault } from './connection-fault.ts'
import type { Target } from './target.ts'

export type Services = Awaited<ReturnType<typeof connect>>

/** A command ends soon, and the next one reads the certificate again. */
const SILENT = { info() {}, warn() {} }

export async function connect(target: Target) {
  const tls = target.tlsDir === undefined ? undefined : openTlsFolder('GRPC_TLS_DIR', target.tlsDir, SILENT)
  const identity = await createIdentity(target.serviceKey, target.serviceKeys, transportSecurity(tls))
  const open = <D extends Definition>(definition: D, service: keyof Target['addresses']) => {
    const serverName = target.certificatesNameServices ? service : undefined
    const client = dial(definition, target.addresses[service], identity, serverName)
    return explainTimeouts(client, async () => {
      const fault = await findConnectionFault(target.addresses[service], { tlsDir: target.tlsDir, serverName })
      return fault && `${service} cannot be reached at ${target.addresses[service]}: ${fault}`
    })
  }
  const auth = open(AuthServiceService, 'auth')
  const careCircle = open(CareCircleServiceService, 'care-circle')
  const inbox = open(InboxServiceService, 'inbox')
  const pipe = open(PipeServiceService, 'pipe')
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

type Method = (...args: unknown[]) => unknown

/** A call waits for a connection until its deadline, so its own error does not say why there is none. */
function explainTimeouts<D extends Definition>(client: RpcClient<D>, explain: () => Promise<string | undefined>) {
  const explained = Object.entries(client as Record<string, Method>).map(([name, method]) => [
    name,
    (...args: unknown[]) => {
      const answer = method(...args)
      return answer instanceof Promise ? answer.catch((error) => rethrow(error, explain)) : answer
    },
  ])
  return Object.fromEntries(explained) as RpcClient<D>
}

async function rethrow(error: unknown, explain: () => Promise<string | undefined>): Promise<never> {
  const timedOut = error instanceof StatusError && error.status === 'DEADLINE_EXCEEDED'
  const reason = timedOut ? await explain() : undefined
  throw reason === undefined ? error : new StatusError('DEADLINE_EXCEEDED', reason)
}
