import { join } from 'node:path'
import type { Programs } from '../programs/programs.ts'
import { DNS_SERVICE, type Layout, type NodeNumber, nodeAddress, nodeName, podsOf, REGISTRY } from '../system/layout.ts'

export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock'
export const PAUSE_IMAGE = 'docker.io/local/pause:1'

/** Images of the public registry come from the local one. */
export function containerdConfig(own: string, { debian }: Programs): string {
  return `version = 2
root = "${join(own, 'containerd')}"
state = "/run/containerd"
[grpc]
  address = "${CONTAINERD_SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  disable_apparmor = true
  # A machine may lack the capability that lowers a score.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${join(debian, 'usr/lib/cni')}"
    conf_dir = "${join(own, 'network')}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".registry.mirrors."docker.io"]
    endpoint = ["http://${REGISTRY}"]
`
}

export function kubeletConfig({ certificates }: Layout, node: NodeNumber) {
  const file = (name: string) => join(certificates, name)
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: nodeAddress(node),
    healthzBindAddress: '127.0.0.1',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: file('ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: file(`${nodeName(node)}.crt`),
    tlsPrivateKeyFile: file(`${nodeName(node)}.key`),
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: ['pods'],
    clusterDNS: [DNS_SERVICE],
    clusterDomain: 'cluster.local',
    resolvConf: '/etc/resolv.conf',
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    // The disk belongs to the machine, which may be fuller than a node should be.
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  }
}

/** Pods of a node are on one bridge, and routes lead to the other nodes. */
export function podNetwork(own: string, node: NodeNumber) {
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: podsOf(node) }]],
          routes: [{ dst: '0.0.0.0/0' }],
          dataDir: join(own, 'addresses'),
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  }
}
