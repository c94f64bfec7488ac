import './no-eval.ts';
import './chosen-site.ts';
import '@fontsource-variable/inter/wght.css';
import './owner.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { I18nProvider } from 'react-aria-components';
import { watchConnection } from './connection.ts';
import { reloadAfterRelease } from './release.ts';
import { startI18n, useLanguage } from './i18n.ts';
import { queryClient } from './query.ts';
import { keepFresh } from './refresh.ts';
import { router } from './router.tsx';
import { followSession } from './session-follower.ts';
import { applyTheme } from './theme.ts';

reloadAfterRelease();
applyTheme();
keepFresh();
followSession();
watchConnection();
await startI18n();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

function App() {
  return (
    <I18nProvider locale={useLanguage()}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  );
}
