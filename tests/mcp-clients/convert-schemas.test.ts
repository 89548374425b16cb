import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { describeTool } from '../../services/gateway/src/mcp/describe-tool.ts'
import { tools } from '../../services/gateway/src/mcp/family/tools/index.ts'
import { startTool } from '../../services/gateway/src/mcp/sandbox/start-tool.ts'
import { fetchPackage, skippedFor, whyLacking } from './_packages.ts'

const HINTS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }

type Schema = { properties: object; required?: string[]; additionalProperties?: unknown }
const schemas = [...tools, startTool].map((tool) => describeTool(tool, HINTS).inputSchema as unknown as Schema)

for (const [framework, isStrict] of [
  ['openai-agents', true],
  ['pydantic-ai-slim', true],
  ['google-genai', false],
] as const) {
  const lacking = whyLacking(framework)
  const run = lacking === undefined ? test.serial : test.serial.skip
  run(`the arguments of every tool survive the schema converter of ${framework}${skippedFor(lacking)}`, async (t) => {
    const PYTHONPATH = await fetchPackage(framework)
    const script = join(import.meta.dirname, 'convert_schemas.py')
    const python = spawn('python3', [script, framework], { env: { ...process.env, PYTHONPATH } })
    python.stdin.end(JSON.stringify(schemas))
    const [output, problems] = await Promise.all([text(python.stdout), text(python.stderr), once(python, 'close')])
    t.is(python.exitCode, 0, problems)
    const converted: Schema[] = JSON.parse(output)
    for (const [index, schema] of converted.entries()) {
      const names = Object.keys(schemas[index]?.properties ?? {})
      t.deepEqual(Object.keys(schema.properties ?? {}), names)
      // Strict mode requires every argument; models then send null for those they leave out.
      if (isStrict) t.deepEqual([...(schema.required ?? [])].sort(), [...names].sort())
      if (isStrict) t.is(schema.additionalProperties, false)
      else t.deepEqual(schema.required ?? [], schemas[index]?.required ?? [])
    }
  })
}
