// First, in this order: they configure zod before its first schema, and read the address before the router does.
import './no-eval.ts';
import './site/selected-site.ts';
import './screens/auth/sign-in-return.ts';
import './screens/integrations/arrived-from-tool.ts';
import '@fontsource-variable/inter/wght.css';
import './owner.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { watchReachability } from './api/reachability.ts';
import { queryClient } from './api/query-client.ts';
import { startI18n } from './i18n/i18n.ts';
import { applyTheme } from './preferences/theme.ts';
import { router } from './router.tsx';
import { keepFresh } from './session/refresh.ts';
import { readSilentlyFilledFields } from './shell/filled-in.ts';
import { followSession } from './shell/follow-session.ts';
import { reloadAfterRelease } from './shell/reload-after-release.ts';
import { workWhileTranslated } from './shell/translated-text.ts';

reloadAfterRelease();
workWhileTranslated();
readSilentlyFilledFields();
applyTheme();
keepFresh();
followSession(router);
watchReachability();
await startI18n();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App router={router} queryClient={queryClient} />
  </StrictMode>,
);
