import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A live-chat widget of the Chatwoot kind: a bubble that says who is talking. */
const SCRIPT = `
window.chatwootSDK = {
  run({ websiteToken, baseUrl }) {
    const bubble = document.createElement('aside');
    bubble.setAttribute('aria-label', 'Chat');
    bubble.hidden = true;
    document.body.append(bubble);
    window.$chatwoot = {
      setUser: (id, user) => { bubble.textContent = [websiteToken, baseUrl, user.email, user.name].join(' '); },
      toggleBubbleVisibility: (visibility) => { bubble.hidden = visibility === 'hide'; },
      reset: () => { bubble.textContent = ''; },
    };
    window.dispatchEvent(new Event('chatwoot:ready'));
  },
};
window.heard = [];
window.addEventListener('sayso:chat', (event) => window.heard.push(event.detail.person && event.detail.person.email));
`;

export interface ChatHost {
  url: string;
  /** Paths that were asked for. */
  asked: string[];
  close(): Promise<void>;
}

export async function startChatHost(): Promise<ChatHost> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(SCRIPT);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
