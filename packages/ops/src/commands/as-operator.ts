import { type Io, print } from '../io.ts'
import { connect, type Services } from '../services.ts'
import { findTarget } from '../target.ts'

export async function asOperator(
  io: Io,
  json: boolean | undefined,
  call: (services: Services) => Promise<object>,
): Promise<void> {
  using services = await connect(findTarget(io.env))
  print(io, await call(services), json)
}
