import { Navigate, Outlet, useMatches } from '@tanstack/react-router';
import i18next from 'i18next';
import { type ComponentType, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NO_ORGANIZATION } from '#contract/accounts.ts';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useAccount } from '../account/account.ts';
import { reportUnreachable } from '../api/reachability.ts';
import { useSession } from '../session/session.ts';
import { SiteProvider, useSite } from '../site/current-site.tsx';
import { AppLoader } from '../components/AppLoader.tsx';
import { useCommandCenter } from '../commands/use-command-center.tsx';
import { OpenLayerContext } from '../commands/open-layer.ts';
import { MAIN_ENTRIES, RECORD_ENTRIES } from './entries.logic.ts';
import { Sidebar } from './Sidebar.tsx';
import { TopBar } from './TopBar.tsx';
import { useSupportChat } from '../support-chat/use-support-chat.ts';
import { useOrganizationSync } from '../account/use-organization-sync.ts';
import { useAccountPreferences } from '../preferences/use-account-preferences.ts';
import { useScreenPrefetch } from '../prefetch/use-screen-prefetch.ts';

const CreateSiteScreen = lazy(async () => {
  const { CreateSiteScreen: Screen } = await import('../screens/sites/CreateSiteScreen.tsx');
  return { default: Screen };
});

const SiteBars = lazy(async () => {
  const [{ SiteBars: Bars }] = await Promise.all([
    import('./SiteBars.tsx'),
    i18next.loadNamespaces(['test-mode', 'site']),
  ]);
  return { default: Bars };
});

const ROW_ENTRIES = [...MAIN_ENTRIES, ...RECORD_ENTRIES];

/** Around every screen of a logged-in owner. A failed account load still lets it render. */
export function Shell() {
  const session = useSession();
  const account = useAccount();
  useAccountPreferences(account.data);
  useSupportChat(account.data);
  useOrganizationSync(account.data);
  if (!session || !account.isFetched) return <AppLoader />;
  // Removed from the organization meanwhile: the survey offers to create one.
  if (session.organization === NO_ORGANIZATION) return <Navigate to="/signup-survey" replace />;
  return (
    <SiteProvider
      key={session.organization}
      organizationId={session.organization}
      loading={<AppLoader />}
      failed={renderFailure}
      empty={<CreateSiteScreen organizationId={session.organization} />}
    >
      <Frame />
    </SiteProvider>
  );
}

function renderFailure(error: unknown, retry: () => void) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-xl flex-col justify-center p-6">
      <ErrorState error={error} onRetry={retry} />
    </main>
  );
}

function Frame() {
  const { t } = useTranslation('shell');
  const [SlideOver, setSlideOver] = useState<ComponentType<{ onClose: () => void }> | null>(null);
  const commands = useCommandCenter();
  const { site } = useSite();
  const [isGoingLive, setIsGoingLive] = useState(false);
  useScreenPrefetch(ROW_ENTRIES);

  async function openMenu() {
    try {
      const loaded = await import('./SlideOver.tsx');
      setSlideOver(() => loaded.SlideOver);
    } catch {
      reportUnreachable();
    }
  }

  return (
    <OpenLayerContext value={commands.open}>
      <div className="xl:pl-64">
        <a
          href="#main"
          className="sr-only z-50 rounded-lg bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        >
          {t('skip_to_content')}
        </a>
        <div className="fixed inset-y-0 left-0 hidden w-64 border-r border-line bg-surface xl:block">
          <Sidebar />
        </div>
        {SlideOver && <SlideOver onClose={() => setSlideOver(null)} />}
        <TopBar onOpenMenu={() => void openMenu()} />
        {/* The bar of test mode stays until its dialog, which ends test mode, is closed. */}
        {(site.test_mode || isGoingLive || site.taken_down) && (
          <Suspense fallback={<div className="h-13 bg-warning-soft" />}>
            <SiteBars {...{ isGoingLive, setIsGoingLive }} />
          </Suspense>
        )}
        <Screen />
        {commands.layer}
      </div>
    </OpenLayerContext>
  );
}

function Screen() {
  const path = useMatches({ select: (matches) => matches.at(-1)?.pathname });
  const { site_id } = useSite();
  const main = useRef<HTMLElement>(null);
  const shownPath = useRef(path);
  useEffect(() => {
    if (shownPath.current === path) return;
    shownPath.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <main ref={main} id="main" tabIndex={-1} className="outline-none">
      {/* With room below for a message, so that it never covers the last button for good. */}
      <div
        key={`${site_id} ${path}`}
        className="mx-auto max-w-6xl animate-fade px-4 pt-6 pb-24 sm:px-8 sm:pt-8"
      >
        <Suspense fallback={<Skeleton />}>
          <Outlet />
        </Suspense>
      </div>
    </main>
  );
}
