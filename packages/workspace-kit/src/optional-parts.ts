import { z } from 'zod'

/** Whether assistants may set up workspaces without an account. */
export const sandboxSetting = z
  .stringbool()
  .default(true)
  .describe('whether assistants without an account may set up workspaces: on or off, for example off')

/** Whether an operator may see and switch things on a page. On a cluster their tools do that. */
export const operatorPageSetting = z
  .stringbool()
  .default(false)
  .describe(
    'whether the operator has the page /operator, whose switches then count instead of SIGN_UP, SANDBOX and PUBLIC_SITE: on or off, for example on; npm start on a public address: on',
  )

/** Whether the pages about the service are shown to everyone, at `BASE_URL`. */
export const publicSiteSetting = z
  .stringbool()
  .default(true)
  .describe(
    'whether BASE_URL shows the pages about the service: on or off, for example off; its home page then leads to sign-in',
  )
