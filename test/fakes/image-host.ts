import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';

/** Of this fake only: it is trusted just by tests, and only for `localhost`. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUaNutfpWIlCf/RfjXhfZU6/RDNz8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEyMjgxM1oYDzIxMjYxMDI4
MTIyODEzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARdJN2WdwFFryZ3dDPjTKxJVSpWu72NnlPKu8nq4jwZd8dB1uaDiri3
3bM8bJBUi/29Wfi0xitDGMn+huMXk8vXo28wbTAdBgNVHQ4EFgQUliJu6TArmxku
BbJ8RCXvFTYtGkkwHwYDVR0jBBgwFoAUliJu6TArmxkuBbJ8RCXvFTYtGkkwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgIKCQ8D4AuOrszKWgYs1Vv4eprUN4lbhfcDQwEYDhCj4CIA61
rCuxIrf+UGpo2dwN2HIsJR9QwvLOqiXD44saMx3K
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKNMwiO0x45h0BqoC
6dkp2hxH2Kp6i+W3kADTGK3K7ouhRANCAARdJN2WdwFFryZ3dDPjTKxJVSpWu72N
nlPKu8nq4jwZd8dB1uaDiri33bM8bJBUi/29Wfi0xitDGMn+huMXk8vX
-----END PRIVATE KEY-----`;

export interface ImageHost {
  /** Starts with https:// and ends without a slash. */
  url: string;
  /** Paths that were asked for. */
  asked: string[];
  /** What a path answers; a path that is not there answers 404. */
  files: Map<string, { bytes: Buffer; status?: number; headers?: Record<string, string> }>;
  close(): Promise<void>;
}

/** Somebody else's web server with pictures on it; this process trusts its certificate from then on. */
export async function startImageHost(): Promise<ImageHost> {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), CERTIFICATE]);
  const files: ImageHost['files'] = new Map();
  const asked: string[] = [];
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const file = files.get(path);
    response.writeHead(file === undefined ? 404 : (file.status ?? 200), file?.headers);
    response.end(file?.bytes);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    asked,
    files,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
