import type { Asset } from './assets.ts'
import { PRODUCT } from './layout/wordmark.ts'

/** What a phone needs to put the application among its own (Web Application Manifest). */
export function manifestOf(icon: Asset): string {
  return JSON.stringify({
    id: '/',
    name: PRODUCT,
    short_name: 'Care Inbox',
    description: 'Your family’s shared inbox and care circle.',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#faf8f4',
    theme_color: '#faf8f4',
    icons: [{ src: icon.path, type: icon.type, sizes: 'any', purpose: 'any' }],
  })
}
