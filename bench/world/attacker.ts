import { type Message, publicIdOf } from '@family-inbox/inbox/models/message'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { seedDemo } from '@family-inbox/ops/demo-seed'
import { createTransport } from 'nodemailer'
import type { AttackOptions } from './attack-names.ts'
import { signIn } from './sign-in.ts'
import type { Workspace } from './workspace.ts'

const FILE_BYTES = 5 * 1024 * 1024

/** Creates the attacker: the owner of another family, signed in, with one large file in its inbox. */
export async function makeAttacker(
  stack: Stack,
  { collection }: Pick<Workspace, 'collection'>,
): Promise<Pick<AttackOptions, 'inboxAddress' | 'filePath' | 'cookie'>> {
  const { people, lovedOnes } = await seedDemo(stack.target)
  const { id: lovedOneId, inboxAddress } = lovedOnes[0] ?? { id: '', inboxAddress: '' }
  const transport = createTransport({ ...stack.target.smtp, secure: false, ignoreTLS: true })
  const { messageId } = await transport.sendMail({
    from: 'scans@example.com',
    to: inboxAddress,
    subject: 'Scans',
    attachments: [{ filename: 'scan.pdf', content: Buffer.alloc(FILE_BYTES, 'scan') }],
  })
  const message = await collection<Message>('inbox', 'messages').findOne({ lovedOneId, messageIdHeader: messageId })
  if (message === null) throw new Error('the attacker’s mail did not arrive')
  return {
    inboxAddress,
    filePath: `/inbox/${lovedOneId}/${publicIdOf(message)}/files/0`,
    cookie: await signIn(stack, people.owner),
  }
}
