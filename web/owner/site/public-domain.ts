/** Names that only their own network resolves (RFC 6761, RFC 6762, RFC 8375 and ICANN's reserved `internal`). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|test|internal|home\.arpa|invalid)$/;

/** Whether DNS records elsewhere can point to this host. */
export function isPublicDomain(host: string): boolean {
  return host.includes('.') && !/^[\d.]+$/.test(host) && !PRIVATE_NAME.test(host);
}
