import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { code, errorEnvelope } from '../../json-rpc/envelope.ts'
import { isObject } from '../../json-rpc/parse-request.ts'
import type { Answer } from '../answer.ts'
import { describeTool } from '../describe-tool.ts'
import { createMethods } from '../methods.ts'
import type { Request } from '../read-message.ts'
import { startTool } from './start-tool.ts'
import { type Start, startWorkspace } from './start-workspace.ts'

type SandboxCall = Omit<Start, 'request' | 'values'> & { ctx: Context }

const instructions =
  'Creates sandbox workspaces for families, without credentials. A person claims one later ' +
  'by signing in with the primaryCaregiverEmail you pass. This server never sends mail, and you cannot read the mail that ' +
  'arrives in a workspace. If you get a wait time, wait that long and try once. Use real people’s data only when they asked you to.'

export function sandboxMethods({ urls, serverName }: Pick<Config, 'urls' | 'serverName'>) {
  const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
  return createMethods<SandboxCall>({
    instructions,
    listed: { name: serverName, websiteUrl: urls.base },
    tools: [describeTool(startTool, hints)],
    cacheScope: 'public',
    callTool: callStart,
  })
}

async function callStart(request: Request, { ctx, ...call }: SandboxCall): Promise<Answer> {
  const { name } = request.params
  const values = request.params.arguments ?? {}
  if (name !== startTool.name) return invalidParams(request, `Unknown tool. The only tool is ${startTool.name}.`)
  if (!isObject(values)) return invalidParams(request, 'arguments must be an object.')
  return startWorkspace(ctx, { request, values, ...call })
}

function invalidParams(request: Request, message: string): Answer {
  return { status: 200, body: errorEnvelope(request, code.invalidParams, message) }
}
