import './page.css';
import { createRoot, hydrateRoot, type RootOptions } from 'react-dom/client';
import { challengeOfHistory, storeInHistory } from './history-entry.ts';
import { apiService } from './api-service.ts';
import { isFramed, liveInFrame } from './framed.ts';
import { chooseIdentity, storeIdentity, type Storage } from './identity.ts';
import { PreferencePage } from './PreferencePage.tsx';
import type { Identity } from './service.ts';
import type { Texts } from './texts.ts';
import type { Parts } from './page-context.tsx';
import { enterAgain, typedFields } from './typed-fields.ts';
import { type PageView, showsParts } from './view.ts';

export type Shipped = { view: PageView; texts: Texts };

/** null if storage is disabled, full or blocked in frames. */
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

const loadParts = () => import('./parts.ts');

function start(root: HTMLElement, { view, texts }: Shipped) {
  const frame = isFramed(window) ? liveInFrame(window, root) : null;
  const fromAddress = chooseIdentity(view.query, null);
  // A form's answer shows the person the form was about, even when another is stored.
  const isAnswer = view.customer !== null && fromAddress === null;
  const kept = { entryChallenge: challengeOfHistory(window), storage };
  // Somebody who is already typing is not interrupted by an identity that this browser has stored.
  const isInUse = typedFields(root).length > 0;
  const isTheirs = isAnswer || (isInUse && view.step === 'form');
  const identity = isTheirs ? null : chooseIdentity(view.query, isInUse ? null : kept);
  const service = apiService({ view, identity, storage, window, frame });
  if (view.query.challenge !== null) storeInHistory(window, identity);
  if (view.step === 'not-found' && !(identity && 'challenge' in identity)) return revealed();
  const page = (shown: PageView, parts: Parts | typeof loadParts = loadParts) => (
    <PreferencePage view={shown} texts={texts} service={service} parts={parts} identity={identity} />
  );
  const recovering = recoveryOf(root);
  if (knowsBetter(view, identity)) {
    const renderAnew = (parts?: Parts) => {
      root.replaceChildren();
      createRoot(root, recovering).render(page({ ...view, step: 'preferences', customer: null }, parts));
      revealed();
    };
    // What a link asks for is one of the parts.
    if (view.query.state === null) return renderAnew();
    return void loadParts().then(renderAnew, revealed);
  }
  if (view.customer && identity) storeIdentity(identity, storage);
  if (!view.customer && !identity && view.page.attrs.enhanced_security) {
    if (!service.isFramed) return service.goToNotFound('replace');
  }
  if (!identity) revealed();
  if (!showsParts(view) && view.query.state === null) return void hydrateRoot(root, page(view), recovering);
  // Where they cannot be loaded, the page stays as it works without a script.
  loadParts().then(
    (parts) => hydrateRoot(root, page(view, parts), recovering),
    () => {},
  );
}

/** Loses nothing that somebody has typed or switched when React draws the page anew, or cannot draw it at all. */
function recoveryOf(root: HTMLElement): RootOptions {
  const html = root.innerHTML;
  let page = root.lastElementChild;
  function reenter() {
    if (page) enterAgain(root, typedFields(page));
    page = root.lastElementChild;
  }
  return {
    // The HTML is no longer the server's: a translator or an extension came before this script.
    onRecoverableError: reenter,
    // The server's own forms work without this script.
    onUncaughtError(error) {
      reportError(error);
      revealed();
      root.innerHTML = html;
      reenter();
    },
  };
}

/** The server used the linked address, but this browser has a stored challenge, which takes precedence. */
function knowsBetter({ step, customer, query }: PageView, identity: Identity | null): boolean {
  if (query.challenge !== null || identity === null || !('challenge' in identity)) return false;
  return customer !== null || step === 'not-found';
}

/** Reveals what was hidden until this script ran. */
function revealed(): void {
  delete document.documentElement.dataset['starting'];
}

const root = document.getElementById('page');
const shipped = document.getElementById('page-view')?.textContent;
if (root && shipped) start(root, JSON.parse(shipped) as Shipped);
