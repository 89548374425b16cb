import { publicIdOf } from '@family-inbox/inbox/models/message'
import { startStack } from '@family-inbox/local-stack/stack'
import test from 'ava'
import { toolRequest } from '../world/tool-request.ts'
import { makeWorkspace } from '../world/workspace.ts'
import { requireAgreement } from './agree.ts'
import { ourPeer, startReference } from './peer.ts'

test('the references we are compared with give the same answers as the product', async (t) => {
  // The references read what is stored.
  await using stack = await startStack({ env: { KEY_ENCRYPTION_KEYS: '[]' } })
  await using workspace = await makeWorkspace(stack)
  await using s = await startReference('S', stack, workspace.databases)
  await using f = await startReference('F', stack, workspace.databases)
  const { lovedOneId, sampleRows } = workspace
  const requests = [
    toolRequest('ping', {}),
    toolRequest('list_inbox_messages', { lovedOneId, limit: 20 }),
    ...sampleRows.map((row) => toolRequest('get_inbox_message', { lovedOneId, messageId: publicIdOf(row) })),
  ]
  await t.notThrowsAsync(() => requireAgreement([ourPeer(stack), s, f], workspace, requests))
})
