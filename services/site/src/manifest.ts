import type { Asset, Assets } from './assets.ts'
import { PRODUCT } from './layout/wordmark.ts'

/** What a phone needs to put the application among its own (Web Application Manifest). */
export function manifestOf(icons: Pick<Assets, 'icon192' | 'icon512' | 'maskable512'>): string {
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
    icons: [
      iconOf(icons.icon192, 192, 'any'),
      iconOf(icons.icon512, 512, 'any'),
      iconOf(icons.maskable512, 512, 'maskable'),
    ],
  })
}

function iconOf({ path, type }: Asset, size: number, purpose: 'any' | 'maskable') {
  return { src: path, type, sizes: `${size}x${size}`, purpose }
}
