import type { StartDeliveryTestRequest, StartDeliveryTestResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { MailKind } from '@family-inbox/proto/mail/v1/mail'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import { deliveryTestAddress } from '../arriving/receive-delivery-test.ts'
import type { Context } from '../context.ts'
import { messageIdHeaderFor } from '../sending/compose.ts'

/** For the operator. Sends a mail on the way of all outgoing mail, to an address of its own here. */
export function startDeliveryTest(ctx: Context): Handler<StartDeliveryTestRequest, StartDeliveryTestResponse> {
  return async (_request, call) => {
    requireService(call, 'ops')
    const { mailDomain, senderAddress, smtpUrl } = ctx.config
    if (smtpUrl === undefined)
      throw new StatusError('FAILED_PRECONDITION', 'No mail server is set, so mail is kept in a folder and not sent.')
    const _id = newId('tst')
    const address = deliveryTestAddress(_id, ctx.config)
    await ctx.deliveryTests.insertOne({
      _id,
      messageIdHeader: messageIdHeaderFor(_id, ctx.config),
      createdAt: new Date(),
    })
    await ctx.mailQueue.send({
      ...fromService({ email: address, name: '' }),
      id: _id,
      kind: MailKind.TEST,
      workspaceId: '',
      subject: 'A test of outgoing mail',
      text: 'This mail was sent by the installation to itself. Nobody needs to do anything.',
      actionLabel: '',
      actionUrl: '',
    })
    return { id: _id, address, senderAddress, mailDomain }
  }
}
