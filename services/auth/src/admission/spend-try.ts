import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import type { Context } from '../context.ts'
import { findKnownDevice } from '../sign-in/known-device.ts'
import {
  CODES_TO_ADDRESS,
  CODES_TO_KNOWN_DEVICE,
  codesFromNetwork,
  enforceRateLimit,
  type Limit,
} from './rate-limit.ts'

type Limits = { ofAddress: Limit; ofKnownDevice: Limit }

export const MAILED_CODES: Limits = { ofAddress: CODES_TO_ADDRESS, ofKnownDevice: CODES_TO_KNOWN_DEVICE }

/** As many as mailed codes, counted apart: whoever asks for codes uses up no try of a recovery code. */
export const RECOVERY_CODES: Limits = {
  ofAddress: { name: 'recovery codes of address', windows: CODES_TO_ADDRESS.windows },
  ofKnownDevice: { name: 'recovery codes of known device', windows: CODES_TO_ADDRESS.windows },
}

type Browser = { device?: string | undefined; clientAddress: string }

/** Strangers share the limits of the address and the network; a known browser has its own. */
export async function spendTry(
  ctx: Context,
  { ofAddress, ofKnownDevice }: Limits,
  email: string,
  { device, clientAddress }: Browser,
): Promise<void> {
  const known = findKnownDevice(ctx.config, device ?? '', email)
  if (known !== undefined) return enforceRateLimit(ctx, ofKnownDevice, known)
  const fromNetwork = codesFromNetwork(ctx.config)
  if (fromNetwork !== undefined) await enforceRateLimit(ctx, fromNetwork, clientNetwork(clientAddress))
  await enforceRateLimit(ctx, ofAddress, email)
}
