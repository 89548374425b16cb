import type { Scene } from './_scene.ts'

export const inboxScenes: Scene[] = [{ name: 'inbox-empty', signedIn: true, path: '/' }]
