// The network policies of one node: kube-router's controller, without its other parts.
// Usage: network-policy <node> <kubeconfig> <addresses of Services>
package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	rest, err := clientcmd.BuildConfigFromFlags("", os.Args[2])
	must(err)
	client, err := kubernetes.NewForConfig(rest)
	must(err)
	config := options.NewKubeRouterConfig()
	config.EnableIPv4, config.EnableIPv6 = true, false
	config.ClusterIPCIDRs = []string{os.Args[3]}
	config.HostnameOverride = os.Args[1]
	config.IPTablesSyncPeriod = time.Minute
	config.RunFirewall = true
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	namespaces := factory.Core().V1().Namespaces().Informer()
	policies := factory.Networking().V1().NetworkPolicies().Informer()
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	tables, sets, err := netpol.NewIPTablesHandlers(config)
	must(err)
	var mutex sync.Mutex
	controller, err := netpol.NewNetworkPolicyController(client, config, pods, policies, namespaces, &mutex, tables, sets)
	must(err)
	_, err = pods.AddEventHandler(controller.PodEventHandler)
	must(err)
	_, err = namespaces.AddEventHandler(controller.NamespaceEventHandler)
	must(err)
	_, err = policies.AddEventHandler(controller.NetworkPolicyEventHandler)
	must(err)
	beats := make(chan *healthcheck.ControllerHeartbeat, 10)
	go func() {
		for range beats {
		}
	}()
	var group sync.WaitGroup
	group.Add(1)
	go controller.Run(beats, stop, &group)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	<-signals
	close(stop)
	group.Wait()
}
