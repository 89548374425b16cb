import { print } from '../print.ts'
import { connect, type Services } from '../services.ts'
import { findTarget } from '../target.ts'

/** Asks the running services as the operator, and prints the answer. */
export async function asOperator(
  json: boolean | undefined,
  ask: (services: Services) => Promise<object>,
): Promise<void> {
  using services = await connect(findTarget())
  print(await ask(services), json)
}
