import { Category, type MessageSummary, SenderCheck, SensitiveAsk } from '@family-inbox/proto/inbox/v1/inbox'
import test from 'ava'
import { riskyAsks, scamBox } from './scam-box.ts'

const SENDER = { name: 'Bank', address: 'desk@bank.example' }

const letter = (more: Partial<MessageSummary>): MessageSummary => ({
  id: 'msg_1',
  subject: '',
  preview: '',
  category: Category.OTHER,
  receivedAt: undefined,
  attachmentCount: 0,
  sender: SENDER,
  originalSender: undefined,
  asksFor: [SensitiveAsk.GIFT_CARDS],
  ...more,
})

test('a letter is marked unless its sender is proven; who wrote a forwarded text never is', (t) => {
  const marked = (more: Partial<MessageSummary>) => riskyAsks(letter(more)).length > 0
  t.false(marked({ check: SenderCheck.VERIFIED }))
  for (const check of [SenderCheck.NOT_VERIFIED, SenderCheck.FAILED, SenderCheck.IMPOSSIBLE, SenderCheck.UNSPECIFIED])
    t.true(marked({ check }), check)
  const originalSender = { name: 'Prince', address: 'prince@far.example' }
  t.true(marked({ check: SenderCheck.VERIFIED, originalSender, originalVerified: true }))
  t.false(marked({ asksFor: [] }))
})

test('the warning names what is asked for, once', (t) => {
  const asksFor = [SensitiveAsk.MONEY, SensitiveAsk.GIFT_CARDS, SensitiveAsk.UNRECOGNIZED, SensitiveAsk.UNSPECIFIED]
  const { text = '' } = scamBox(letter({ asksFor }), '/inbox/lo_1/msg_1?links=1') ?? {}
  t.regex(text, /It asks for money, gift cards and personal details, and nothing/)
  t.regex(text, /links=1">I know this sender/)
  t.notRegex(scamBox(letter({ asksFor }), undefined)?.text ?? '', /<a /)
})
