import { deployment } from './deployment.ts'
import { accountWithRole } from './role-binding.ts'

const NAMES = { name: 'traefik', namespace: 'traefik' }
/** The first is what the network policies of the product select. */
const LABELS = { 'app.kubernetes.io/name': 'traefik', 'app.kubernetes.io/instance': 'traefik' }

/** Of every node, for HTTPS. */
export const TRAEFIK_PORT = 30443
const READ = ['get', 'list', 'watch']

/** Traefik, which takes Ingresses, its own custom resources and the Gateway API. All of these must exist before it starts. */
export function traefik(): object {
  const items = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMES.namespace } },
    ...accountWithRole(NAMES, 'traefik', [
      { apiGroups: [''], resources: ['namespaces', 'services', 'secrets', 'configmaps', 'nodes'], verbs: READ },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ },
      { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingressclasses'], verbs: READ },
      { apiGroups: ['traefik.io', 'gateway.networking.k8s.io'], resources: ['*'], verbs: [...READ, 'update'] },
    ]),
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: 'cluster-default' },
      spec: { controllerName: 'traefik.io/gateway-controller' },
    },
    deployment({ metadata: NAMES, labels: LABELS, pod: pod() }),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...NAMES, labels: LABELS },
      spec: {
        type: 'NodePort',
        selector: LABELS,
        ports: [{ name: 'https', port: 443, targetPort: 'https', nodePort: TRAEFIK_PORT }],
      },
    },
  ]
  return { apiVersion: 'v1', kind: 'List', items }
}

function pod(): object {
  return {
    serviceAccountName: NAMES.name,
    // Not on a node that a test ends.
    nodeSelector: { 'kubernetes.io/hostname': 'n1' },
    containers: [
      {
        name: 'traefik',
        image: 'local/traefik:1',
        args: [
          '--global.checknewversion=false',
          '--global.sendanonymoususage=false',
          '--entrypoints.https.address=:443',
          '--entrypoints.https.http.tls=true',
          '--providers.kubernetesingress=true',
          '--providers.kubernetescrd=true',
          '--providers.kubernetesgateway=true',
          '--ping=true',
          '--log.level=INFO',
        ],
        ports: [{ name: 'https', containerPort: 443 }],
        readinessProbe: { httpGet: { path: '/ping', port: 8080 }, periodSeconds: 1 },
      },
    ],
  }
}
