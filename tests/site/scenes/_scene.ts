import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Page } from 'playwright-core'
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

/** Clicks the button with this name. */
export function submit(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click()
}

/** Makes every call of a method fail. */
export function fails(world: World, method: string, error: StatusError): void {
  world.failures.set(method, error)
}
