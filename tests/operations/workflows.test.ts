import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { REPOSITORY, services } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import test from 'ava'
import { parse } from 'yaml'
import { findActionlint } from './_actionlint.ts'

const run = promisify(execFile)

const FOLDER = join(REPOSITORY, '.github/workflows')
const ISSUER = 'https://token.actions.githubusercontent.com'

test('actionlint finds nothing wrong with the workflows', async (t) => {
  const actionlint = await findActionlint({ env: readEnvironment(), say: (line) => t.log(line) })
  const files = (await readdir(FOLDER)).map((name) => join(FOLDER, name))
  await t.notThrowsAsync(run(actionlint, ['-shellcheck=', ...files]))
  const misspelt = (await readFile(join(FOLDER, 'images.yml'), 'utf8')).replace('needs: image', 'needs: imags')
  const found = await t.throwsAsync<Error & { stdout: string }>(lintText(actionlint, misspelt))
  t.regex(found?.stdout ?? '', /job "component" needs job "imags" which does not exist/)
})

test('every action of the workflows is pinned by its commit, which nobody can move', async (t) => {
  for (const name of await readdir(FOLDER)) {
    const uses = [...(await readFile(join(FOLDER, name), 'utf8')).matchAll(/uses: (.*)/g)].map(([, action]) => action)
    t.true(uses.length > 0, name)
    for (const action of uses) t.regex(action ?? '', /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, name)
  }
})

test('each service has a signed image, by a job that may do nothing else', async (t) => {
  const { permissions, jobs } = parse(await readFile(join(FOLDER, 'images.yml'), 'utf8'))
  t.deepEqual([...jobs.image.strategy.matrix.service].sort(), services.map(({ name }: { name: string }) => name).sort())
  t.deepEqual(permissions, { contents: 'read' })
  t.deepEqual(jobs.image.permissions, { contents: 'read', 'id-token': 'write', attestations: 'write' })
  const steps = JSON.stringify(jobs.image.steps)
  t.true(steps.includes('cosign sign --yes') && steps.includes(ISSUER))
})

test('an operator verifies the images as the workflow signs them', async (t) => {
  const text = await readFile(join(REPOSITORY, 'docs/operations.md'), 'utf8')
  const [, section = ''] = /## Verify the images\n(.*?)\n## /s.exec(text) ?? []
  t.regex(section, new RegExp(`cosign verify [\\s\\S]* --certificate-oidc-issuer ${ISSUER}`))
  t.true(section.includes('/.github/workflows/images.yml@refs/tags/v'))
})

function lintText(actionlint: string, text: string) {
  const linting = run(actionlint, ['-shellcheck=', '-'], { cwd: REPOSITORY })
  linting.child.stdin?.end(text)
  return linting
}
