import test from 'ava'
import { nameOfSender } from './sender-name.ts'

const ADDRESS = 'desk@mail.clinic.example'
const nameOf = (name: string, address = ADDRESS) => nameOfSender({ name, address })

test('a name that holds an address or another domain does not stand for the sender', (t) => {
  for (const name of [
    'front@sunrise.example',
    'Front desk <front@sunrise.example>',
    'front＠sunrise.example',
    'front﹫sunrise',
    ADDRESS,
    'sunrise.example',
    'Sunrise (www.Sunrise.Example)',
    'https://sunrise.example/front',
    'sunrise。example',
    'sunrise․example',
    '…sunrise.example.',
    'сlinic.example',
    'clinic.example.evil.example',
    'xn--sunrise-q4a.example',
    'Dr.Weber of sunrise.example',
  ])
    t.is(nameOf(name), '', name)
  t.is(nameOf('clinic.example', 'x@clinic.example.evil.example'), '')
  t.is(nameOf('clinic.example', 'x@evilclinic.example'), '')
  t.is(nameOf('clinic.example', ''), '')
})

test('the names of people and clinics stay as they are', (t) => {
  for (const name of [
    '',
    'Sunrise Clinic',
    'Dr.med. Anna Weber',
    'Prof.Dr. Weber',
    'St.Mary’s Hospital',
    'J.Smith',
    'Pflege e.V.',
    'Ward 4.2',
    'Weber, M.D., Ph.D.',
    'Dr. Müller-Lüdenscheidt',
    '北京医院',
    'clinic.example',
    'Billing at Clinic.Example',
    'desk.mail.clinic.example',
  ])
    t.is(nameOf(name), name)
})
