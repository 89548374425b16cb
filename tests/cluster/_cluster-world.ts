import { type Sink, startMailSink } from '../_mail-sink.ts'
import { foundWorkspace, type Workspace } from '../_workspace.ts'
import { type PipeWorld, startPipeWorld } from '../event-pipe/_pipe.ts'
import { type Sandboxes, sandboxesOn } from '../sandbox/_sandbox.ts'
import { type Gates, openGates } from './_gates.ts'

/** How many invitations a family may send: few enough to use up. */
export const INVITATIONS = 6

const ENV = {
  INVITATIONS_PER_DAY: `${INVITATIONS}`,
  INVITATIONS_PER_NETWORK: '1000000',
  REPLIES_PER_WORKSPACE: '9999/9999',
  REPLIES_PER_NEW_WORKSPACE: '9999/9999',
  REPLIES_PER_PERSON: '9999/9999',
  REPLIES_PER_RECIPIENT: '9999/9999',
  REPLIES_TO_UNVERIFIED: '9999/9999',
  INBOX_MESSAGES_PER_HOUR: '1000000',
  SANDBOX_BUCKET_CAPACITY: '1000000',
  SANDBOX_REFILL_SECONDS: '1',
}

/** Three mongods, three NATS servers and two of each service, with a family, a partner and other people's mail servers. */
export type ClusterWorld = AsyncDisposable & {
  pipe: PipeWorld
  sandboxes: Sandboxes
  workspace: Workspace
  sink: Sink
  gates: Gates
}

export async function startClusterWorld(): Promise<ClusterWorld> {
  await using cleanUp = new AsyncDisposableStack()
  const gates = cleanUp.use(openGates())
  const sink = cleanUp.use(await startMailSink())
  const env = { ...ENV, SMTP_URL: sink.url, MONGODB_URI: undefined, NATS_URL: undefined }
  const pipe = cleanUp.use(await startPipeWorld({ isReplicated: true, through: gates.through, env }))
  const sandboxes = cleanUp.use(await sandboxesOn(pipe.stack, { async [Symbol.asyncDispose]() {} }, {}))
  const workspace = cleanUp.use(await foundWorkspace(pipe.stack))
  const owned = cleanUp.move()
  return { pipe, sandboxes, workspace, sink, gates, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
