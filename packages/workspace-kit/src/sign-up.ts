import { z } from 'zod'

/**
 * Who gets in besides the members of families: everyone, only people with an open invitation, or nobody. A setting of all services that admit
 * people, and of site, whose pages say what is possible.
 */
export const signUpSetting = z
  .enum(['open', 'invited', 'closed'])
  .default('open')
  .describe(
    'who may join: open (everyone), invited (people whom a family invited) or closed (nobody; members stay), for example invited; npm start on a public address: invited',
  )

export type SignUp = z.infer<typeof signUpSetting>
