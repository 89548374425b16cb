import { z } from 'zod'

/** Whether assistants may set up workspaces without an account. */
export const sandboxSetting = z
  .stringbool()
  .default(true)
  .describe('whether assistants without an account may set up workspaces: on or off, for example off')

/** Whether the pages about the service are shown to everyone, at `BASE_URL`. */
export const publicSiteSetting = z
  .stringbool()
  .default(true)
  .describe(
    'whether BASE_URL shows the pages about the service: on or off, for example off; its home page then leads to sign-in',
  )
