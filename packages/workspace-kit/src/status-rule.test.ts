import test from 'ava'
import { type Act, nextState, type State } from './status-rule.ts'

const ana = { personId: 'per_ana', name: 'Ana' }
const tom = { personId: 'per_tom', name: 'Tom' }
const lea = { personId: 'per_lea', name: 'Léa' }

const open: State = { status: 'open' }
const anas: State = { status: 'taken', assigneeId: 'per_ana', assigneeName: 'Ana' }
const toms: State = { status: 'taken', assigneeId: 'per_tom', assigneeName: 'Tom' }
const done: State = { status: 'done', changedByName: 'Tom' }
const notNeeded: State = { status: 'not_needed', changedByName: 'Tom' }

const toLea = (seenId?: string): Act => ({ kind: 'hand_over', to: lea, seenId })

/** The result of Ana's act: the status and its holder, or why nothing changed. */
const cases: [string, State | undefined, Act, string][] = [
  ['takes automatic mail', undefined, { kind: 'take' }, 'taken Ana'],
  ['takes an open one', open, { kind: 'take' }, 'taken Ana'],
  ['takes her own again', anas, { kind: 'take' }, 'taken Ana'],
  ['takes Tom’s', toms, { kind: 'take' }, 'Tom is already on it. Nothing was changed.'],
  ['takes a done one', done, { kind: 'take' }, 'Tom has marked this as done. Nothing was changed.'],
  ['hands over an open one', open, toLea(), 'taken Léa'],
  ['hands over her own', anas, toLea(), 'taken Léa'],
  ['hands over Tom’s, whom she saw', toms, toLea('per_tom'), 'taken Léa'],
  ['hands over Tom’s, whom she did not see', toms, toLea(), 'Tom is already on it. Nothing was changed.'],
  ['hands over a done one', done, toLea(), 'Tom has marked this as done. Nothing was changed.'],
  ['gives back her own', anas, { kind: 'give_back' }, 'open'],
  ['gives back Tom’s', toms, { kind: 'give_back' }, 'Tom is already on it. Nothing was changed.'],
  ['gives back an open one', open, { kind: 'give_back' }, 'open'],
  ['finishes an open one', open, { kind: 'finish', as: 'done' }, 'done'],
  ['finishes Tom’s', toms, { kind: 'finish', as: 'not_needed' }, 'not_needed'],
  ['finishes a done one', done, { kind: 'finish', as: 'done' }, 'done'],
  [
    'finishes one that is not needed',
    notNeeded,
    { kind: 'finish', as: 'done' },
    'Tom has marked this “No action needed”. Nothing was changed.',
  ],
  ['opens a done one', done, { kind: 'open_again' }, 'open'],
  ['opens Tom’s', toms, { kind: 'open_again' }, 'taken Tom'],
]

for (const [title, now, act, expected] of cases)
  test(`Ana ${title}: ${expected}`, (t) => {
    if (expected.endsWith('Nothing was changed.')) {
      t.throws(() => nextState(now, act, ana), { message: expected })
      return
    }
    const { status, assigneeName } = nextState(now, act, ana) ?? {}
    t.is([status, assigneeName].filter(Boolean).join(' '), expected)
  })

test('an act that changes nothing returns the same state', (t) => {
  t.is(nextState(toms, { kind: 'take' }, tom), toms)
  t.is(nextState(undefined, { kind: 'open_again' }, tom), undefined)
})
