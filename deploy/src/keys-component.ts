import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { services } from '@family-inbox/local-stack/services'

const NAMESPACE = 'family-inbox'
/** By which what an earlier step left is found and deleted. */
const LABELS = { 'family-inbox/made-from': 'keys' }

const COMMENT = `# Written by npm run keys. Secrets for an overlay: components: [<this folder>]. Their names end with a hash of their content, so pods that use one are replaced
# when it changes, and only those.
`

/** Writes what makes a folder of keys a component of kustomize: a Secret for each service, and the ConfigMaps of public keys and of NATS users. */
export async function writeComponent(folder: string): Promise<void> {
  const filesIn = async (name: string) => (await readdir(join(folder, name))).sort().map((file) => `${name}/${file}`)
  const made = async (name: string) => ({ name, namespace: NAMESPACE, files: await filesIn(name) })
  const versioned = { immutable: true, labels: LABELS }
  const component = {
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    secretGenerator: await Promise.all(
      services.map(async ({ name }) => ({ ...(await made(name)), options: versioned })),
    ),
    configMapGenerator: [
      { ...(await made('service-keys')), options: versioned },
      // nats-server reads it again without a restart.
      { ...(await made('nats-users')), options: { disableNameSuffixHash: true } },
    ],
  }
  await writeFile(join(folder, 'kustomization.yaml'), `${COMMENT}${JSON.stringify(component, null, 2)}\n`)
}
