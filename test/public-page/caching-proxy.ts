import { request } from 'node:http';

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface CachingProxy {
  get(path: string, headers: Record<string, string>): Promise<Answer & { isFromCache: boolean }>;
}

/**
 * What stands between people and a server in offices and at providers: keeps every answer that HTTP (RFC 9111) lets a
 * shared cache keep, by its address and the headers that it names in `vary`.
 */
export function openCachingProxy(port: number): CachingProxy {
  const kept = new Map<string, { asked: Record<string, string>; answer: Answer }[]>();

  function fetchIt(path: string, headers: Record<string, string>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (body += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  return {
    async get(path, headers) {
      const key = `${headers['host']} ${path}`;
      const found = kept.get(key)?.find(({ asked, answer }) => isSame(variantOf(answer), asked, headers));
      if (found) return { ...found.answer, isFromCache: true };
      const answer = await fetchIt(path, headers);
      if (mayKeep(answer)) kept.set(key, [...(kept.get(key) ?? []), { asked: headers, answer }]);
      return { ...answer, isFromCache: false };
    },
  };
}

const variantOf = ({ headers }: Answer) =>
  String(headers['vary'] ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
    .filter(Boolean);

const isSame = (names: string[], one: Record<string, string>, other: Record<string, string>) =>
  names.every((name) => name !== '*' && one[name] === other[name]);

/** Shared caches may also guess how long something without a word about it stays fresh. */
function mayKeep({ status, headers }: Answer): boolean {
  const control = String(headers['cache-control'] ?? '');
  return [200, 203, 301, 404, 410].includes(status) && !/no-store|no-cache|private|max-age=0/.test(control);
}
