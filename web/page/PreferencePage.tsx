import { useLayoutEffect, useState } from 'react';
import type { Language } from '#contract/fields.ts';
import { FormStep } from './FormStep.tsx';
import { Loader, MessageStep, type MessageKind } from './MessageStep.tsx';
import { PageFrame } from './PageFrame.tsx';
import { PageProvider, type Parts, usePage } from './page-context.tsx';
import { PreferencesStep } from './PreferencesStep.tsx';
import { ServiceError, type Identity, type PageService } from './service.ts';
import type { Texts } from './texts.ts';
import type { PageStep, PageView, ViewCustomer } from './view.ts';

type Props = {
  view: PageView;
  texts: Texts;
  service: PageService;
  parts: Parts | (() => Promise<Parts>);
  /** The identity to look up at the start, if the server has not done so. */
  identity?: Identity | null;
  /** Instead of asking the server for the page in another language. */
  onLanguage?: (language: Language) => void;
};

/** The public page: rendered on the server, hydrated in the visitor's browser, and shown live in the owner's editor. */
export function PreferencePage({ identity = null, ...given }: Props) {
  return (
    <PageProvider {...given} identity={identity}>
      <PageBody identity={identity} key={given.view.step} />
    </PageProvider>
  );
}

type Phase = PageStep | 'loading';
type Person = Parameters<PageService['load']>[0];

function failedPhase(error: unknown): Phase {
  if (error instanceof ServiceError && !error.isFatal) {
    return error.failure === 'busy' ? 'rate-limited' : 'unavailable';
  }
  return 'not-found';
}

/** The unproven address on a page that asks for proof. */
function unprovenOf({ page }: PageView, who: Identity | null): string | null {
  return page.attrs.enhanced_security && who !== null && 'email' in who ? who.email : null;
}

/** Falls back from an invalid stored challenge to the address of the link. */
function linkedInstead({ query }: PageView, who: Identity, error: unknown): Identity | null {
  const isVoid = 'challenge' in who && failedPhase(error) === 'not-found';
  return isVoid && query.challenge === null && query.email !== null ? { email: query.email } : null;
}

function PageBody({ identity }: { identity: Identity | null }) {
  const { parts } = usePage();
  const { phase, customer, hasMoved, unproven, showFound, showLinkSent, fail, setCustomer } =
    useArrival(identity);

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
          onLinkSent={showLinkSent}
          onLost={() => fail(null, 'assign')}
          onFound={showFound}
        />
      </PageFrame>
    );
  }
  if (phase === 'preferences' && customer) {
    return (
      <PageFrame focusHeading={hasMoved} hasBar isLifted>
        {parts && <parts.OtherPerson customer={customer} onLinkSent={showLinkSent} onFound={showFound} />}
        <PreferencesStep customer={customer} onCustomer={setCustomer} />
      </PageFrame>
    );
  }
  return <MessageStep kind={phase as MessageKind} focusHeading={hasMoved} />;
}

/** The customer shown, identified by the URL, by this browser, or by the first step's form. */
function useArrival(identity: Identity | null) {
  const { view, service, showPerson } = usePage();
  const [phase, setPhase] = useState<Phase>(view.step);
  const [found, setFound] = useState<ViewCustomer | null>(null);
  const [hasMoved, setHasMoved] = useState(false);
  const [unproven, setUnproven] = useState<string | null>(() => unprovenOf(view, identity));
  const customer = found ?? view.customer;

  async function load(who: Identity, person: Person) {
    setPhase('loading');
    const loaded = await service.load(person);
    await service.hold();
    setFound(loaded);
    showPerson(who, loaded);
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
      await load(who, await service.find(who));
    } catch (error) {
      const linked = linkedInstead(view, who, error);
      if (linked === null) fail(error, 'replace');
      else begin(linked);
    }
  }

  /** An address is no proof, and opening a page sends no mail: the person presses the button. */
  function begin(who: Identity) {
    // From here on React renders what the page hid before the script ran.
    delete document.documentElement.dataset['starting'];
    const address = unprovenOf(view, who);
    setUnproven(address);
    if (address === null) void start(who);
    else setPhase('form');
  }

  useLayoutEffect(() => {
    if (!identity && !customer && view.step === 'preferences' && service.isFramed) setPhase('not-found');
    if (!identity || customer || (view.step !== 'form' && view.step !== 'preferences')) return;
    begin(identity);
    // Once, with what was known when the page opened.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  return {
    phase,
    customer,
    setCustomer: setFound,
    hasMoved,
    unproven,
    fail,
    showFound: (person: Person, who: Identity) => {
      load(who, person).catch((error: unknown) => fail(error, 'assign'));
    },
    showLinkSent: () => {
      setHasMoved(true);
      setPhase('link-sent');
    },
  };
}
