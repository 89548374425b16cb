import { protocolVersion, serverInfo } from '@family-inbox/workspace-kit/tool-catalogue'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { code, errorEnvelope, resultEnvelope } from '../../json-rpc/envelope.ts'
import { isObject, type Request } from '../../json-rpc/parse-request.ts'
import type { Answer } from '../answer.ts'
import { startTool } from './start-tool.ts'
import { type Start, startWorkspace } from './start-workspace.ts'

export async function answerRequest(
  ctx: Context,
  { id, method, params }: Request,
  caller: Omit<Start, 'id' | 'values'>,
): Promise<Answer> {
  switch (method) {
    case 'initialize':
      return { status: 200, body: resultEnvelope(id, INITIALIZE) }
    case 'ping':
      return { status: 200, body: resultEnvelope(id, '{}') }
    case 'tools/list':
      return { status: 200, body: resultEnvelope(id, TOOLS) }
    case 'tools/call': {
      const { name, arguments: values = {} } = params
      if (name !== startTool.name)
        return error(id, code.invalidParams, `Unknown tool. The only tool is ${startTool.name}.`)
      if (!isObject(values)) return error(id, code.invalidParams, 'arguments must be an object.')
      return startWorkspace(ctx, { id, values, ...caller })
    }
    default:
      return error(id, code.methodNotFound, METHOD_NOT_FOUND)
  }
}

function error(id: string, errorCode: number, message: string): Answer {
  return { status: 200, body: errorEnvelope(id, errorCode, message) }
}

const METHOD_NOT_FOUND = 'Unknown method. This server has initialize, tools/list, tools/call and ping.'

const instructions =
  'Creates sandbox workspaces for families, without credentials. A person claims one later ' +
  'by signing in with the primaryCaregiverEmail you pass. This server never sends mail, and you cannot read the mail that ' +
  'arrives in a workspace. If you get a wait time, wait that long and try once.'

const INITIALIZE = JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo, instructions })

const TOOLS = JSON.stringify({
  tools: [
    {
      name: startTool.name,
      title: startTool.title,
      description: startTool.description,
      inputSchema: z.toJSONSchema(startTool.input, { io: 'input' }),
      outputSchema: z.toJSONSchema(startTool.output),
      annotations: {
        title: startTool.title,
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
  ],
})
