import { type CalendarChange, type CalendarEvent, SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import test from 'ava'
import type { Appointment, Proof } from '../models/appointment.ts'
import { findOwn, nextOwner, ownerOf, proofOf } from './find-own.ts'

const { VERIFIED, FORWARDED, UNSPECIFIED } = SenderProof
const DESK = 'desk@clinic.example'

type Words = { from?: string; organizer?: string; proof?: SenderProof; canceled?: boolean }

function said({ from = DESK, organizer = '', proof = VERIFIED, canceled = true }: Words) {
  const change = { senderAddress: from, proof, events: [{ canceled, sequence: 0 }] } as CalendarChange
  return { change, organizer, events: change.events as CalendarEvent[] }
}

function row({ from = DESK, organizer = '', proof = VERIFIED }: Words = {}): Appointment {
  const { change } = said({ from, proof })
  const named: Proof = proofOf(change)
  const owner = ownerOf(named, change, organizer)
  return { owner, proof: named, senderAddress: from, components: [], canceledByFamily: [] } as unknown as Appointment
}

test('the sender’s only appointment is meant when the mail or the appointment names no organizer', (t) => {
  for (const proof of [VERIFIED, FORWARDED, UNSPECIFIED]) {
    const [named, plain] = [row({ organizer: DESK, proof }), row({ proof })]
    t.is(findOwn([named], said({ proof })), named)
    t.is(findOwn([plain], said({ organizer: DESK, proof, canceled: false })), plain)
    t.is(findOwn([named, plain], said({ organizer: DESK, proof })), named, 'the same organizer goes before')
    t.is(findOwn([named], said({ organizer: 'other@clinic.example', proof, canceled: false })), undefined)
  }
  const two = [row({ organizer: DESK }), row({ organizer: 'other@clinic.example' })]
  t.is(findOwn(two, said({})), undefined, 'of two, nobody knows which')
})

test('an appointment belongs to the organizer that its sender named first', (t) => {
  const plain = row()
  const owner = nextOwner(plain, said({ organizer: DESK }), false)
  t.is(owner, ownerOf('verified', said({}).change, DESK))
  t.is(findOwn([{ ...plain, owner }], said({ organizer: 'x@evil.example', canceled: false })), undefined)
  const forwarded = row({ organizer: DESK, proof: FORWARDED })
  t.is(nextOwner(forwarded, said({}), true), owner, 'proof without an organizer does not forget it')
  t.is(nextOwner(row({ organizer: DESK }), said({ from: 'other@clinic.example' }), false), owner)
})

test('a colleague with proof cancels, and moves nothing', (t) => {
  const colleague = { from: 'reception@clinic.example' }
  for (const organizer of ['', DESK]) {
    const own = row({ organizer })
    t.is(findOwn([own], said(colleague)), own)
    t.is(findOwn([own], said({ ...colleague, organizer: DESK })), own)
    t.is(findOwn([own], said({ ...colleague, canceled: false })), undefined)
    t.is(findOwn([own], said({ ...colleague, proof: UNSPECIFIED })), undefined)
    t.is(findOwn([own], said({ ...colleague, proof: FORWARDED })), undefined)
  }
  const portal = row({ from: 'noreply@portal.example', organizer: DESK })
  t.is(findOwn([portal], said(colleague)), portal, 'what a portal sent for the clinic')
})

test('a stranger who names the organizer first keeps no colleague from canceling', (t) => {
  const [own, planted] = [row({ organizer: DESK }), row({ from: 'x@evil.example', organizer: DESK })]
  const colleague = said({ from: 'reception@clinic.example', organizer: DESK })
  t.is(findOwn([planted, own], colleague), own)
})

test('strangers cancel nothing: not by another domain, a mail provider, a portal, or without proof', (t) => {
  const attempts: [Appointment, Words][] = [
    [row({ organizer: DESK }), { from: 'x@evil.example', organizer: DESK }],
    [row({ organizer: DESK }), { from: 'x@evil.example' }],
    [row({ organizer: DESK }), { from: 'x@mail.clinic.example', organizer: DESK }],
    [row({ organizer: DESK }), { from: 'x@xclinic.example', organizer: DESK }],
    [row({ from: 'ana@gmail.com', organizer: 'ana@gmail.com' }), { from: 'eve@gmail.com', organizer: 'ana@gmail.com' }],
    [row({ from: 'ana@gmail.com' }), { from: 'eve@gmail.com' }],
    [row({ from: 'noreply@portal.example' }), { from: 'users@portal.example', organizer: 'x@evil.example' }],
    [
      row({ from: 'noreply@portal.example', organizer: DESK }),
      { from: 'noreply@portal.example', organizer: 'x@evil.example' },
    ],
    [row({ organizer: DESK, proof: FORWARDED }), { from: 'reception@clinic.example' }],
    [row({ organizer: DESK, proof: UNSPECIFIED }), { from: 'reception@clinic.example' }],
  ]
  for (const [own, words] of attempts) t.is(findOwn([own], said(words)), undefined, JSON.stringify(words))
})
