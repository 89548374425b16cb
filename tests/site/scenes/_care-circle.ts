import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Scene, submit } from './_scene.ts'

export const careCircleScenes: Scene[] = [
  { name: 'care-circle', signedIn: true, path: '/care-circle' },
  {
    name: 'care-circle-several',
    signedIn: true,
    path: '/care-circle',
    arrange: (world) => {
      world.lovedOnes.push({ id: 'lo_joao', name: 'João da Silva Pereira' }, { id: 'lo_wei', name: '李伟' })
      world.workspaces.push({ id: 'ws_2', name: 'The Okafor family', role: Role.VIEWER })
    },
  },
  {
    name: 'care-circle-empty',
    signedIn: true,
    path: '/care-circle',
    arrange: (world) => void world.lovedOnes.splice(0),
  },
  {
    name: 'care-circle-empty-error',
    signedIn: true,
    path: '/care-circle',
    arrange: (world) => void world.lovedOnes.splice(0),
    act: (page) => submit(page, 'Add them'),
  },
  {
    name: 'care-circle-viewer',
    signedIn: true,
    path: '/care-circle',
    arrange: (world) => {
      world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
    },
  },
  { name: 'timeline-empty', signedIn: true, path: '/timeline' },
  { name: 'settings', signedIn: true, path: '/settings' },
]
