module family-inbox/cluster/custom-resources

go 1.24.0

require (
	github.com/cert-manager/cert-manager v1.19.1
	github.com/traefik/traefik/v3 v3.4.4
	sigs.k8s.io/gateway-api v1.4.0
)
