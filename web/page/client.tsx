import './page.css';
import { StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { apiService } from './api.ts';
import { isFramed, liveInFrame } from './framed.ts';
import { chooseIdentity, remember, type Storage } from './identity.ts';
import { PreferencePage } from './PreferencePage.tsx';
import type { Texts } from './texts.ts';
import type { PageView } from './view.ts';

export type Shipped = { view: PageView; texts: Texts };

/** Storage that is switched off, full or kept from frames is as good as none. */
function attempt<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

const storage: Storage = {
  getItem: (key) => attempt(() => window.localStorage.getItem(key), null),
  setItem: (key, value) => attempt(() => window.localStorage.setItem(key, value), undefined),
  removeItem: (key) => attempt(() => window.localStorage.removeItem(key), undefined),
};

function start(root: HTMLElement, { view, texts }: Shipped) {
  const frame = isFramed(window) ? liveInFrame(window, root) : null;
  const fromAddress = chooseIdentity(view.query, null);
  const identity = view.customer ? fromAddress : (fromAddress ?? chooseIdentity(view.query, storage));
  const service = apiService({ view, identity, storage, window, frame });
  if (view.customer && identity) remember(identity, storage);
  if (!view.customer && !identity && view.page.attrs.enhanced_security) {
    if (!service.isFramed) return service.goToNotFound('replace');
  }
  if (!identity) delete document.documentElement.dataset['starting'];
  hydrateRoot(
    root,
    <StrictMode>
      <PreferencePage view={view} texts={texts} service={service} identity={identity} />
    </StrictMode>,
  );
}

const root = document.getElementById('page');
const shipped = document.getElementById('page-view')?.textContent;
if (root && shipped) start(root, JSON.parse(shipped) as Shipped);
