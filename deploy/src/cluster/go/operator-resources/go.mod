module family-inbox/cluster/operator-resources

go 1.24.0

require (
	github.com/external-secrets/external-secrets v1.3.2
	github.com/mongodb/mongodb-kubernetes-operator v0.9.0
	github.com/percona/percona-server-mongodb-operator v1.22.0
)
