import { startStack } from '@family-inbox/local-stack/stack'
import { ENDS, openWriter, TOOLS, type WriteSample } from '../load/measure-writes.ts'
import { shuffled } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import { ourPeer } from '../peers/peer.ts'
import { approvalTable, summariseApproval } from '../report/approval-table.ts'
import { makeWorkspace } from '../world/workspace.ts'

/** Room for one batch of writes; the limits are as short as in production. */
const LIMITS = {
  REPLIES_PER_NEW_WORKSPACE: '50/50',
  REPLIES_PER_PERSON: '50/50',
  REPLIES_PER_RECIPIENT: '50/50',
  REPLIES_TO_UNVERIFIED: '50/50',
}

/** Replies and invitations of assistants that wait for approval, and the same that are sent at once, in turn. */
export async function benchApproval({ rounds, quietly, say }: Options) {
  await using stack = await startStack({ env: LIMITS })
  await using workspace = await makeWorkspace(stack)
  const measure = await openWriter(ourPeer(stack), workspace)
  const kinds = TOOLS.flatMap((tool) => ENDS.map((end) => ({ tool, end })))
  for (const kind of kinds) await measure(kind)
  const samples: WriteSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const kind of shuffled(kinds)) samples.push({ round, ...(await quietly(() => measure(kind))) })
  }
  const summary = summariseApproval(samples)
  say(approvalTable(summary))
  return { summary, samples }
}
