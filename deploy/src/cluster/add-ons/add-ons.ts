import { DNS_SERVICE, type Layout, NODES, type NodeNumber } from '../system/layout.ts'
import { deployment } from './deployment.ts'
import { type LocalVolume, localVolume, makeFolder } from './local-volume.ts'
import { metricsServer } from './metrics-server.ts'
import { accountWithRole, roleBinding } from './role-binding.ts'

/** What every cluster has beside the control plane. Without nodes nothing would run, and an API that is away slows down kubectl. */
export function addOns(layout: Layout, nodes: readonly NodeNumber[]): object {
  const items = [...coreDns(), ...accessToKubelets(), ...volumes(layout), ...(nodes.length > 0 ? metricsServer() : [])]
  return { apiVersion: 'v1', kind: 'List', items }
}

const NAMES = { name: 'coredns', namespace: 'kube-system' }
const LABELS = { 'k8s-app': 'kube-dns' }

/** As kubeadm configures it: answers are cached for 30 seconds. */
const COREFILE = `.:53 {
  errors
  health
  ready
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    ttl 30
  }
  cache 30
}
`

function coreDns(): object[] {
  return [
    ...accountWithRole(NAMES, 'system:coredns', [
      { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
    ]),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: NAMES, data: { Corefile: COREFILE } },
    deployment({ metadata: NAMES, labels: LABELS, pod: coreDnsPod(), replicas: 2 }),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace: 'kube-system', labels: LABELS },
      spec: {
        clusterIP: DNS_SERVICE,
        selector: LABELS,
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        ],
      },
    },
  ]
}

function coreDnsPod(): object {
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: LABELS } }
  return {
    serviceAccountName: NAMES.name,
    dnsPolicy: 'Default',
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    containers: [
      {
        name: 'coredns',
        image: 'local/coredns:1',
        args: ['-conf', '/etc/coredns/Corefile'],
        ports: [
          { containerPort: 53, name: 'dns', protocol: 'UDP' },
          { containerPort: 53, name: 'dns-tcp', protocol: 'TCP' },
        ],
        readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
        volumeMounts: [{ name: 'config', mountPath: '/etc/coredns' }],
      },
    ],
    volumes: [{ name: 'config', configMap: { name: NAMES.name } }],
  }
}

/** kubectl logs, exec and port-forward go through the API server. */
function accessToKubelets(): object[] {
  const user = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'kube-apiserver-kubelet-client' }
  return [roleBinding('system:kubelet-api-admin', user)]
}

/** For the stores of the overlay `local`, on the first node. */
const VOLUMES: readonly LocalVolume[] = [
  { claim: 'data-mongod-0', node: NODES[0], storage: '10Gi' },
  { claim: 'data-nats-0', node: NODES[0], storage: '5Gi' },
]

function volumes(layout: Layout): object[] {
  return VOLUMES.map((volume) => localVolume(layout, volume))
}

export async function makeVolumes(layout: Layout): Promise<void> {
  for (const volume of VOLUMES) await makeFolder(layout, volume)
}
