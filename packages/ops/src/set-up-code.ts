import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { connect, type Services } from './services.ts'
import type { Target } from './target.ts'

export type SetUpCode = { code: string; url: string; expiresAt: Date }

/** Creates the code that creates the first family. @returns undefined once there is a family */
export async function createSetUpCode(target: Target): Promise<SetUpCode | undefined> {
  using services = await connect(target)
  try {
    return await requestSetUpCode(services)
  } catch (error) {
    if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION') return undefined
    throw error
  }
}

/** @throws StatusError FAILED_PRECONDITION once there is a family */
export async function requestSetUpCode({ auth }: Services): Promise<SetUpCode> {
  const { code, url, expiresAt = new Date() } = await auth.createSetUpCode({})
  return { code, url, expiresAt }
}
