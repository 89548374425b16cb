import { addLovedOne, deliverMail, LOVED_ONES } from './demo-seed.ts'
import { connect, type Services } from './services.ts'
import type { Target } from './target.ts'

const NAME = 'Ana Almeida'

export type ReviewFamily = {
  /** Signs in with the code until `endsAt`. */
  email: string
  /** ISO 8601. */
  endsAt: string
  workspaceId: string
  lovedOnes: { id: string; name: string; inboxAddress: string }[]
}

/** Creates a family for the reviewers of a directory, with mail that came through the real SMTP port. */
export async function seedReview(target: Target, owner: { email: string; code: string }): Promise<ReviewFamily> {
  using services = await connect(target)
  const { email, code } = owner
  const { principal, endsAt } = await services.auth.createPerson({ email, name: NAME, reviewCode: code })
  const family = await createFamily(services, principal)
  await deliverMail(
    target,
    family.lovedOnes.map(({ inboxAddress }) => inboxAddress),
  )
  return { email, endsAt: endsAt?.toISOString() ?? '', ...family }
}

async function createFamily(services: Services, token: string) {
  const { workspaceId } = await services.careCircle.createWorkspace(
    { name: 'The Almeida family', ownerName: NAME, relationship: 'daughter' },
    { token },
  )
  const { principal } = await services.auth.switchWorkspace({ workspaceId }, { token })
  const lovedOnes = []
  for (const name of LOVED_ONES) lovedOnes.push(await addLovedOne(services, principal, name))
  return { workspaceId, lovedOnes }
}
