import test from 'ava'
import { isKeptOut, type SenderFilter } from './sender-filter.ts'

const blocking = (...senders: string[]): SenderFilter => ({
  _id: 'w',
  blocked: senders.map((sender) => ({ sender, byName: 'Ana', at: new Date() })),
  only: [],
})

test('a blocked address is kept out however it is written, and no other address of its domain', (t) => {
  const filter = blocking('offers@shop.example')
  t.true(isKeptOut(filter, 'rosa', 'Offers@Shop.example'))
  t.false(isKeptOut(filter, 'rosa', 'orders@shop.example'))
})

test('a blocked domain is kept out with its subdomains, and not a domain that only ends like it', (t) => {
  const filter = blocking('@shop.example')
  t.true(isKeptOut(filter, 'rosa', 'any@shop.example'))
  t.true(isKeptOut(filter, 'rosa', 'any@mail.shop.example'))
  t.false(isKeptOut(filter, 'rosa', 'any@workshop.example'))
  t.false(isKeptOut(filter, 'rosa', 'shop.example@clinic.example'))
})

test('with a list of senders, only they reach that inbox, and other inboxes get all mail', (t) => {
  const only = [{ lovedOneId: 'rosa', on: true, senders: ['desk@clinic.example', '@pharmacy.example'] }]
  const filter = { ...blocking(), only }
  t.false(isKeptOut(filter, 'rosa', 'desk@clinic.example'))
  t.false(isKeptOut(filter, 'rosa', 'ready@pharmacy.example'))
  t.true(isKeptOut(filter, 'rosa', 'billing@clinic.example'))
  t.true(isKeptOut(filter, 'rosa', ''))
  t.false(isKeptOut(filter, 'joao', 'billing@clinic.example'))
})

test('a blocked sender is kept out of an inbox that lists it, and a list that is turned off keeps nobody out', (t) => {
  const listed = { lovedOneId: 'rosa', senders: ['desk@clinic.example'] }
  t.true(isKeptOut({ ...blocking('@clinic.example'), only: [{ ...listed, on: true }] }, 'rosa', 'desk@clinic.example'))
  t.false(isKeptOut({ ...blocking(), only: [{ ...listed, on: false }] }, 'rosa', 'any@shop.example'))
})
