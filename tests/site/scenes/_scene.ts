import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Page } from 'playwright-core'
import type { World } from '../_world.ts'

/** One page in one state: how the world is, and how a person gets there. */
export type Scene = {
  name: string
  signedIn?: boolean
  /** Set for pages of the public site. */
  isPublic?: boolean
  arrange?: (world: World) => void
  /** Where it begins, and what is done there; by default nothing. */
  path: string
  act?: (page: Page) => Promise<unknown>
}

/** Presses the button of that name. */
export function submit(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click()
}

/** Has every call of a method answered with an error. */
export function fails(world: World, method: string, error: StatusError): void {
  world.failures.set(method, error)
}
