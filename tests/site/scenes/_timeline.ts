import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { World } from '../_world.ts'
import { careEvent, linked, medication, note, visitEnded, visitStarted, vital } from '../world/_timeline.ts'
import { fails, type Scene } from './_scene.ts'

const ROSA = 'lo_rosa'
const JOAO = 'lo_joao'

const full = (world: World) => {
  world.providers = [linked(ROSA, 'Sunrise Home Care', true)]
  world.careEvents = [
    careEvent(ROSA, 3, visitEnded(45)),
    careEvent(
      ROSA,
      3.1,
      note('Ate half of her breakfast and was in good spirits.\nHer left ankle is a little swollen.'),
    ),
    careEvent(ROSA, 3.2, medication('Metformin', '500', 'mg')),
    careEvent(ROSA, 3.21, medication('Lisinopril', '10', 'mg')),
    careEvent(ROSA, 3.22, medication('Vitamin D', '1000', 'IU')),
    careEvent(ROSA, 3.8, visitStarted('at home')),
    careEvent(ROSA, 27, { eventType: 'fall_detected', urgent: true }),
    careEvent(ROSA, 150, visitEnded(70), { lateHours: 75 }),
    careEvent(ROSA, 300, note('The whole text of a long note.', 'All is fine.')),
    ...[4, 28, 52, 76, 148, 172, 196].flatMap((hours, index) => [
      careEvent(
        ROSA,
        hours,
        vital('blood_pressure', `${121 + ((index * 7) % 20)}`, 'mmHg', `${76 + ((index * 5) % 12)}`),
      ),
      careEvent(ROSA, hours + 0.1, vital('weight', `${61 + ((index * 3) % 10) / 10}`, 'kg')),
    ]),
    careEvent(ROSA, 4.2, vital('temperature', '36.6', 'celsius')),
  ]
}

const several = (world: World) => {
  full(world)
  world.lovedOnes.push({ id: JOAO, name: 'João da Silva Pereira' })
  world.providers.push(linked(JOAO, 'Nightingale', true))
  world.careEvents.push(
    careEvent(JOAO, 3.5, vital('weight', '80.2', 'kg'), { source: 'Nightingale' }),
    careEvent(JOAO, 60, visitEnded(30), { source: 'Nightingale' }),
  )
}

const many = (world: World) => {
  full(world)
  world.careEvents.push(
    ...Array.from({ length: 90 }, (_, day) => careEvent(ROSA, 320 + day * 24, visitEnded(30 + day))),
  )
}

const treated = (world: World) => {
  several(world)
  world.careEvents.push(
    careEvent(
      ROSA,
      6,
      medication(`Hydrochlorothiazide${'e'.repeat(80)}`, '', '', new Date(Date.now() - 7 * 3_600_000)),
    ),
    careEvent(ROSA, 200, medication('', '2.50', 'ml'), { lateHours: 75 }),
    careEvent(ROSA, 201, { eventType: 'med_administered' }),
    ...Array.from({ length: 60 }, (_, index) =>
      careEvent(JOAO, 30 + index * 8, medication('Metformin', '500', 'mg'), { source: 'Nightingale' }),
    ),
  )
}

const at = (name: string, path: string, arrange: (world: World) => void): Scene => ({
  name: `timeline${name}`,
  signedIn: true,
  path: `/timeline${path}`,
  arrange,
})

export const timelineScenes: Scene[] = [
  at('', '', full),
  at('-everyone', '', several),
  at('-one-of-several', `/${JOAO}`, several),
  at('-filtered', `/${ROSA}?type=medication&period=week`, full),
  at('-nothing-found', `/${ROSA}?type=notes&period=week`, (world) => {
    world.providers = [linked(ROSA, 'Sunrise Home Care', true)]
  }),
  at('-pages', `/${ROSA}`, many),
  at('-not-linked', '', () => {}),
  at('-not-linked-viewer', '', (world) => {
    world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
  }),
  at('-not-shared', '', (world) => {
    world.providers = [linked(ROSA, 'Sunrise Home Care', false), linked(ROSA, 'Nightingale', false)]
  }),
  at('-nothing-sent', '', (world) => {
    world.providers = [linked(ROSA, 'Sunrise Home Care', true)]
  }),
  at('-nobody', '', (world) => void world.lovedOnes.splice(0)),
  at('-pipe-away', '', (world) => fails(world, 'listLinkedProviders', new StatusError('UNAVAILABLE', 'x'))),
  at('-readings', '/readings', full),
  at('-readings-everyone', '/readings', several),
  at('-readings-empty', '/readings?period=week', () => {}),
  at('-medication', '/medication', treated),
  at('-medication-one', `/${ROSA}/medication`, treated),
  at('-medication-empty', '/medication', (world) => {
    world.providers = [linked(ROSA, 'Sunrise Home Care', true)]
  }),
]
