import { type Built, type Manifest, ofKind } from './_manifests.ts'

/** A pod as network policies see it. */
export type Pod = { name: string; namespace: string; labels: Record<string, string> }

type Selector = { matchLabels?: Record<string, string>; matchExpressions?: unknown }
type Peer = { podSelector?: Selector; namespaceSelector?: Selector; ipBlock?: { cidr: string } }
type Rule = { from?: Peer[]; to?: Peer[]; ports?: { port: number; protocol?: string }[] }

/** The pods of every Deployment and StatefulSet. */
export function podsOf(built: Built): Pod[] {
  const workloads = [...ofKind(built, 'Deployment'), ...ofKind(built, 'StatefulSet')]
  return workloads.map(({ metadata, spec }) => ({
    name: metadata.name,
    namespace: metadata.namespace ?? 'default',
    labels: spec.template.metadata.labels,
  }))
}

/** Whether the policies allow a TCP connection to a port (networking.k8s.io/v1 NetworkPolicy). */
export function isAllowed(built: Built, from: Pod, to: Pod, port: number): boolean {
  const policies = ofKind(built, 'NetworkPolicy')
  return passes(policies, 'Egress', from, to, port) && passes(policies, 'Ingress', to, from, port)
}

/** Without a policy, a direction is open; otherwise only what a policy lists. */
function passes(policies: Manifest[], direction: 'Ingress' | 'Egress', pod: Pod, other: Pod, port: number): boolean {
  const applying = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.namespace &&
      spec.policyTypes.includes(direction) &&
      isSelected(spec.podSelector, pod.labels),
  )
  if (applying.length === 0) return true
  const rules = applying.flatMap(({ spec }): Rule[] => (direction === 'Ingress' ? spec.ingress : spec.egress) ?? [])
  return rules.some((rule) => {
    const peers = rule.from ?? rule.to
    const byPeer = peers === undefined || peers.some((peer) => isPeer(peer, other, pod.namespace))
    return byPeer && (rule.ports === undefined || rule.ports.some((allowed) => isTcp(allowed) && allowed.port === port))
  })
}

function isTcp({ protocol = 'TCP' }: { protocol?: string }): boolean {
  return protocol === 'TCP'
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, pod: Pod, own: string): boolean {
  if (ipBlock) return false // for addresses outside the cluster
  const inNamespace = namespaceSelector
    ? isSelected(namespaceSelector, { 'kubernetes.io/metadata.name': pod.namespace })
    : pod.namespace === own
  return inNamespace && isSelected(podSelector ?? {}, pod.labels)
}

/** Whether a selector matches these labels. The empty selector matches all. */
export function isSelected({ matchLabels = {}, matchExpressions }: Selector, labels: Record<string, string>): boolean {
  if (matchExpressions !== undefined) throw new Error('this test does not know matchExpressions')
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value)
}
