import { join } from 'node:path'
import { CONTROL_PLANE, type Layout, PODS, SERVICES } from '../system/layout.ts'

const ETCD = 'http://127.0.0.1:2379'
const ETCD_PEERS = 'http://127.0.0.1:2380'

/** A pod on a node that is gone is replaced after so long, instead of five minutes. */
const UNREACHABLE_SECONDS = 5

export type Command = readonly [name: string, ...args: string[]]

export function etcd({ etcd: dir }: Layout): Command {
  return [
    'etcd',
    '--name=etcd',
    `--data-dir=${dir}`,
    `--listen-client-urls=${ETCD}`,
    `--advertise-client-urls=${ETCD}`,
    `--listen-peer-urls=${ETCD_PEERS}`,
    `--initial-advertise-peer-urls=${ETCD_PEERS}`,
    `--initial-cluster=etcd=${ETCD_PEERS}`,
    // The cluster ends with the machine.
    '--unsafe-no-fsync',
  ]
}

export function apiServer({ certificates }: Layout): Command {
  const file = (name: string) => join(certificates, name)
  return [
    'kube-apiserver',
    `--etcd-servers=${ETCD}`,
    `--bind-address=${CONTROL_PLANE}`,
    `--advertise-address=${CONTROL_PLANE}`,
    '--secure-port=6443',
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--kubelet-client-certificate=${file('apiserver-to-kubelet.crt')}`,
    `--kubelet-client-key=${file('apiserver-to-kubelet.key')}`,
    `--kubelet-certificate-authority=${file('ca.crt')}`,
    '--kubelet-preferred-address-types=InternalIP',
    `--service-account-key-file=${file('tokens.pub')}`,
    `--service-account-signing-key-file=${file('tokens.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-cluster-ip-range=${SERVICES}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${file('front-proxy.crt')}`,
    `--proxy-client-key-file=${file('front-proxy.key')}`,
    // No kube-proxy runs beside it, so it reaches metrics-server by the address of the pod.
    '--enable-aggregator-routing=true',
    `--default-not-ready-toleration-seconds=${UNREACHABLE_SECONDS}`,
    `--default-unreachable-toleration-seconds=${UNREACHABLE_SECONDS}`,
    '--profiling=false',
  ]
}

export function controllerManager(layout: Layout): Command {
  const file = (name: string) => join(layout.certificates, name)
  return [
    'kube-controller-manager',
    ...asClient(layout, 'controller-manager'),
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${file('tokens.key')}`,
    `--root-ca-file=${file('ca.crt')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
    `--cluster-signing-cert-file=${file('ca.crt')}`,
    `--cluster-signing-key-file=${file('ca.key')}`,
    `--cluster-cidr=${PODS}`,
    '--allocate-node-cidrs=false',
    // A kubelet reports every ten seconds.
    '--node-monitor-grace-period=20s',
  ]
}

export function scheduler(layout: Layout): Command {
  return ['kube-scheduler', ...asClient(layout, 'scheduler')]
}

function asClient({ kubeconfig }: Layout, name: string): string[] {
  const config = kubeconfig(name)
  return [
    `--kubeconfig=${config}`,
    `--authentication-kubeconfig=${config}`,
    `--authorization-kubeconfig=${config}`,
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
  ]
}
