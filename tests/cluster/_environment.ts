import { type Built, type Manifest, theOnly } from './_manifests.ts'

/** Where the manifests mount secret files. */
export const FILES_AT = '/run/secrets/family-inbox'

export type Source = { literal: true } | { configMap: string; key: string } | { secret: string; key: string }

/** A Deployment's settings. The value is undefined if no manifest holds the file. */
export type Environment = { setting: string; variable: string; from: Source; value?: string }[]

type Variable = { name: string; value?: string; valueFrom?: { configMapKeyRef?: { name: string; key: string } } }
type Item = { key: string; path: string }
type Projection = { secret?: { name: string; items: Item[] }; configMap?: { name: string; items: Item[] } }
type Volume = { name: string; projected?: { sources: Projection[] } }

/** Resolves a Deployment's variables and files like the kubelet. @throws when a reference is missing */
export function environmentOf(built: Built, deployment: Manifest): Environment {
  const { containers, volumes } = deployment.spec.template.spec
  const [container] = containers
  const mount = container.volumeMounts.find(({ mountPath }: { mountPath: string }) => mountPath === FILES_AT)
  const volume = volumes.find(({ name }: Volume) => name === mount?.name) as Volume | undefined
  return (container.env as Variable[]).map((variable) => {
    if (variable.valueFrom) return fromConfigMap(built, variable)
    const { name, value = '' } = variable
    if (!name.endsWith('_FILE')) return { setting: name, variable: name, from: { literal: true }, value }
    return { setting: name.slice(0, -'_FILE'.length), variable: name, from: sourceOf(volume, value) }
  })
}

function fromConfigMap(built: Built, { name, valueFrom }: Variable): Environment[number] {
  const reference = valueFrom?.configMapKeyRef
  if (!reference) throw new Error(`${name} comes from nowhere this test knows`)
  const value = theOnly(built, 'ConfigMap', reference.name).data?.[reference.key]
  if (value === undefined) throw new Error(`${name}: ${reference.name} has no ${reference.key}`)
  return { setting: name, variable: name, from: { configMap: reference.name, key: reference.key }, value }
}

function sourceOf(volume: Volume | undefined, path: string): Source {
  for (const { secret, configMap } of volume?.projected?.sources ?? []) {
    const item = (secret ?? configMap)?.items.find((candidate) => `${FILES_AT}/${candidate.path}` === path)
    if (item)
      return secret ? { secret: secret.name, key: item.key } : { configMap: configMap?.name ?? '', key: item.key }
  }
  throw new Error(`no volume has the file ${path}`)
}
