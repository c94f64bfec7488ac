import { useLayoutEffect, useState } from 'react';
import type { Language } from '#contract/fields.ts';
import { ConfirmStep } from './ConfirmStep.tsx';
import { FormStep } from './FormStep.tsx';
import { LeaveStep } from './LeaveStep.tsx';
import { Loader, MessageStep, type MessageKind } from './MessageStep.tsx';
import { PageFrame } from './PageFrame.tsx';
import { PageProvider, usePage } from './page-context.tsx';
import { PreferencesStep } from './PreferencesStep.tsx';
import { ServiceError, type Identity, type PageService } from './service.ts';
import type { Texts } from './texts.ts';
import type { PageStep, PageView, ViewCustomer } from './view.ts';

type Props = {
  view: PageView;
  texts: Texts;
  /** Without one nothing is sent anywhere: the owner's preview, and rendering on the server. */
  service?: PageService;
  /** Who to look up at the start, where the server has not done so. */
  identity?: Identity | null;
  /** Instead of asking the server for the page in another language. */
  onLanguage?: (language: Language) => void;
};

/** The public page: rendered on the server, hydrated in the visitor's browser, and drawn live in the owner's editor. */
export function PreferencePage({ view, texts, service, identity = null, onLanguage }: Props) {
  return (
    <PageProvider view={view} texts={texts} service={service} onLanguage={onLanguage}>
      <PageBody identity={identity} key={view.step} />
    </PageProvider>
  );
}

type Phase = PageStep | 'loading';

function failedPhase(error: unknown): Phase {
  if (error instanceof ServiceError && !error.isFatal) {
    return error.failure === 'busy' ? 'rate-limited' : 'unavailable';
  }
  return 'not-found';
}

function PageBody({ identity }: { identity: Identity | null }) {
  const { view, service } = usePage();
  const [phase, setPhase] = useState<Phase>(view.step);
  const [found, setFound] = useState<ViewCustomer | null>(null);
  const [hasMoved, setHasMoved] = useState(false);
  const customer = found ?? view.customer;
  const asksForProof = view.page.attrs.enhanced_security;
  const unproven = asksForProof && identity && 'email' in identity ? identity.email : null;

  async function load(person: Parameters<PageService['load']>[0]) {
    setPhase('loading');
    const loaded = await service.load(person);
    await service.hold();
    setFound(loaded);
    setHasMoved(true);
    setPhase('preferences');
  }

  function fail(error: unknown, how: 'assign' | 'replace') {
    const next = failedPhase(error);
    if (next === 'not-found' && !service.isFramed) service.goToNotFound(how);
    else setPhase(next);
  }

  async function start(who: Identity) {
    setPhase('loading');
    try {
      await load(await service.find(who));
    } catch (error) {
      fail(error, 'replace');
    }
  }

  useLayoutEffect(() => {
    if (!identity && !customer && view.step === 'preferences' && service.isFramed) setPhase('not-found');
    if (!identity || customer || (view.step !== 'form' && view.step !== 'preferences')) return;
    // An address proves nothing, and opening a page mails nothing: the person presses the button.
    if (unproven === null) void start(identity);
    else setPhase('form');
    // Once, with what was known when the page opened.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  if (phase === 'loading' || (phase === 'preferences' && !customer)) {
    return (
      <PageFrame isLifted isLoading>
        <Loader />
      </PageFrame>
    );
  }
  if (phase === 'form') {
    return (
      <PageFrame isLifted>
        <FormStep
          email={unproven}
          onLinkSent={() => {
            setHasMoved(true);
            setPhase('link-sent');
          }}
          onLost={() => fail(null, 'assign')}
          onFound={(person) => {
            load(person).catch((error: unknown) => fail(error, 'assign'));
          }}
        />
      </PageFrame>
    );
  }
  if (phase === 'preferences' && customer) {
    return (
      <PageFrame focusHeading={hasMoved} hasBar isLifted>
        <PreferencesStep customer={customer} onCustomer={setFound} />
      </PageFrame>
    );
  }
  if (phase === 'leave') return <LeaveStep />;
  if (phase === 'confirm') return <ConfirmStep />;
  return <MessageStep kind={phase as MessageKind} focusHeading={hasMoved} />;
}
