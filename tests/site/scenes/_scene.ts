import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Locator, Page } from 'playwright-core'
import type { World } from '../_world.ts'

/** A page in one state: how to set up the world and how to get there. */
export type Scene = {
  name: string
  signedIn?: boolean
  /** Set for pages of the public site. */
  isPublic?: boolean
  arrange?: (world: World) => void
  /** The first page, and the steps from there; none by default. */
  path: string
  act?: (page: Page) => Promise<unknown>
}

/** Clicks the button with this name, and waits for the page that answers. */
export function submit(page: Page, name: string): Promise<void> {
  return follow(page, page.getByRole('button', { name, exact: true }))
}

/** Clicks what leads to another page, and waits for that: a click is over before the answer has come. */
export async function follow(page: Page, link: Locator): Promise<void> {
  await Promise.all([page.waitForEvent('load'), link.click()])
}

/** Makes every call of a method fail. */
export function fails(world: World, method: string, error: StatusError): void {
  world.failures.set(method, error)
}
