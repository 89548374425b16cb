import test from 'ava'
import { isSameSender } from './same-sender.ts'

test('a clinic writes from any address of its domain', (t) => {
  t.true(isSameSender('desk@clinic.example', 'Billing@Clinic.example'))
  t.false(isSameSender('desk@clinic.example', 'desk@mail.clinic.example'))
  t.false(isSameSender('desk@clinic.example', 'desk@clinic.example.evil.example'))
  t.false(isSameSender('', ''))
})

test('at a public mail provider, only the same address is the same sender', (t) => {
  for (const domain of ['gmail.com', 'outlook.com', 'web.de', 'proton.me', 'hey.com']) {
    t.false(isSameSender(`doctor@${domain}`, `stranger@${domain}`), domain)
    t.true(isSameSender(`doctor@${domain}`, `Doctor@${domain}`), domain)
  }
})
