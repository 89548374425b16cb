import test from 'ava'
import { findZone, guessZone, type NamedZone } from './zone-names.ts'

/** Names as programs write them, and a place with the same clocks; minutes for an offset. */
const NAMES: [written: string, zone: NamedZone | undefined][] = [
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  ['"Europe/Berlin"', 'Europe/Berlin'],
  ['America/New York', 'America/New_York'],
  ['US-Eastern', 'America/New_York'],
  ['Europe-Berlin', 'Europe/Berlin'],
  ['Europe_Paris', 'Europe/Paris'],
  ['/Europe/Stockholm', 'Europe/Stockholm'],
  ['/freeassociation.sourceforge.net/Europe/Berlin', 'Europe/Berlin'],
  ['/freeassociation.sourceforge.net/Tzfile/America/New_York', 'America/New_York'],
  ['/softwarestudio.org/Olson_20011030_5/Europe/Berlin', 'Europe/Berlin'],
  ['/mozilla.org/20050126_1/America/Argentina/Buenos_Aires', 'America/Buenos_Aires'],
  ['/citadel.org/20210210_1/Europe/London', 'Europe/London'],
  ['tzone://Microsoft/Utc', 'UTC'],
  ['tzone://Microsoft/W. Europe Standard Time', 'Europe/Berlin'],
  ['tzone://Microsoft/Custom', undefined],
  ['W. Europe Standard Time', 'Europe/Berlin'],
  ['w. europe standard time', 'Europe/Berlin'],
  ['Eastern Standard Time', 'America/New_York'],
  ['Eastern Daylight Time', 'America/New_York'],
  ['Eastern Time', 'America/New_York'],
  ['Eastern', 'America/New_York'],
  ['Eastern Time (US & Canada)', 'America/New_York'],
  ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
  ['(GMT-05:00) Eastern Time (US & Canada)', 'America/New_York'],
  ['(GMT -06:00) Central Time (US & Canada)', 'America/Chicago'],
  ['(UTC-08:00) Pacific Time (US & Canada)', 'America/Los_Angeles'],
  ['(UTC-07:00) Arizona', 'America/Phoenix'],
  ['(UTC-10:00) Hawaii', 'Pacific/Honolulu'],
  ['(UTC-09:00) Alaska', 'America/Anchorage'],
  ['(UTC-03:30) Newfoundland', 'America/St_Johns'],
  ['(UTC-04:00) Atlantic Time (Canada)', 'America/Halifax'],
  ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Amsterdam'],
  ['(UTC+01:00) Amsterdam, Berlin, Bern, Rom, Stockholm, Wien', 'Europe/Amsterdam'],
  ['(GMT+01.00) Sarajevo/Warsaw/Zagreb', 'Europe/Warsaw'],
  ['(UTC+01:00) Brussels, Copenhagen, Madrid, Paris', 'Europe/Brussels'],
  ['(UTC+02:00) Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius', 'Europe/Helsinki'],
  ['(UTC+00:00) Dublin, Edinburgh, Lisbon, London', 'Europe/Dublin'],
  ['(GMT) Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London', 'Europe/London'],
  ['(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi', 'Asia/Calcutta'],
  ['(UTC+09:00) Osaka, Sapporo, Tokyo', 'Asia/Tokyo'],
  ['(UTC+10:00) Canberra, Melbourne, Sydney', 'Australia/Sydney'],
  ['(UTC-07:00) Chihuahua, La Paz, Mazatlan', 'America/Mazatlan'],
  ['(UTC-04:00) Georgetown, La Paz, Manaus, San Juan', 'America/La_Paz'],
  ['(UTC) Coordinated Universal Time', 'UTC'],
  ['(UTC-05:00) Town', undefined],
  ['Amsterdam, Berlin, Bern', 'Europe/Amsterdam'],
  ['Central European Summer Time', 'Europe/Warsaw'],
  ['CET', 'Europe/Brussels'],
  ['CEST', 'Europe/Berlin'],
  ['BST', 'Europe/London'],
  ['EDT', 'America/New_York'],
  ['UTC', 'UTC'],
  ['GMT', 'UTC'],
  ['GMT+0200', 120],
  ['GMT+02:00', 120],
  ['GMT-5', -300],
  ['UTC+05:30', 330],
  ['(UTC+01:00)', 60],
  ['+0100', 60],
  ['-03:30', -210],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  ['GMT+99', undefined],
  ['Nowhere/Town', undefined],
  ['toString', undefined],
  ['constructor', undefined],
  ['Customized Time Zone', undefined],
  ['', undefined],
  ['('.repeat(10_000), undefined],
]

function offsets(zone: NamedZone | undefined): (number | undefined)[] {
  if (zone === undefined || typeof zone === 'number') return [zone]
  const at = (month: number) => new Date(Date.UTC(2027, month, 15))
  const shown = (when: Date) =>
    new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).format(when).split('GMT')[1]
  return [at(0), at(6)].map((when) => Number((shown(when) || '+00:00').replace(':', '')))
}

for (const [written, zone] of NAMES)
  test(`the zone “${written.slice(0, 70)}” is found`, (t) => {
    const found = findZone(written) ?? guessZone(written)
    t.deepEqual(offsets(found), offsets(zone), String(found))
  })
