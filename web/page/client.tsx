import './page.css';
import { StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { apiService } from './api.ts';
import { chooseIdentity, remember, type Storage } from './identity.ts';
import { PreferencePage } from './PreferencePage.tsx';
import type { Texts } from './texts.ts';
import type { PageView } from './view.ts';

export type Shipped = { view: PageView; texts: Texts };

// Throws where the visitor has switched storage off.
function localStorageOrNull(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

function start(root: HTMLElement, { view, texts }: Shipped) {
  const storage = localStorageOrNull();
  const fromAddress = chooseIdentity(view.query, null);
  const identity = view.customer ? fromAddress : (fromAddress ?? chooseIdentity(view.query, storage));
  const service = apiService({ view, identity, storage, window });
  if (view.customer && identity) remember(identity, storage);
  if (!view.customer && !identity && view.page.attrs.enhanced_security) {
    service.goToNotFound('replace');
    return;
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
