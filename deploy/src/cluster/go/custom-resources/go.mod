module family-inbox/cluster/custom-resources

go 1.26.0

require (
	github.com/cert-manager/cert-manager v1.19.1
	github.com/kedacore/keda/v2 v2.20.2
	github.com/traefik/traefik/v3 v3.6.12
	sigs.k8s.io/gateway-api v1.4.0
)
