import type { Stack } from '@family-inbox/local-stack/run-stack'
import { deliverDemoMail, seedFamily } from '@family-inbox/ops/demo-seed'
import type { MakeFamily } from './_shared-stack.ts'

/** Imported only where stacks are started: most files of tests join one. */
export function familyMaker({ target }: Pick<Stack, 'target'>): MakeFamily {
  return async ({ withMail, others }) => {
    const family = await seedFamily(target, others)
    if (withMail) await deliverDemoMail(target, family)
    return family
  }
}
