import { deployment } from './deployment.ts'
import { accountWithRole, roleBinding } from './role-binding.ts'

const NAMES = { name: 'metrics-server', namespace: 'kube-system' }
const ACCOUNT = { kind: 'ServiceAccount', ...NAMES }
const LABELS = { 'k8s-app': 'metrics-server' }
const PORT = 10250

/** What autoscalers and `kubectl top` ask for processor time and memory, as the project's own manifests have it. */
export function metricsServer(): object[] {
  return [
    ...accountWithRole(NAMES, 'system:metrics-server', [
      { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
    ]),
    roleBinding('system:auth-delegator', ACCOUNT),
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: NAMES,
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'Role',
        name: 'extension-apiserver-authentication-reader',
      },
      subjects: [ACCOUNT],
    },
    deployment({ metadata: NAMES, labels: LABELS, pod: pod() }),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...NAMES, labels: LABELS },
      spec: { selector: LABELS, ports: [{ name: 'https', port: 443, targetPort: PORT }] },
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1beta1.metrics.k8s.io' },
      spec: {
        service: NAMES,
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
  ]
}

function pod(): object {
  return {
    serviceAccountName: NAMES.name,
    priorityClassName: 'system-cluster-critical',
    // Not on a node that a test ends.
    nodeSelector: { 'kubernetes.io/hostname': 'n1' },
    containers: [
      {
        name: 'metrics-server',
        image: 'local/metrics-server:1',
        args: [
          '--cert-dir=/tmp',
          `--secure-port=${PORT}`,
          '--kubelet-preferred-address-types=InternalIP',
          '--kubelet-certificate-authority=/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
          '--metric-resolution=15s',
        ],
        ports: [{ name: 'https', containerPort: PORT }],
        readinessProbe: { httpGet: { path: '/readyz', port: 'https', scheme: 'HTTPS' }, periodSeconds: 5 },
        volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
      },
    ],
    volumes: [{ name: 'tmp', emptyDir: {} }],
  }
}
