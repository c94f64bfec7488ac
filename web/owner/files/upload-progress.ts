import type { Send } from '#contract/client.ts';

/** A `send` that reports the share of the body (0 to 1) that is uploaded, which `fetch` cannot. */
export function sendWithProgress(onProgress: (share: number) => void): Send {
  return (url, init) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(init.method ?? 'GET', url);
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / (total || 1)));
      request.addEventListener('load', () => resolve(answerOf(request)));
      request.addEventListener('error', () => reject(new TypeError('The upload broke off.')));
      request.addEventListener('abort', () =>
        reject(new DOMException('The upload was stopped.', 'AbortError')),
      );
      init.signal?.addEventListener('abort', () => request.abort());
      request.send(init.body instanceof Blob ? init.body : null);
    });
}

function answerOf(request: XMLHttpRequest): Response {
  const requestId = request.getResponseHeader('x-request-id');
  return new Response(request.responseText, {
    status: request.status,
    headers: requestId === null ? {} : { 'x-request-id': requestId },
  });
}
