import test from 'ava'
import { toReadablePaths } from './export-workspace.ts'

test('mail folders are named after loved ones, with unsafe and duplicate names resolved', (t) => {
  const readable = toReadablePaths([
    { id: 'lo_1', name: 'Rosa Martin' },
    { id: 'lo_2', name: 'rosa martin' },
    { id: 'lo_3', name: '../$& Wei' },
  ])
  t.is(readable('mail/lo_1/2026-05-12 10.00 msg_1/message.eml'), 'mail/Rosa Martin/2026-05-12 10.00 msg_1/message.eml')
  t.is(readable('mail/lo_2/x'), 'mail/rosa martin (2)/x')
  t.is(readable('mail/lo_3/x'), 'mail/_$& Wei/x')
  t.is(readable('mail/lo_other/x'), 'mail/lo_other/x')
  t.is(readable('care-circle/members.json'), 'care-circle/members.json')
})
